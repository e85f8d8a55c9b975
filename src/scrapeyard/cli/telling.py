"""What a person is told when a list is loaded, when the work stops, and when a job has ended: facts, then what next."""

import shlex
import time
from typing import Self

from rich.console import Group
from rich.table import Table
from rich.text import Text

from scrapeyard.cli import wording
from scrapeyard.cli.following import LINE_EVERY
from scrapeyard.cli.here import Here
from scrapeyard.cli.live import done_of, total_of
from scrapeyard.cli.wording import counted, plain, spanned
from scrapeyard.controller.intake.load import Loaded
from scrapeyard.decisions.progress import Forecast, outcomes
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.job import Job
from scrapeyard.model.span import Span
from scrapeyard.model.states import VISIT_MEANING, JobState, VisitState

_FAILED = "failed: "


def command_name(job: Job) -> str:
    """The job's name as it has to be typed in a shell."""
    return shlex.quote(job.name)


class Loading:
    """How far the list is read, while it is."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._status = here.err.status("Reading the list…") if here.err.is_terminal else None
        self._next = time.monotonic() + LINE_EVERY

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def tell(self, rows: int, read: int, total: int | None) -> None:
        """Rows so far, and bytes of the file, of how many where that is known."""
        part = f" ({wording.share(read, total)} of the file)" if total else ""
        said = f"Reading the list: {counted(rows, 'row')}{part}"
        if self._status is not None:
            self._status.update(said)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_EVERY
            self._here.say(said)


def say_loaded(here: Here, loaded: Loaded) -> None:
    """What became of the list."""
    parts = [f"{counted(loaded.accepted, 'item')} loaded"]
    if loaded.duplicates:
        parts.append(f"{counted(loaded.duplicates, 'duplicate')} left out")
    if loaded.elsewhere:
        parts.append(f"{counted(loaded.elsewhere, 'row')} of other shards")
    if loaded.rejected:
        parts.append(f"{counted(loaded.rejected, 'bad row')} left out")
    here.say(f"{', '.join(parts)}.")
    for bad in loaded.bad:
        here.say(f"  row {bad.number:,}: {plain(bad.reason)}")
    if loaded.rejects is not None:
        here.say(f"The bad rows are in {loaded.rejects}.")
    for remark in loaded.remarks:
        here.say(f"Note: {plain(remark)}.")


def say_stopped(here: Here, status: JobStatus) -> None:
    """Where it stopped, and that nothing is lost."""
    here.say(
        f"Stopped at {done_of(status):,} of {counted(total_of(status), 'item')}. "
        "The same command goes on where it stopped."
    )


def say_end(here: Here, status: JobStatus) -> None:
    """How the job ended, by outcome, and the commands that people want next."""
    say_outcomes(here, status)
    here.show(f"Kept in {here.settings().data} as job {status.job.id}. Next:")
    for text in _next(status):
        here.show(f"  {text}{here.place}")


def say_outcomes(here: Here, status: JobStatus) -> None:
    """How the job ended, by outcome, and what it took."""
    job, tally = status.job, status.tally
    took = f" in {wording.duration(job.finished - job.created)}" if job.finished else ""
    here.show(Text.assemble((plain(job.name), "bold"), f": {job.state}, {counted(total_of(status), 'item')}{took}."))
    counts = outcomes(tally)
    longest = max(map(len, counts), default=0)
    overflow = "ellipsis" if here.out.is_terminal else "ignore"
    for name, count in counts.items():
        said = Text(f"{count:>9,}  {name:<{longest}}", no_wrap=True, overflow=overflow)
        here.show(Group(said.append(f"  {_meaning(name)}", "dim")))
    if tally.unreadable:
        here.show(Text(f"{counted(tally.unreadable, 'item')} could not be read by the extractor; the pages are kept."))
    facts = [
        counted(tally.records, "record"),
        counted(tally.attempts, "attempt"),
        counted(tally.requests, "request"),
        f"{wording.size(tally.wire_bytes)} from the site",
        wording.money(tally.cost_micros / 1e6),
    ]
    here.show(Text(", ".join(facts) + "."))


def _meaning(name: str) -> str:
    """What an outcome says, of which the name alone is short."""
    if name.startswith(_FAILED):
        verdict = VERDICTS.get(Kind(name.removeprefix(_FAILED)))
        return "" if verdict is None else verdict.meaning
    return VISIT_MEANING[VisitState(name)]


def _next(status: JobStatus) -> list[str]:
    name = command_name(status.job)
    names = set(outcomes(status.tally))
    said = [f"scrapeyard export {name} --format csv --to {name}"]
    if names - {"succeeded", "absent"}:
        said.append(f"scrapeyard items {name} --state failed")
        if status.job.state is JobState.COMPLETED:
            said.append(f"scrapeyard retry {name} --dry-run")
    if status.tally.unreadable:
        said.append(f"scrapeyard items {name} --unreadable")
    return [*said, f"scrapeyard pages {name}"][:3]


def say_forecast(here: Here, forecast: Forecast) -> None:
    """What the whole list would take, judged from the sample."""
    here.show(Text(""))
    title = f"Forecast for all {counted(forecast.items, 'row')}, from this sample of {forecast.sample:,}:"
    here.show(Text(title, style="bold"))
    table = Table.grid(padding=(0, 2))
    table.add_row("  time", spanned(forecast.hours.times(3600), wording.duration))
    table.add_row("  from the site", spanned(forecast.wire_bytes, wording.size))
    table.add_row("  cost", spanned(forecast.dollars, wording.money))
    for each in forecast.outcomes:
        table.add_row(Text(f"  {each.outcome}"), f"{_items(each.items)}: {spanned(each.share.times(100), _percent)}")
    here.show(table)
    here.show(Text("In brackets: where the true figure lies with 95 % certainty, if the sample is like the rest."))


def _items(span: Span) -> str:
    return spanned(span, wording.number)


def _percent(value: float) -> str:
    return f"{value:.1f} %" if 0 < value < 10 else f"{value:.0f} %"
