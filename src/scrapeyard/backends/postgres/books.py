"""What all books need: finding a job by its id, and adding to counters within the running transaction."""

from collections.abc import Mapping

import msgspec

from scrapeyard.backends.admission import no_job
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.postgres.connection import Connection, Record
from scrapeyard.backends.rows import JobRow, decode_job
from scrapeyard.model.job import Job

_SHARDS = 16
"""Into how many a counter is split. A connection always writes the same one."""

_JOB = """
SELECT job.body, job.number, feed.loaded, feed.cursor FROM job JOIN feed ON feed.job = job.number WHERE job.id = $1
"""
_COUNT = """
INSERT INTO counter (job, shard, name, value)
SELECT job, $4, name, value FROM unnest($1::integer[], $2::text[], $3::bigint[]) AS change (job, name, value)
ON CONFLICT (job, shard, name) DO UPDATE SET value = counter.value + excluded.value
"""

SELECT_ITEM = """
SELECT item.id, coalesce(item.key, item.name), item.inputs, standing.state, standing.epoch, standing.attempts,
       standing.crashes, standing.losses, standing.kind, standing.not_before, standing.changed, standing.reading,
       standing.rung, standing.strikes, hold.changed AS held_since, hold.worker, attempt.result
FROM item
LEFT JOIN standing ON standing.id = item.id
LEFT JOIN hold ON hold.id = item.id
LEFT JOIN attempt ON attempt.job = standing.job AND attempt.id = standing.last AND attempt.epoch = standing.epoch
"""
"""An item with everything that is known of it. A result of an older epoch is not the item's any more."""


async def find_job(connection: Connection, job: str) -> JobRow | None:
    """The job's row, if it is here."""
    return _job_row(await connection.fetchrow(_JOB, job))


async def need_job(connection: Connection, job: str) -> JobRow:
    """The job's row, or `NotFound`."""
    return _needed(await find_job(connection, job), job)


async def lock_job(connection: Connection, job: str) -> JobRow | None:
    """The job's row, if it is here, and nobody else may change it until this transaction ends."""
    return _job_row(await connection.fetchrow(_JOB + "FOR UPDATE", job))


async def need_locked_job(connection: Connection, job: str) -> JobRow:
    """The same, or `NotFound`."""
    return _needed(await lock_job(connection, job), job)


async def keep_job(connection: Connection, row: JobRow, job: Job) -> Job:
    """Replace what is stored of a job."""
    await connection.execute(
        "UPDATE job SET state = $1, body = $2 WHERE number = $3", job.state.value, msgspec.json.encode(job), row.number
    )
    return job


async def count(connection: Connection, countings: Mapping[int, Counting]) -> None:
    """Add noted changes to the counters of jobs, together with the items that they count.

    Everybody takes the rows in the same order, so nobody waits for somebody who waits for them.
    """
    changes = sorted(
        (job, name, change)
        for job, counting in countings.items()
        for name, change in counting.changes.items()
        if change
    )
    if changes:
        await connection.execute(_COUNT, *map(list, zip(*changes, strict=True)), connection.get_server_pid() % _SHARDS)


def _job_row(row: Record | None) -> JobRow | None:
    return JobRow(decode_job(row[0]), *row[1:]) if row else None


def _needed(row: JobRow | None, job: str) -> JobRow:
    if row is None:
        raise no_job(job)
    return row
