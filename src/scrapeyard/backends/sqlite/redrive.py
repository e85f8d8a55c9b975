"""Putting final items back to waiting, however many there are, without keeping anybody waiting meanwhile.

It goes through the job in steps of items: a step is read, then written in short transactions that pass over
whatever has changed since. What was written is done for good, because its items are no longer final;
so a redrive that was cut off is finished by asking for it again. An item is met once, also when it runs and fails
anew before the last step is reached.
"""

import sqlite3
from collections.abc import AsyncIterator, Sequence

import msgspec

from scrapeyard.backends.admission import redriven
from scrapeyard.backends.counting import Counting, standing
from scrapeyard.backends.ids import joined
from scrapeyard.backends.rows import JobRow, item_of
from scrapeyard.backends.sqlite.books import SELECT_ITEM, count, keep_job, need_job
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.job import JobId
from scrapeyard.model.states import VisitState

_STEP = 2_000
"""Items that are read at once."""
_WRITE = 400
"""Items that are written at once: a transaction of about 10 ms."""

_TROUBLE = frozenset({VisitState.FAILED, VisitState.UNCERTAIN})

_FINAL = SELECT_ITEM + "WHERE standing.id >= ? AND standing.id < ? AND standing.state NOT IN ('waiting', 'held')"
_TROUBLED = (
    SELECT_ITEM.replace("FROM item\nLEFT JOIN standing ON", "FROM standing INDEXED BY standing_trouble\nJOIN item ON")
    + "WHERE standing.id >= ? AND standing.id < ? AND standing.state IN ('failed', 'uncertain')"
)
_BY_KEY = SELECT_ITEM + "WHERE item.job = ? AND item.key = ?"

_RENEW = """
UPDATE standing
SET state = 'waiting', epoch = epoch + 1, attempts = 0, crashes = 0, losses = 0, rung = 0, strikes = 0,
    kind = NULL, reading = 'none', records = 0, not_before = ?, changed = ?
WHERE id = ? AND epoch = ? AND state = ?
"""


async def redrive(database: Database, job: JobId, selection: Selection, *, now: float, dry_run: bool) -> int:
    """Renew what the selection picks; gives how many items that were."""
    book = await database.read(lambda connection: need_job(connection, job))
    wanted = redriven(book.job, selection)
    total = 0
    async for items in _steps(database, book, wanted):
        picked = [item for item in items if item.state in wanted.states and wanted.picks(item)]
        if dry_run:
            total += len(picked)
            continue
        for start in range(0, len(picked), _WRITE):
            part, first = picked[start : start + _WRITE], total == 0
            total += await database.write(
                lambda connection, part=part, first=first: _renew(connection, job, part, first, now)
            )
    return total


async def _steps(database: Database, book: JobRow, wanted: Selection) -> AsyncIterator[list[Item]]:
    """The items among which the selection may pick, in pages."""
    if wanted.keys:
        keys = sorted(wanted.keys)
        for start in range(0, len(keys), _STEP):
            part = keys[start : start + _STEP]
            yield await database.read(lambda connection, part=part: _by_key(connection, book, part))
        return
    statement = _TROUBLED if wanted.states <= _TROUBLE else _FINAL
    end = joined(book.number, book.loaded)
    for start in range(joined(book.number, 0), end, _STEP):
        span = (start, min(start + _STEP, end))
        yield await database.read(
            lambda connection, span=span: [item_of(book, row) for row in connection.execute(statement, span)]
        )


def _by_key(connection: sqlite3.Connection, book: JobRow, keys: Sequence[str]) -> list[Item]:
    rows = (connection.execute(_BY_KEY, (book.number, key)).fetchone() for key in keys)
    return [item_of(book, row) for row in rows if row is not None]


def _renew(connection: sqlite3.Connection, job: JobId, picked: Sequence[Item], first: bool, now: float) -> int:
    """Write one step. An item that another redrive took meanwhile has a newer epoch, and is left alone."""
    book = need_job(connection, job)
    redriven(book.job, Selection())
    counting = Counting()
    renewed = 0
    for item in picked:
        guard = (joined(book.number, item.seq), item.epoch, item.state.value)
        if connection.execute(_RENEW, (now, now, *guard)).rowcount:
            was = standing(item.state, item.kind, item.records, item.reading)
            counting.replaced(was, msgspec.structs.replace(was, state=VisitState.WAITING, records=0, unreadable=False))
            renewed += 1
    if first and renewed:
        keep_job(connection, book, msgspec.structs.replace(book.job, epoch=book.job.epoch + 1))
    count(connection, book.number, counting)
    return renewed
