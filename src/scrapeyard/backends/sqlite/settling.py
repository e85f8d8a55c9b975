"""Recording how leases end, in SQLite: outcome, references, attempt and counters in one transaction, each once."""

import sqlite3
from collections.abc import Sequence
from itertools import count as counting_from

from scrapeyard.backends.ids import end_of, joined
from scrapeyard.backends.settling import Extent, Known, Settling
from scrapeyard.backends.sqlite.books import count, find_jobs, listed
from scrapeyard.model.item import Settlement

_KNOWN = """
SELECT json_each.value, hold.fence, hold.epoch, standing.fence, standing.last, standing.records, standing.reading
FROM json_each(?)
LEFT JOIN hold ON hold.id = json_each.value AND hold.worker IS NOT NULL
LEFT JOIN standing ON standing.id = json_each.value
"""
_STAND = """
INSERT INTO standing (id, job, state, changed, kind, not_before, epoch, attempts, crashes, losses, reading, records,
                      fence, last, rung, strikes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, changed = excluded.changed, kind = excluded.kind,
    not_before = excluded.not_before, attempts = excluded.attempts, crashes = excluded.crashes,
    losses = excluded.losses, reading = excluded.reading, records = excluded.records, fence = excluded.fence,
    last = excluded.last, rung = excluded.rung, strikes = excluded.strikes
"""
_TRY = """
INSERT INTO attempt (id, item, earlier, epoch, ms, requests, wire_bytes, cost_micros, told, result)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def settle_all(connection: sqlite3.Connection, settlements: Sequence[Settlement], now: float) -> list[bool]:
    """Record those settlements that hold their item's lease; says which."""
    books = find_jobs(connection, (settlement.job for settlement in settlements))
    jobs = {job: Extent(book.number, book.loaded) for job, book in books.items()}
    wanted = {joined(jobs[one.job].number, one.seq) for one in settlements if one.job in jobs}
    known = {
        identity: Known((fence, epoch) if fence is not None else None, *stood)
        for identity, fence, epoch, *stood in connection.execute(_KNOWN, (listed(wanted),))
    }
    tries = {job.number: counting_from(_next_try(connection, job.number)) for job in jobs.values()}
    settling = Settling(jobs, known, now, lambda job: next(tries[job]))
    answers = settling.settle(settlements)
    connection.executemany("DELETE FROM hold WHERE id = ?", [(row[0],) for row in settling.stands])
    connection.executemany(_TRY, settling.tries)
    connection.executemany(_STAND, settling.stands)
    for job, counting in settling.countings().items():
        count(connection, job, counting)
    return answers


def _next_try(connection: sqlite3.Connection, job: int) -> int:
    """The id of the job's next attempt."""
    row = connection.execute(
        "SELECT id FROM attempt WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", (joined(job, 0), end_of(job))
    ).fetchone()
    return row[0] + 1 if row else joined(job, 0)
