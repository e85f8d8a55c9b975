"""The stated error rates are those of the code: worked out exactly, and tried on the very functions that decide."""

import random
from fractions import Fraction

import pytest

from scrapeyard.decisions.breaker import Occasion, begin, hear, tick, trip
from scrapeyard.decisions.marks import Outcome, mark
from scrapeyard.decisions.odds import at_least, delay, mean_run, trips
from scrapeyard.model.breaker import Breaker, Cause, Phase

GOOD, BAD = mark(Outcome("succeeded")), mark(Outcome("failed", "blocked"))
PROBES = mark(Outcome("succeeded", probe=True)), mark(Outcome("failed", "blocked", probe=True))
NOW = Occasion(0.0)
MILLION = 1_000_000


def outcomes(rng: random.Random, failing: int, size: int):
    """Outcomes of which `failing` in 256 fail."""
    return list(map(([BAD] * failing + [GOOD] * (256 - failing)).__getitem__, rng.randbytes(size)))


def until_trip(rng: random.Random, failing: float) -> int:
    breaker, count = Breaker(), 0
    while breaker.phase is Phase.CLOSED:
        breaker, count = hear(breaker, [BAD if rng.random() < failing else GOOD], NOW), count + 1
    return count


@pytest.mark.parametrize(("failing", "most"), [(13, 0), (26, 0), (52, 2)], ids=["5 %", "10 %", "20 %"])
def test_twenty_jobs_of_a_million_healthy_outcomes_are_not_stopped(failing: int, most: int) -> None:
    rng, tripped = random.Random(failing), 0
    for _ in range(20):
        tripped += hear(Breaker(), outcomes(rng, failing, MILLION), NOW).phase is Phase.OPEN
    assert tripped <= most
    assert tripped <= 20 * trips(40, Fraction(failing, 256), MILLION) + 2


def test_the_rate_of_false_trips_is_as_computed_where_it_can_be_seen() -> None:
    """At 30 % a trip comes about every 5,800 outcomes, so three million outcomes show some five hundred."""
    rng, size, tripped, failing = random.Random(30), 3 * MILLION, 0, 77
    breaker = Breaker()
    for _ in range(0, size, 500):
        breaker = hear(breaker, outcomes(rng, failing, 500), NOW)
        if breaker.phase is Phase.OPEN:
            breaker, tripped = Breaker(), tripped + 1
    # the outcomes between a trip and the end of its five hundred are skipped, half of them on average
    expected = size / (float(mean_run(40, Fraction(failing, 256))) + 250)
    assert tripped == pytest.approx(expected, rel=0.15)


def test_a_broken_site_is_seen_within_sixty_outcomes_and_nearly_always_within_a_hundred_and_twenty() -> None:
    rng = random.Random(60)
    counts = sorted(until_trip(rng, 0.6) for _ in range(4_000))
    mean, late = sum(counts) / len(counts), counts[int(0.99 * len(counts))]
    assert mean <= 60
    assert late <= 120
    assert mean == pytest.approx(float(mean_run(40, Fraction(3, 5))), rel=0.03)
    assert late == pytest.approx(delay(40, 0.6, 0.99), rel=0.08)


def test_the_exact_figures_are_those_of_a_straightforward_solution() -> None:
    """The same mean from the plain system of equations, one for each score, solved by elimination."""
    failing, size = Fraction(3, 10), 12
    rows = [[Fraction(0)] * size + [Fraction(1)] for _ in range(size)]
    for score, row in enumerate(rows):
        row[score] += 1
        row[max(0, score - 1)] -= 1 - failing
        if score + 2 < size:
            row[score + 2] -= failing
    for pivot in range(size):
        rows[pivot] = [value / rows[pivot][pivot] for value in rows[pivot]]
        for other in range(size):
            if other != pivot:
                factor = rows[other][pivot]
                rows[other] = [value - factor * base for value, base in zip(rows[other], rows[pivot], strict=True)]
    assert mean_run(size, failing) == rows[0][-1]


def test_a_canary_stops_and_probes_close_as_often_as_stated() -> None:
    rng, tries = random.Random(1), 4_000
    opened = trip(Breaker(), Cause.FAILURES, NOW)
    stops = closes = 0
    for _ in range(tries):
        canary = hear(begin(NOW), [BAD if rng.random() < 0.4 else GOOD for _ in range(30)], NOW)
        stops += canary.phase is Phase.OPEN
        probing = tick(opened, Occasion(opened.until or 0.0))
        closes += hear(probing, [PROBES[rng.random() < 0.2] for _ in range(20)], NOW).phase is Phase.RAMP
    assert stops / tries == pytest.approx(at_least(12, 30, 0.4), abs=0.03)
    assert closes / tries == pytest.approx(1 - at_least(5, 20, 0.2), abs=0.03)
