"""How a job looks while it runs: a picture of its history, so that it can be drawn, and tested, without a terminal.

What a person wants to know, in this order: how far, how fast, until when, what came out, what holds it up, and what
it is busy with. The pace is measured over the last minutes, because a site that slows down must show at once.
"""

from collections import deque
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from scrapeyard.cli import wording
from scrapeyard.cli.ways import Ways
from scrapeyard.decisions import progress
from scrapeyard.decisions.progress import Mark
from scrapeyard.decisions.why import BUSY
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.failures import FAULT_MEANING, VERDICTS, Kind
from scrapeyard.model.fleet import RunningNote
from scrapeyard.model.gate import ClosedGate
from scrapeyard.model.span import Span
from scrapeyard.model.states import FINAL_VISITS, JobState, VisitState

_FAILED = "failed: "
_STRETCH = 2.0
_KEPT = 90
_SOON = 120.0

_COLOURS = {"succeeded": "green", "absent": "cyan", "uncertain": "yellow"}


class History:
    """The newest status of a job, and how many items were done at even stretches of the last minutes."""

    def __init__(self) -> None:
        self._marks: deque[Mark] = deque(maxlen=_KEPT)
        self._first: Mark | None = None
        self._last: Mark | None = None
        self.status: JobStatus | None = None

    def add(self, status: JobStatus) -> None:
        """Take in the next status. A job that was begun anew or redriven starts a new history."""
        done = done_of(status)
        if self._marks and done < self._marks[-1].done:
            self._marks.clear()
        if not self._marks or status.at - self._marks[-1].at >= _STRETCH:
            self._marks.append(Mark(status.at, done))
        if self._first is None and (done or status.running):
            self._first = Mark(status.at, done)
        if self._last is None or done != self._last.done:
            self._last = Mark(status.at, done)
        self.status = status

    @property
    def seconds(self) -> float | None:
        """From the first sign of work to the last item, without what came before and after; None if there was none."""
        if self._first is None or self._last is None or self._last.at <= self._first.at:
            return None
        return self._last.at - self._first.at

    @property
    def pace(self) -> Span | None:
        """Items a second, lately; until that was seen here, as the dispatcher has seen it."""
        if self.status is None:
            return None
        told = None if self.status.pace is None else self.status.pace.ended
        return progress.pace(self._marks) or told

    @property
    def left(self) -> Span | None:
        """Seconds until everything is done, if it goes on like this once what is closed has opened."""
        status = self.status
        if status is None or status.job.total is None or status.job.state is not JobState.RUNNING:
            return None
        moving = progress.remaining(total_of(status) - done_of(status), self.pace)
        wait = max((gate.until - status.at for gate in status.gates if gate.until is not None), default=0.0)
        if moving is None or wait <= 0:
            return moving
        return Span(moving.mid + wait, moving.low + wait, moving.high + wait)


def view(history: History, running: Sequence[RunningNote] = (), remark: str = "") -> RenderableType:
    """The whole picture."""
    status = history.status
    if status is None:
        return Text("Waiting for the first news…")
    parts: list[RenderableType] = [_head(status), _bar(status), _speed(history), _outcomes(status)]
    if (ways := Ways(status)).worth_telling:
        parts += [Text(""), ways]
    if status.gates:
        parts.append(Text(""))
    parts.extend(_gate(gate, status.at) for gate in status.gates)
    if running:
        parts.append(_running(running, status.at))
    if remark:
        parts.append(Text(remark, style="yellow"))
    return Group(*parts)


def line(history: History) -> str:
    """The same in one line, for a log."""
    status = history.status
    if status is None:
        return ""
    parts = [f"{wording.plain(status.job.name)}: {_done(status)}"]
    if history.pace is not None:
        parts.append(wording.pace(history.pace.mid))
    if history.left is not None:
        parts.append(f"{wording.spanned(history.left, wording.coming)} left")
    parts.append(", ".join(f"{name} {count:,}" for name, count in progress.outcomes(status.tally).items()))
    parts.extend(gate_words(gate, status.at) for gate in status.gates if gate.gate not in BUSY)
    return " · ".join(part for part in parts if part)


def gate_words(gate: ClosedGate, now: float) -> str:
    """Why nothing more starts; if that stays so for minutes, with the time of day at which it ends."""
    reason = wording.plain(gate.reason)
    if gate.until is None or gate.until - now < _SOON:
        return reason
    return f"{reason.rstrip('.')} (at {wording.moment(gate.until, now)})."


def done_of(status: JobStatus) -> int:
    """How many items are final."""
    return status.tally.count(*FINAL_VISITS)


def total_of(status: JobStatus) -> int:
    """How many items there are, as far as is known."""
    return status.tally.loaded if status.job.total is None else status.job.total


def _done(status: JobStatus) -> str:
    done, total = done_of(status), total_of(status)
    if status.job.state is JobState.LOADING:
        return f"loading, {wording.counted(total, 'item')} so far"
    return f"{done:,} of {wording.counted(total, 'item')} ({wording.share(done, total)})"


def _head(status: JobStatus) -> Text:
    job = status.job
    state = {JobState.FINALIZING: "counting"}.get(job.state, str(job.state))
    head = Text.assemble((wording.plain(job.name), "bold"), f"  {wording.plain(job.scraper.name)}  ", (state, "bold"))
    if status.workers:
        head.append(f"  {wording.counted(status.workers, 'worker')}", "dim")
    return head


def _bar(status: JobStatus) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=max(1, total_of(status)), completed=done_of(status), width=40)
    table.add_row(bar, Text(_done(status)))
    return table


def _speed(history: History) -> Text:
    status = history.status
    pace, left = history.pace, history.left
    if status is None or status.job.state in {JobState.COMPLETED, JobState.CANCELLED}:
        return Text("")
    said = f"{wording.pace(pace.mid)}" if pace else "no pace yet"
    if left is not None:
        said += f", {wording.spanned(left, wording.coming)} left"
    tally = status.tally
    told = (
        f"  {wording.counted(tally.attempts, 'attempt')}, {status.running:,} running, {wording.size(tally.wire_bytes)}"
    )
    return Text.assemble(said, (told, "dim"))


def _outcomes(status: JobStatus) -> RenderableType:
    counts = progress.outcomes(status.tally)
    table = Table.grid(padding=(0, 2))
    waiting = status.tally.count(VisitState.WAITING, VisitState.OFFERED)
    for name, count in counts.items():
        kind = name.removeprefix(_FAILED)
        fault = FAULT_MEANING[VERDICTS[Kind(kind)].fault] if kind != name else ""
        table.add_row(Text(f"{count:>9,}", _COLOURS.get(name, "red")), Text(name), Text(fault, "dim"))
    if status.tally.unreadable:
        table.add_row(Text(f"{status.tally.unreadable:>9,}", "red"), Text("of these could not be read"))
    if waiting:
        table.add_row(Text(f"{waiting:>9,}", "dim"), Text("waiting", "dim"), Text(_later(status), "dim"))
    return table


def _later(status: JobStatus) -> str:
    """How many of those that wait had a try before, and when the first of them has its next."""
    if not status.later:
        return ""
    wait = (status.due or 0.0) - status.at
    when = f", the first in {wording.duration(wait)}" if wait > 0 else ""
    return f"{status.later:,} of them for another try{when}"


def _gate(gate: ClosedGate, now: float) -> Text:
    style = "dim" if gate.gate in BUSY else "yellow"
    return Text(gate_words(gate, now), style=style)


def _running(running: Sequence[RunningNote], now: float) -> Text:
    """The longest running first: those are the ones to wonder about."""
    oldest = sorted(running, key=lambda note: note.since)
    shown = [f"{wording.plain(note.key, 40)} {wording.duration(max(0.0, now - note.since))}" for note in oldest[:4]]
    more = f" and {len(oldest) - 4:,} more" if len(oldest) > 4 else ""
    return Text(f"Running: {', '.join(shown)}{more}", style="dim")
