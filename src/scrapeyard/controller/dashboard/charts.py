"""A job's course as a picture that is drawn on the server: what came of its items in each stretch of time.

The picture is plain SVG, so it is there without scripts, and its figures stand beside it for those who cannot see it.
"""

from collections.abc import Iterable

import msgspec

from scrapeyard.model.series import Series

WIDTH, HEIGHT = 960, 180
ORDER = ("succeeded", "absent", "skipped", "cancelled", "uncertain", "retried", "failed")
"""The layers of a column, from below."""


class Block(msgspec.Struct, frozen=True):
    """One layer of one column."""

    name: str
    x: float
    y: float
    width: float
    height: float


class Chart(msgspec.Struct, frozen=True):
    """The picture: `top` is how many items a second the upper edge stands for, `totals` what came in all."""

    blocks: tuple[Block, ...]
    top: float
    begun: float
    until: float
    width: float
    totals: tuple[tuple[str, int], ...]


def chart_of(series: Series | None) -> Chart | None:
    """The picture of a series; None if nothing has happened."""
    if series is None or not any(series.stretches):
        return None
    highest = max(sum(one.values()) for one in series.stretches)
    step = WIDTH / max(24, len(series.stretches))
    blocks = [
        block
        for place, counts in enumerate(series.stretches)
        for block in _column(counts, place * step, max(1.0, step - 1), highest)
    ]
    names = [*ORDER, *sorted({name for one in series.stretches for name in one} - set(ORDER))]
    totals = [(name, sum(one.get(name, 0) for one in series.stretches)) for name in names]
    until = series.begun + series.width * len(series.stretches)
    shown = tuple((name, count) for name, count in totals if count)
    return Chart(tuple(blocks), highest / series.width, series.begun, until, series.width, shown)


def _column(counts: dict[str, int], x: float, width: float, highest: int) -> Iterable[Block]:
    y = float(HEIGHT)
    for name in [*ORDER, *sorted(set(counts) - set(ORDER))]:
        if counts.get(name):
            height = max(1.0, counts[name] * (HEIGHT - 2) / highest)
            y -= height
            yield Block(name, round(x, 1), round(max(0.0, y), 1), round(width, 1), round(height, 1))
