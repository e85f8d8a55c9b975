"""Putting final items back to waiting, however many there are, without keeping anybody waiting meanwhile.

It goes through the job in steps of items: a step is read, then written in a transaction of its own that passes
over whatever has changed since. A step that was written is done for good, because its items are no longer final;
so a redrive that was cut off is finished by asking for it again. An item is met once, also when it runs and fails
anew before the last step is reached.
"""

from collections.abc import AsyncIterator, Sequence

import msgspec

from scrapeyard.backends.admission import redriven
from scrapeyard.backends.counting import Counting, standing
from scrapeyard.backends.ids import joined
from scrapeyard.backends.postgres.books import SELECT_ITEM, count, keep_job, need_job, need_locked_job
from scrapeyard.backends.postgres.connection import Connection, Database
from scrapeyard.backends.postgres.names import name_of
from scrapeyard.backends.rows import JobRow, item_of
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.job import JobId
from scrapeyard.model.states import VisitState

_STEP = 2_000
"""Items in one step, so that its transaction stays short."""

_TROUBLE = frozenset({VisitState.FAILED, VisitState.UNCERTAIN})

_FINAL = SELECT_ITEM + "WHERE standing.id >= $1 AND standing.id < $2 AND standing.state NOT IN ('waiting', 'held')"
_TROUBLED = SELECT_ITEM + "WHERE standing.id >= $1 AND standing.id < $2 AND standing.state IN ('failed', 'uncertain')"
_BY_NAME = SELECT_ITEM + "WHERE item.job = $1 AND item.name = ANY($2::bytea[])"

_RENEW = """
UPDATE standing
SET state = 'waiting', epoch = standing.epoch + 1, attempts = 0, crashes = 0, losses = 0, rung = 0, strikes = 0,
    kind = NULL, reading = 'none', records = 0, not_before = $4, changed = $4
FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS picked (id, epoch, state)
WHERE standing.id = picked.id AND standing.epoch = picked.epoch AND standing.state = picked.state
RETURNING standing.id
"""


async def redrive(database: Database, job: JobId, selection: Selection, *, now: float, dry_run: bool) -> int:
    """Renew what the selection picks; gives how many items that were."""
    book = await database.read(lambda connection: need_job(connection, job))
    wanted = redriven(book.job, selection)
    total = 0
    async for items in _steps(database, book, wanted):
        picked = [item for item in items if item.state in wanted.states and wanted.picks(item)]
        if picked and not dry_run:
            first = total == 0
            total += await database.write(
                lambda connection, picked=picked, first=first: _renew(connection, job, picked, first, now)
            )
        else:
            total += len(picked)
    return total


async def _steps(database: Database, book: JobRow, wanted: Selection) -> AsyncIterator[list[Item]]:
    """The items among which the selection may pick, in pages."""
    if wanted.keys:
        names = sorted(name_of(key.encode(errors="surrogatepass")) for key in wanted.keys)
        for start in range(0, len(names), _STEP):
            rows = await database.ask(_BY_NAME, book.number, names[start : start + _STEP])
            yield [item_of(book, tuple(row)) for row in rows]
        return
    statement = _TROUBLED if wanted.states <= _TROUBLE else _FINAL
    end = joined(book.number, book.loaded)
    for start in range(joined(book.number, 0), end, _STEP):
        yield [item_of(book, tuple(row)) for row in await database.ask(statement, start, min(start + _STEP, end))]


async def _renew(connection: Connection, job: JobId, picked: Sequence[Item], first: bool, now: float) -> int:
    """Write one step. An item that another redrive took meanwhile has a newer epoch, and is left alone."""
    book = await need_locked_job(connection, job)
    redriven(book.job, Selection())
    chosen = {joined(book.number, item.seq): item for item in picked}
    epochs, states = [item.epoch for item in chosen.values()], [item.state.value for item in chosen.values()]
    renewed = await connection.fetch(_RENEW, list(chosen), epochs, states, now)
    counting = Counting()
    for row in renewed:
        item = chosen[row[0]]
        was = standing(item.state, item.kind, item.records, item.reading)
        counting.replaced(was, msgspec.structs.replace(was, state=VisitState.WAITING, records=0, unreadable=False))
    if first and renewed:
        await keep_job(connection, book, msgspec.structs.replace(book.job, epoch=book.job.epoch + 1))
    await count(connection, {book.number: counting})
    return len(renewed)
