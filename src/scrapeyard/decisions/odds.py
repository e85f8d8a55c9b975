"""How seldom a breaker errs, and how soon it sees a break: exactly, not by trial.

The running score is a walk that goes up two with the chance of a failure and else down one, never below nothing. The
mean number of outcomes until it reaches the trip follows from one equation for each score, solved in fractions; the
spread of that number from letting the chances flow, step by step. Samples are binomial.
"""

from fractions import Fraction
from math import comb, expm1

from scrapeyard.decisions.marks import FAILURE, SUCCESS


def mean_run(trip: int, failing: Fraction) -> Fraction:
    """Outcomes until the trip, on average, from a score of nothing.

    The mean from a score `s` is one more than what is left after a step: m(s) = 1 + p·m(s+2) + q·m(s−1). So each
    mean follows from the two before; the first two are unknown, and found from m = 0 at the trip and above.
    """
    p, q, zero, one = failing, 1 - failing, Fraction(0), Fraction(1)
    constant, first, second = [zero, zero], [one, zero], [zero, one]  # each mean as c + f·m(0) + s·m(1)
    for score in range(trip):
        below = max(0, score + SUCCESS)
        constant.append((constant[score] - q * constant[below] - 1) / p)
        for shares in (first, second):
            shares.append((shares[score] - q * shares[below]) / p)
    end, beyond = trip, trip + FAILURE - 1
    return (second[end] * constant[beyond] - constant[end] * second[beyond]) / (
        first[end] * second[beyond] - second[end] * first[beyond]
    )


def trips(trip: int, failing: Fraction, outcomes: int) -> float:
    """The chance of at least one trip in so many outcomes, if that share fails all the time."""
    return -expm1(-outcomes / float(mean_run(trip, failing)))


def delay(trip: int, failing: float, share: float) -> int:
    """Outcomes after which that share of breaks is seen, from a score of nothing."""
    chances, seen, outcomes = [1.0] + [0.0] * (trip - 1), 0.0, 0
    while seen < share:
        after = [0.0] * trip
        for score, chance in enumerate(chances):
            after[max(0, score + SUCCESS)] += chance * (1 - failing)
            if score + FAILURE < trip:
                after[score + FAILURE] += chance * failing
            else:
                seen += chance * failing
        chances, outcomes = after, outcomes + 1
    return outcomes


def at_least(hits: int, size: int, share: float) -> float:
    """The chance of so many hits or more in a sample."""
    return sum(comb(size, count) * share**count * (1 - share) ** (size - count) for count in range(hits, size + 1))
