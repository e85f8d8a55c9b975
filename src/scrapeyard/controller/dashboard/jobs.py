"""Pages on jobs: the list that is looked at first, and everything about one."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from scrapeyard.controller.api.office import Office
from scrapeyard.controller.dashboard.charts import chart_of
from scrapeyard.controller.dashboard.front import Ask, Front, Sheet
from scrapeyard.controller.dashboard.places import told
from scrapeyard.decisions.progress import outcomes
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.errors import NotFound
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.job import Tally
from scrapeyard.model.series import Series, series_place
from scrapeyard.model.states import FINAL_VISITS, JobState, VisitState

MOST = 100
_AT_ONCE = 10
_EVENTS = 20
_KINDS = 6
_STATES = frozenset(JobState)


_SHOWN = (
    VisitState.SUCCEEDED,
    VisitState.ABSENT,
    VisitState.FAILED,
    VisitState.UNCERTAIN,
    VisitState.SKIPPED,
    VisitState.CANCELLED,
    VisitState.RUNNING,
)
"""The stretches of a progress bar, from the left."""


class Part(msgspec.Struct, frozen=True):
    """One stretch of a progress bar, in thousandths of its width from `start`."""

    name: str
    count: int
    start: float
    width: float


class Row(msgspec.Struct, frozen=True):
    """One job as a list shows it."""

    status: JobStatus
    total: int
    done: int
    left: int
    parts: tuple[Part, ...]


_SORTS: dict[str, Callable[[Row], float | str]] = {
    "newest": lambda row: -row.status.job.created,
    "name": lambda row: row.status.job.name,
    "left": lambda row: -row.left,
}


class JobPages:
    """See the module."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._jobs = office.service.jobs

    def add_to(self, front: Front) -> None:
        """Add them all."""
        front.page("/jobs", self.jobs)
        front.page("/jobs/{job}", self.job)

    async def jobs(self, ask: Ask) -> Sheet:
        """The list of jobs."""
        state, text, sort = ask.query("state"), ask.query("q"), ask.query("sort", "newest")
        states = (JobState(state),) if state in _STATES else ()
        found = await self._jobs.find(states, limit=MOST)
        wanted = [job for job in found if text.casefold() in f"{job.name} {job.scraper.name} {job.id}".casefold()]
        turn = asyncio.Semaphore(_AT_ONCE)

        async def row(name: str) -> Row:
            async with turn:
                return row_of(await self._jobs.status(name))

        rows = await asyncio.gather(*(row(job.id) for job in wanted))
        by = _SORTS.get(sort, _SORTS["newest"])
        ordered = sorted(rows, key=by)
        asked = {"state": state, "q": text, "sort": sort}
        return Sheet("jobs.html", "Jobs", rows=ordered, asked=asked, states=list(JobState), sorts=list(_SORTS))

    async def job(self, ask: Ask) -> Sheet:
        """One job."""
        name = ask.part("job")
        status, why = await asyncio.gather(self._jobs.status(name), self._jobs.why(name))
        row = row_of(status)
        sheet = Sheet("job.html", status.job.name, row=row, status=status, job=status.job, tally=status.tally, why=why)
        sheet.values |= {
            "outcomes": outcomes(status.tally),
            "tiers": sorted(status.tally.tiers.items()),
            "each": status.tally.cost_micros / max(1, status.tally.answered),
            "has_ended": status.job.state in (JobState.COMPLETED, JobState.CANCELLED),
            "manifest": await self._manifest(status),
            "chart": chart_of(await self._course(status.job.id)),
            "samples": await self._samples(status),
            "history": [told(event) for event in reversed(await self._office.service.events.find(name, limit=_EVENTS))],
        }
        return sheet

    async def _course(self, job: str) -> Series | None:
        memo = await self._office.memos.recall(series_place(job))
        return None if memo is None else msgspec.json.decode(memo.body, type=Series)

    async def _samples(self, status: JobStatus) -> dict[str, Item]:
        """One item of each kind of failure, the most frequent kinds first."""
        kinds = sorted(status.tally.failed, key=lambda kind: -status.tally.failed[kind])[:_KINDS]
        picks = (Selection(frozenset({VisitState.FAILED}), frozenset({kind})) for kind in kinds)
        found = await asyncio.gather(*(self._office.service.items.find(status.job.id, pick, limit=1) for pick in picks))
        return {kind: items[0] for kind, items in zip(kinds, found, strict=True) if items}

    async def _manifest(self, status: JobStatus) -> bool:
        if status.job.state not in (JobState.COMPLETED, JobState.CANCELLED):
            return False
        try:
            await self._office.service.results.manifest(status.job.id)
        except NotFound:  # it ended a moment ago
            return False
        return True


def row_of(status: JobStatus) -> Row:
    """A job with its progress."""
    tally, job = status.tally, status.job
    total = tally.loaded if job.total is None else job.total
    done = tally.count(*FINAL_VISITS)
    return Row(status, total, done, max(0, total - done), bar(_stretches(tally), total))


def bar(stretches: Sequence[tuple[str, int]], total: int) -> tuple[Part, ...]:
    """The stretches side by side. What is there is seen, however small it is."""
    parts: list[Part] = []
    start = 0.0
    for name, count in stretches:
        width = min(1000.0 - start, max(4.0, 1000 * count / total)) if count and total else 0.0
        if width > 0:
            parts.append(Part(name, count, round(start, 1), round(width, 1)))
            start += width
    return tuple(parts)


def _stretches(tally: Tally) -> list[tuple[str, int]]:
    return [(state.value, tally.count(state)) for state in _SHOWN]
