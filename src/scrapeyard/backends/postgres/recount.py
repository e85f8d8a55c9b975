"""Counting a job's items one by one, to be held against its counters. Long reading, done in short steps.

Every row is looked at, also those that nothing ever happened to: a counter can be wrong, and so can an index.
"""

from scrapeyard.backends.counting import Counting, Standing
from scrapeyard.backends.ids import end_of, joined
from scrapeyard.backends.postgres.connection import Database
from scrapeyard.model.states import VisitState

_STEP = 10_000
"""Items in one step, which take about 20 ms."""

_ITEMS = """
SELECT count(*), coalesce(sum(records), 0)::bigint, count(*) FILTER (WHERE reading = 'unreadable'), shown, kind
FROM (
    SELECT
        CASE
            WHEN hold.id IS NULL THEN coalesce(standing.state, 'waiting')
            WHEN hold.worker IS NULL THEN 'offered'
            ELSE 'running'
        END AS shown,
        standing.kind, standing.records, standing.reading
    FROM item
    LEFT JOIN standing ON standing.id = item.id
    LEFT JOIN hold ON hold.id = item.id
    WHERE item.id >= $1 AND item.id < $2
) AS looked
GROUP BY shown, kind
"""
_ATTEMPTS = """
SELECT count(told), coalesce(sum(ms), 0)::bigint, coalesce(sum(requests), 0)::bigint,
       coalesce(sum(wire_bytes), 0)::bigint, coalesce(sum(cost_micros), 0)::bigint, max(id)
FROM (SELECT * FROM attempt WHERE job = $1 AND id > $2 ORDER BY id LIMIT $3) AS looked
"""
_SUMS = ("attempts", "busy_ms", "requests", "wire_bytes", "cost_micros")
_END = "SELECT max(id) FROM item WHERE id >= $1 AND id < $2"


async def recounted(database: Database, job: int) -> Counting:
    """Everything that can be counted from the rows."""
    counting = Counting()
    first, end = joined(job, 0), end_of(job)
    ((last,),) = await database.ask(_END, first, end)
    while last is not None and first <= last:
        for items, records, unreadable, state, kind in await database.ask(_ITEMS, first, min(first + _STEP, end)):
            counting.changes["loaded"] += items
            counting.counted(Standing(VisitState(state), kind), items)
            counting.changes["records"] += records
            counting.changes["unreadable"] += unreadable
        first += _STEP
    after: int | None = -1
    while after is not None:
        ((*sums, after),) = await database.ask(_ATTEMPTS, job, after, _STEP)
        counting.changes.update(dict(zip(_SUMS, sums, strict=True)))
    return counting
