"""The book of jobs, in PostgreSQL. A recount reads the items in steps of one statement each, and blocks nobody."""

from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_revision, starts
from scrapeyard.backends.counting import tally_of, untold
from scrapeyard.backends.postgres.books import find_job, keep_job, lock_job, need_job
from scrapeyard.backends.postgres.connection import Connection, Database
from scrapeyard.backends.postgres.recount import recounted
from scrapeyard.backends.rows import decode_job
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState

_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})
_DISTANT = float("inf")

_CREATE = """
WITH made AS (
    INSERT INTO job (id, name, state, created, body) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO NOTHING RETURNING number
)
INSERT INTO feed (job) SELECT number FROM made
"""
_FIND = "SELECT body FROM job WHERE created < $1 ORDER BY created DESC, number DESC LIMIT $2"
_FIND_AMONG = """
SELECT found.body FROM unnest($3::text[]) AS wanted (state), LATERAL (
    SELECT body, created, number FROM job
    WHERE job.state = wanted.state AND created < $1 ORDER BY created DESC, number DESC LIMIT $2
) AS found
ORDER BY found.created DESC, found.number DESC LIMIT $2
"""
_COUNTERS = "SELECT name, sum(value)::bigint FROM counter WHERE job = $1 GROUP BY name"


class PostgresJobs:
    """Fulfils `scrapeyard.ports.jobs.JobBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, job: Job) -> Job:
        """Write a job down, or give the one that is there."""

        async def work(connection: Connection) -> Job:
            body = msgspec.json.encode(job)
            await connection.execute(_CREATE, job.id, job.name, job.state.value, job.created, body)
            return (await need_job(connection, job.id)).job

        return await self._database.write(work, harmless=True)

    async def get(self, job: JobId) -> Job | None:
        """One job."""
        row = await self._database.read(lambda connection: find_job(connection, job))
        return row.job if row else None

    async def named(self, name: str) -> Job | None:
        """The newest job of that name."""
        statement = "SELECT body FROM job WHERE name = $1 ORDER BY created DESC, number DESC LIMIT 1"
        return next((decode_job(row[0]) for row in await self._database.ask(statement, name)), None)

    async def find(
        self, states: Sequence[JobState] = (), *, limit: int = 100, before: float | None = None
    ) -> list[Job]:
        """Jobs, newest first."""
        values: list[object] = [_DISTANT if before is None else before, max(0, limit)]
        if states:
            values.append([state.value for state in dict.fromkeys(states)])
        rows = await self._database.ask(_FIND_AMONG if states else _FIND, *values)
        return [decode_job(row[0]) for row in rows]

    async def advance(
        self, job: JobId, to: JobState, only_from: Sequence[JobState], *, now: float, reason: str | None = None
    ) -> Job | None:
        """Move a job, if it stands where it may be moved from."""
        allowed = starts(to, only_from)

        async def work(connection: Connection) -> Job | None:
            row = await lock_job(connection, job)
            if row is None or row.job.state not in allowed:
                return None
            finished = now if to in _ENDED else None
            moved = msgspec.structs.replace(row.job, state=to, reason=reason, changed=now, finished=finished)
            return await keep_job(connection, row, moved)

        return await self._database.write(work)

    async def revise(self, job: JobId, policy: Policy, *, scraper: ScraperRef | None = None) -> Job | None:
        """Change the policy of a live job."""

        async def work(connection: Connection) -> Job | None:
            row = await lock_job(connection, job)
            if row is None or row.job.state in _ENDED:
                return None
            check_revision(row.job, policy, begun=row.cursor > 0)
            pinned = scraper or row.job.scraper
            return await keep_job(connection, row, msgspec.structs.replace(row.job, policy=policy, scraper=pinned))

        return await self._database.write(work, harmless=True)

    async def tally(self, job: JobId) -> Tally:
        """The counters."""

        async def work(connection: Connection) -> Tally:
            row = await need_job(connection, job)
            return tally_of(await counters(connection, row.number), cancelled=row.cancelled)

        return await self._database.read(work)

    async def recount(self, job: JobId) -> Tally:
        """The same from the rows themselves."""
        row = await self._database.read(lambda connection: need_job(connection, job))
        counting = await recounted(self._database, row.number)
        kept = await self._database.read(lambda connection: counters(connection, row.number))
        counting.changes.update(untold(kept))
        return tally_of(counting.changes, cancelled=row.cancelled)


async def counters(connection: Connection, job: int) -> dict[str, int]:
    """A job's counters by name."""
    return {row[0]: row[1] for row in await connection.fetch(_COUNTERS, job)}
