"""The book of jobs. A job's row is the truth; beside it, in the same transaction, go the rows it is found by."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from scrapeyard.backends.admission import check_revision, no_job, starts
from scrapeyard.backends.counting import tally_of, untold
from scrapeyard.backends.dynamodb.desk import Desk, look, new_desk
from scrapeyard.backends.dynamodb.keys import JOBS, job_key, named_part, since
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.recount import Recount
from scrapeyard.backends.dynamodb.table import Key, Table
from scrapeyard.backends.dynamodb.tabs import SeenTab, Tabs, counters_of, holders, untaken
from scrapeyard.backends.dynamodb.together import deleting, putting, together
from scrapeyard.backends.dynamodb.values import Row
from scrapeyard.backends.rows import decode_job
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState, VisitState

_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})
_BEGINNING = b""
_END = b"\xff" * 9


class DynamoJobs:
    """Fulfils `scrapeyard.ports.jobs.JobBook`."""

    def __init__(self, table: Table, tabs: Tabs, listing: Listing) -> None:
        self._table = table
        self._tabs = tabs
        self._listing = listing

    async def create(self, job: Job) -> Job:
        """Write a job down, or give the one that is there."""
        name = {"p": named_part(job.name), "s": since(job.created) + job.id.encode(), "j": job.id}
        actions = [
            putting(self._table, job_row(job), "attribute_not_exists(p)"),
            putting(self._table, new_desk(job.id), "attribute_not_exists(p)"),
            putting(self._table, _found_by(job)),
            putting(self._table, name),
        ]
        if await together(self._table, actions):
            return job
        there = await self.get(job.id)
        return there or await self.create(job)

    async def get(self, job: JobId) -> Job | None:
        """One job."""
        row = await self._table.get(job_key(job))
        return decode_job(row["d"]) if row is not None else None

    async def named(self, name: str) -> Job | None:
        """The newest job of that name."""
        async for row in self._table.query(named_part(name), backwards=True, limit=1):
            return await self.get(row["j"])
        return None

    async def find(
        self, states: Sequence[JobState] = (), *, limit: int = 100, before: float | None = None
    ) -> list[Job]:
        """Jobs, newest first. A job that moves at this moment is looked at again in its own row."""
        parts = await asyncio.gather(*(self._ids(state, before, limit) for state in states or tuple(JobState)))
        newest = sorted({pair for part in parts for pair in part}, reverse=True)[:limit]
        rows = await self._table.get_many([job_key(job) for _, job in newest])
        jobs = [decode_job(rows[key]["d"]) for _, job in newest if (key := job_key(job)) in rows]
        return [job for job in jobs if not states or job.state in states]

    async def _ids(self, state: JobState, before: float | None, limit: int) -> list[tuple[bytes, str]]:
        """Sort keys and ids. What was created at that very moment is not before it."""
        span = None if before is None else (_BEGINNING or b"\x00", since(before))
        found = self._table.query(JOBS + state, span, backwards=True, limit=limit)
        return [(row["s"], row["j"]) async for row in found]

    async def advance(
        self, job: JobId, to: JobState, only_from: Sequence[JobState], *, now: float, reason: str | None = None
    ) -> Job | None:
        """Move a job, if it stands where it may be moved from."""
        while (row := await self._table.get(job_key(job))) is not None:
            before = decode_job(row["d"])
            if before.state not in starts(to, only_from):
                return None
            finished = now if to in _ENDED else None
            moved = msgspec.structs.replace(before, state=to, reason=reason, changed=now, finished=finished)
            if await change_job(self._table, row, moved):
                return moved
        return None

    async def revise(self, job: JobId, policy: Policy, *, scraper: ScraperRef | None = None) -> Job | None:
        """Change the policy of a live job."""
        while (row := await self._table.get(job_key(job))) is not None:
            before, desk = decode_job(row["d"]), await look(self._table, job)
            if before.state in _ENDED or desk is None:
                return None
            check_revision(before, policy, begun=desk.desk.cursor > 0)
            revised = msgspec.structs.replace(before, policy=policy, scraper=scraper or before.scraper)
            if await change_job(self._table, row, revised):
                return revised
        return None

    async def tally(self, job: JobId) -> Tally:
        """The counters."""
        asked, desk, tabs = await self._state(job)
        counters: dict[str, int] = dict(counters_of(tabs))
        ended = sum(value for name, value in counters.items() if name.startswith("state."))
        return _tally(asked, desk, tabs, counters, desk.loaded - ended)

    async def recount(self, job: JobId) -> Tally:
        """The same from the rows themselves."""
        asked, desk, tabs = await self._state(job)
        count = Recount(self._table, self._listing, job)
        await count.run(desk.loaded)
        counters: dict[str, int] = {**count.counting.changes, **untold(counters_of(tabs))}
        return _tally(asked, desk, tabs, counters, count.unended)

    async def _state(self, job: JobId) -> tuple[Job, Desk, list[SeenTab]]:
        asked, desk = await asyncio.gather(self.get(job), look(self._table, job))
        if asked is None or desk is None:
            raise no_job(job)
        return asked, desk.desk, await self._tabs.all(job)


def job_row(job: Job) -> Row:
    """The job's own row, without a version."""
    part, sort = job_key(job.id)
    return {"p": part, "s": sort, "d": msgspec.json.encode(job)}


def changing(table: Table, row: Row, job: Job) -> list[dict[str, Any]]:
    """The actions that make the job of this row what it becomes, all together."""
    before = decode_job(row["d"])
    actions = [putting(table, job_row(job), "d = :seen", seen=row["d"])]
    if before.state is not job.state:
        there = _found_by(before)
        gone: Key = (there["p"], there["s"])
        actions += [deleting(table, gone), putting(table, _found_by(job))]
    return actions


async def change_job(table: Table, row: Row, job: Job) -> bool:
    """Change a job, if it is still as it was seen."""
    return await together(table, changing(table, row, job))


def _found_by(job: Job) -> Row:
    return {"p": JOBS + job.state, "s": since(job.created) + job.id.encode(), "j": job.id}


def _tally(job: Job, desk: Desk, tabs: Sequence[SeenTab], counters: dict[str, int], unended: int) -> Tally:
    """What has ended is counted; what is out is read from desk and tabs; the rest waits."""
    offered = sum(len(untaken(page, tabs)) for page in desk.pages)
    running = len(holders(tabs))
    counters |= {
        "loaded": desk.loaded,
        "duplicates": desk.duplicates,
        f"state.{VisitState.OFFERED}": offered,
        f"state.{VisitState.RUNNING}": running,
        f"state.{VisitState.WAITING}": max(0, unended - offered - running),
    }
    return tally_of(counters, cancelled=job.state is JobState.CANCELLED)
