"""Counting a job's items one by one, to be held against its counters. Long reading, done in short steps.

Every row is looked at, also those that nothing ever happened to: a counter can be wrong, and so can an index.
"""

import sqlite3

from scrapeyard.backends.counting import Counting, Standing
from scrapeyard.backends.ids import end_of, joined
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.model.states import VisitState

_STEP = 10_000
"""Items in one step, which take about 10 ms."""

_ITEMS = """
SELECT count(*), coalesce(sum(records), 0), coalesce(sum(reading = 'unreadable'), 0), shown, kind
FROM (
    SELECT
        CASE
            WHEN hold.id IS NOT NULL THEN iif(hold.worker IS NULL, 'offered', 'running')
            ELSE coalesce(standing.state, 'waiting')
        END AS shown,
        standing.kind, standing.records, standing.reading
    FROM item
    LEFT JOIN standing ON standing.id = item.id
    LEFT JOIN hold ON hold.id = item.id
    WHERE item.id >= ? AND item.id < ?
)
GROUP BY shown, kind
"""
_ATTEMPTS = """
SELECT count(told), coalesce(sum(ms), 0), coalesce(sum(requests), 0), coalesce(sum(wire_bytes), 0),
       coalesce(sum(cost_micros), 0)
FROM attempt WHERE id >= ? AND id < ?
"""
_SUMS = ("attempts", "busy_ms", "requests", "wire_bytes", "cost_micros")


async def recounted(database: Database, job: int) -> Counting:
    """Everything that can be counted from the rows."""
    counting = Counting()
    end = await database.read(lambda connection: _ends(connection, job))
    for first in range(joined(job, 0), end[0], _STEP):
        await _step_of_items(database, counting, first, min(first + _STEP, end[0]))
    for first in range(joined(job, 0), end[1], _STEP):
        await _step_of_attempts(database, counting, first, min(first + _STEP, end[1]))
    return counting


async def _step_of_items(database: Database, counting: Counting, first: int, end: int) -> None:
    rows = await database.read(lambda connection: connection.execute(_ITEMS, (first, end)).fetchall())
    for items, records, unreadable, state, kind in rows:
        counting.changes["loaded"] += items
        counting.counted(Standing(VisitState(state), kind), items)
        counting.changes["records"] += records
        counting.changes["unreadable"] += unreadable


async def _step_of_attempts(database: Database, counting: Counting, first: int, end: int) -> None:
    row = await database.read(lambda connection: connection.execute(_ATTEMPTS, (first, end)).fetchone())
    counting.changes.update(dict(zip(_SUMS, row, strict=True)))


def _ends(connection: sqlite3.Connection, job: int) -> tuple[int, int]:
    """Behind the job's last item, and behind its last attempt."""
    span = (joined(job, 0), end_of(job))
    item = connection.execute("SELECT id FROM item WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", span).fetchone()
    attempt = connection.execute(
        "SELECT id FROM attempt WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", span
    ).fetchone()
    return (item[0] + 1 if item else span[0], attempt[0] + 1 if attempt else span[0])
