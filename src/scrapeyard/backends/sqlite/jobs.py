"""The book of jobs, in SQLite. A recount reads the items in steps, each over a commit of its own, and blocks nobody."""

import sqlite3
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_revision, starts
from scrapeyard.backends.counting import tally_of, untold
from scrapeyard.backends.rows import decode_job
from scrapeyard.backends.sqlite.books import find_job, keep_job, need_job
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.backends.sqlite.recount import recounted
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState

_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})
_DISTANT = 1e300
"""Later than any job."""


class SqliteJobs:
    """Fulfils `scrapeyard.ports.jobs.JobBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, job: Job) -> Job:
        """Write a job down, or give the one that is there."""

        def work(connection: sqlite3.Connection) -> Job:
            connection.execute(
                "INSERT INTO job (id, name, state, created, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (job.id, job.name, job.state.value, job.created, msgspec.json.encode(job)),
            )
            return need_job(connection, job.id).job

        return await self._database.write(work)

    async def get(self, job: JobId) -> Job | None:
        """One job."""
        row = await self._database.read(lambda connection: find_job(connection, job))
        return row.job if row else None

    async def named(self, name: str) -> Job | None:
        """The newest job of that name."""

        def work(connection: sqlite3.Connection) -> Job | None:
            row = connection.execute(
                "SELECT body FROM job WHERE name = ? ORDER BY created DESC, number DESC LIMIT 1", (name,)
            ).fetchone()
            return decode_job(row[0]) if row else None

        return await self._database.read(work)

    async def find(
        self, states: Sequence[JobState] = (), *, limit: int = 100, before: float | None = None
    ) -> list[Job]:
        """Jobs, newest first."""
        wanted = [state.value for state in dict.fromkeys(states)]
        among = f"state IN ({', '.join('?' * len(wanted))}) AND " if wanted else ""
        latest = _DISTANT if before is None else before

        def work(connection: sqlite3.Connection) -> list[Job]:
            rows = connection.execute(
                f"SELECT body FROM job WHERE {among} created < ? ORDER BY created DESC, number DESC LIMIT ?",  # noqa: S608 - question marks only
                (*wanted, latest, max(0, limit)),
            )
            return [decode_job(body) for (body,) in rows]

        return await self._database.read(work)

    async def advance(
        self, job: JobId, to: JobState, only_from: Sequence[JobState], *, now: float, reason: str | None = None
    ) -> Job | None:
        """Move a job, if it stands where it may be moved from."""
        allowed = starts(to, only_from)

        def work(connection: sqlite3.Connection) -> Job | None:
            row = find_job(connection, job)
            if row is None or row.job.state not in allowed:
                return None
            finished = now if to in _ENDED else None
            moved = msgspec.structs.replace(row.job, state=to, reason=reason, changed=now, finished=finished)
            return keep_job(connection, row, moved)

        return await self._database.write(work)

    async def revise(self, job: JobId, policy: Policy, *, scraper: ScraperRef | None = None) -> Job | None:
        """Change the policy of a live job."""

        def work(connection: sqlite3.Connection) -> Job | None:
            row = find_job(connection, job)
            if row is None or row.job.state in _ENDED:
                return None
            check_revision(row.job, policy, begun=row.cursor > 0)
            pinned = scraper or row.job.scraper
            return keep_job(connection, row, msgspec.structs.replace(row.job, policy=policy, scraper=pinned))

        return await self._database.write(work)

    async def tally(self, job: JobId) -> Tally:
        """The counters."""

        def work(connection: sqlite3.Connection) -> Tally:
            row = need_job(connection, job)
            return tally_of(counters(connection, row.number), cancelled=row.cancelled)

        return await self._database.read(work)

    async def recount(self, job: JobId) -> Tally:
        """The same from the rows themselves."""
        row = await self._database.read(lambda connection: need_job(connection, job))
        counting = await recounted(self._database, row.number)
        kept = await self._database.read(lambda connection: counters(connection, row.number))
        for name, value in untold(kept).items():
            counting.changes[name] = value
        return tally_of(counting.changes, cancelled=row.cancelled)


def counters(connection: sqlite3.Connection, job: int) -> dict[str, int]:
    """A job's counters by name."""
    return dict(connection.execute("SELECT name, value FROM counter WHERE job = ?", (job,)).fetchall())
