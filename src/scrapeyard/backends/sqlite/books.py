"""What all books need: finding a job by its id, and adding to its counters within the running transaction."""

import sqlite3
from collections.abc import Iterable

import msgspec

from scrapeyard.backends.admission import no_job
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.rows import JobRow, decode_job
from scrapeyard.model.job import Job, JobId

SELECT_ITEM = """
SELECT item.id, item.key, item.inputs, standing.state, standing.epoch, standing.attempts, standing.crashes,
       standing.losses, standing.kind, standing.not_before, standing.changed, standing.reading,
       standing.rung, standing.strikes, hold.changed, hold.worker, attempt.result
FROM item
LEFT JOIN standing ON standing.id = item.id
LEFT JOIN hold ON hold.id = item.id
LEFT JOIN attempt ON attempt.id = standing.last AND attempt.epoch = standing.epoch
"""
"""An item with everything that is known of it. A result of an older epoch is not the item's any more."""


def find_job(connection: sqlite3.Connection, job: str) -> JobRow | None:
    """The job's row, if it is here."""
    row = connection.execute("SELECT body, number, loaded, cursor FROM job WHERE id = ?", (job,)).fetchone()
    return JobRow(decode_job(row[0]), *row[1:]) if row else None


def need_job(connection: sqlite3.Connection, job: str) -> JobRow:
    """The job's row, or `NotFound`."""
    row = find_job(connection, job)
    if row is None:
        raise no_job(job)
    return row


def find_jobs(connection: sqlite3.Connection, jobs: Iterable[JobId]) -> dict[JobId, JobRow]:
    """The rows of those jobs that are here."""
    rows = {job: find_job(connection, job) for job in set(jobs)}
    return {job: row for job, row in rows.items() if row is not None}


def keep_job(connection: sqlite3.Connection, row: JobRow, job: Job) -> Job:
    """Replace what is stored of a job."""
    connection.execute(
        "UPDATE job SET state = ?, body = ? WHERE number = ?", (job.state.value, msgspec.json.encode(job), row.number)
    )
    return job


def count(connection: sqlite3.Connection, job: int, counting: Counting) -> None:
    """Add noted changes to a job's counters, together with the items that they count."""
    connection.executemany(
        "INSERT INTO counter (job, name, value) VALUES (?, ?, ?) "
        "ON CONFLICT (job, name) DO UPDATE SET value = value + excluded.value",
        [(job, name, change) for name, change in counting.changes.items() if change],
    )


def listed(values: Iterable[int]) -> str:
    """Numbers as one parameter, to be taken apart by `json_each`."""
    return msgspec.json.encode(list(values)).decode()
