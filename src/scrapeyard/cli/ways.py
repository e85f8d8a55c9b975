"""The ways to a site and what each gave: tries, answers, bytes, money, and what its breaker makes of it."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from scrapeyard.cli import wording
from scrapeyard.cli.wording import plain
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.breaker import Phase
from scrapeyard.model.gate import WayView
from scrapeyard.model.job import TierTally

_WORDS = {
    Phase.CANARY: "first items show whether it works",
    Phase.CLOSED: "works",
    Phase.SUSPECT: "in doubt",
    Phase.OPEN: "given a rest",
    Phase.PROBING: "is being probed",
    Phase.RAMP: "works again, step by step",
}
_STYLES = {Phase.CLOSED: "green", Phase.OPEN: "red"}
_ALL = ("way", "tries", "answered", "traffic", "cost", "per 1,000 good", "state")
_FEW = ("way", "tries", "answered", "cost", "state")
_WIDE = 90
_NUMBERS = frozenset({"tries", "answered", "traffic", "cost", "per 1,000 good"})


class Ways:
    """The table of one status; on a narrow screen with fewer columns."""

    def __init__(self, status: JobStatus) -> None:
        self._status = status
        self._seen = {way.name: way for way in status.ways}
        known = {*self._seen, *status.tally.tiers} - {""}
        ladder = [rung.name for rung in status.job.ladder]
        self._names = [name for name in ladder if name in known] + sorted(known - set(ladder))

    @property
    def worth_telling(self) -> bool:
        """Whether there is more to say than that one way works and costs nothing."""
        plainly = all(way.phase is Phase.CLOSED for way in self._status.ways)
        return len(self._names) > 1 or bool(self._names and (not plainly or self._status.tally.cost_micros))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """See rich."""
        columns = _ALL if options.no_wrap or options.max_width >= _WIDE else _FEW
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
        for column in columns:
            number = column in _NUMBERS
            table.add_column(column, justify="right" if number else "left", no_wrap=column != "state")
        for name in self._names:
            cells = self._cells(name)
            table.add_row(*(cells[column] for column in columns))
        yield table
        for way in self._status.ways:
            if way.why and way.phase is not Phase.CLOSED:
                yield Text(f"{plain(way.name) or 'endings'}: {plain(way.why, 600)}.", "yellow")

    def _cells(self, name: str) -> dict[str, Text]:
        tally = self._status.tally.tiers.get(name, TierTally())
        dollars = tally.cost_micros / 1e6
        each = wording.money(1_000 * dollars / tally.good) if tally.good else "–"
        answered = f"{tally.good:,} ({wording.share(tally.good, tally.tries)})"
        said = (plain(name), f"{tally.tries:,}", answered, wording.size(tally.wire_bytes), wording.money(dollars), each)
        return {**{column: Text(text) for column, text in zip(_ALL, said, strict=False)}, "state": self._state(name)}

    def _state(self, name: str) -> Text:
        way: WayView | None = self._seen.get(name)
        if way is None:
            return Text("")
        until = f" until {wording.clock(way.until, self._status.at)}" if way.until is not None else ""
        return Text(f"{_WORDS[way.phase]}{until}", _STYLES.get(way.phase, "yellow"))
