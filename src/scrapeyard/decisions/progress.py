"""How fast is it going, when will it end, and what would the whole list give?

A bare average lies: it hides a site that slows down and a sample that was lucky. So every figure comes with
a span: rates from how much they varied between equal stretches of time, shares by Wilson's interval, which
is honest for small samples and for shares near 0 and 1.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import msgspec

from scrapeyard.model.job import Tally
from scrapeyard.model.span import Span
from scrapeyard.model.states import VisitState

Z95 = 1.96


class Mark(msgspec.Struct, frozen=True):
    """How many items were final at a moment."""

    at: float
    done: int


def wilson(hits: int, size: int, z: float = Z95) -> Span:
    """The share of hits in the population from which the sample was drawn."""
    if size <= 0:
        return Span(0.0, 0.0, 1.0)
    share, fringe = hits / size, z * z / size
    centre = (share + fringe / 2) / (1 + fringe)
    reach = z * sqrt(share * (1 - share) / size + fringe / (4 * size)) / (1 + fringe)
    return Span(share, max(0.0, min(share, centre - reach)), min(1.0, max(share, centre + reach)))


def pace(marks: Sequence[Mark]) -> Span | None:
    """Items a second over these marks, oldest first. None while nothing can be said."""
    if len(marks) < 2 or marks[-1].at <= marks[0].at or marks[-1].done <= marks[0].done:
        return None
    mean = (marks[-1].done - marks[0].done) / (marks[-1].at - marks[0].at)
    rates = [(new.done - old.done) / (new.at - old.at) for old, new in pairwise(marks) if new.at > old.at]
    if len(rates) < 3:
        return Span(mean, mean / 2, mean * 2)
    error = sqrt(sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1) / len(rates))
    return Span(mean, max(mean - Z95 * error, mean / 10), mean + Z95 * error)


def remaining(left: int, rate: Span | None) -> Span | None:
    """Seconds until `left` items are done; the fast end of the pace is the near end of the time."""
    return Span(left / rate.mid, left / rate.high, left / rate.low) if rate else None


class Outlook(msgspec.Struct, frozen=True):
    """One expected outcome of the whole list: its share, and how many items that makes."""

    outcome: str
    share: Span
    items: Span


class Forecast(msgspec.Struct, frozen=True):
    """What the whole list would take and give, judged from a sample of it."""

    items: int
    sample: int
    hours: Span
    wire_bytes: Span
    dollars: Span
    outcomes: tuple[Outlook, ...]


class Sample(msgspec.Struct, frozen=True):
    """What a sample gave. `seconds` is how long it took, if that was seen whole.

    `slots` and `rate` are what the whole list may use: items at once, and requests a second. A sample of a few items
    never fills the slots and mostly waits for its start and its last item, so its own time alone would mislead.
    """

    tally: Tally
    seconds: float | None = None
    slots: int | None = None
    rate: float | None = None


def forecast(sample: Sample, items: int) -> Forecast | None:
    """From a sample to a list of `items`. None if nothing of the sample has ended, or nothing says how long it took."""
    tally = sample.tally
    counts = outcomes(tally)
    size = sum(counts.values())
    times = _each(sample, size) if size else []
    if not times:
        return None
    factor = items / size
    spread = min(0.9, Z95 / sqrt(size))
    around = Span(1.0, 1 - spread, 1 + spread)
    shares = [(name, wilson(count, size)) for name, count in counts.items()]
    return Forecast(
        items=items,
        sample=size,
        hours=Span(times[0], min(times) * around.low, max(times) * around.high).times(items / 3600),
        wire_bytes=around.times(tally.wire_bytes * factor),
        dollars=around.times(tally.cost_micros * factor / 1e6),
        outcomes=tuple(Outlook(name, share, share.times(items)) for name, share in shares),
    )


def _each(sample: Sample, size: int) -> list[float]:
    """Seconds that each item of a long list takes: as the slots and the rate allow, and as the sample itself took."""
    tally = sample.tally
    allowed = [
        *([tally.busy_ms / 1000 / size / sample.slots] if sample.slots else []),
        *([tally.requests / size / sample.rate] if sample.rate else []),
    ]
    seen = [] if sample.seconds is None else [sample.seconds / size]
    return [*([max(allowed)] if allowed else []), *seen]


def outcomes(tally: Tally) -> dict[str, int]:
    """How the finished items ended, the failed ones by kind, the most frequent first."""
    plain = (VisitState.SUCCEEDED, VisitState.ABSENT, VisitState.UNCERTAIN)
    counts = {str(state): tally.count(state) for state in plain}
    counts |= {f"failed: {kind}": count for kind, count in tally.failed.items()}
    return dict(sorted(((name, count) for name, count in counts.items() if count), key=lambda pair: -pair[1]))
