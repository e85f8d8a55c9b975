"""The book of items, in PostgreSQL. A list comes in by COPY, which is several times as quick as inserting."""

from collections.abc import Callable, Sequence
from itertools import count as counting_from

import msgspec

from scrapeyard.backends.admission import check_items, check_loading
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.ids import end_of, joined
from scrapeyard.backends.portions import portions
from scrapeyard.backends.postgres.books import SELECT_ITEM, count, find_job, keep_job, need_job, need_locked_job
from scrapeyard.backends.postgres.connection import Connection, Database
from scrapeyard.backends.postgres.names import name_of, rest_of
from scrapeyard.backends.postgres.redrive import redrive
from scrapeyard.backends.postgres.trouble import DOUBLE
from scrapeyard.backends.rows import JobRow, decode_attempt, item_of
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.item import Added, Item, NewItem, Selection
from scrapeyard.model.job import JobId

_PORTION = 10_000
_PORTION_BYTES = 4_000_000
"""What is added in one transaction, so that it stays short and others have their turn in between."""

_COLUMNS = ("id", "job", "name", "inputs", "key")

_PAGE = "WHERE item.id > $1 AND item.id < $2 ORDER BY item.id LIMIT $3"
_BY_NAME = "WHERE item.job = $1 AND item.name = $2"
_TROUBLE = """
WHERE item.id IN (
    SELECT id FROM standing WHERE state IN ('failed', 'uncertain') AND id > $1 AND id < $2 ORDER BY id LIMIT $3
)
ORDER BY item.id
"""
_TROUBLE_OF_KIND = """
WHERE item.id IN (
    SELECT id FROM standing
    WHERE state IN ('failed', 'uncertain') AND job = $4 AND kind = $5 AND id > $1 AND id < $2 ORDER BY id LIMIT $3
)
ORDER BY item.id
"""
_RUNNING = """
WHERE item.id IN (SELECT id FROM hold WHERE worker IS NOT NULL AND id > $1 AND id < $2 ORDER BY id LIMIT $3)
ORDER BY item.id
"""
_HISTORY = """
WITH RECURSIVE past (job, id, earlier, told) AS (
    SELECT attempt.job, attempt.id, attempt.earlier, attempt.told
    FROM standing JOIN attempt ON attempt.job = standing.job AND attempt.id = standing.last WHERE standing.id = $1
    UNION ALL
    SELECT attempt.job, attempt.id, attempt.earlier, attempt.told
    FROM past JOIN attempt ON attempt.job = past.job AND attempt.id = past.earlier
)
SELECT told FROM past WHERE told IS NOT NULL ORDER BY id
"""
_KNOWN = "SELECT name FROM item WHERE job = $1 AND name = ANY($2::bytea[])"

Rows = dict[bytes, tuple[bytes, bytes | None]]
"""New items by name: their inputs, and the whole key where the name does not tell it."""


class PostgresItems:
    """Fulfils `scrapeyard.ports.items.ItemBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Append the items whose keys are new."""
        check_loading((await self._database.read(lambda connection: need_job(connection, job))).job)
        check_items(items)
        accepted = 0
        for portion in portions(items, _PORTION, _PORTION_BYTES):
            accepted += await self._database.write(_Appending(job, portion).work, harmless=True)
        return Added(accepted, len(items) - accepted)

    async def seal(self, job: JobId) -> int:
        """Fix the total."""

        async def work(connection: Connection) -> int:
            book = await need_locked_job(connection, job)
            if book.job.total is None:
                await keep_job(connection, book, msgspec.structs.replace(book.job, total=book.loaded))
            return book.loaded

        return await self._database.write(work, harmless=True)

    async def get(self, job: JobId, key: str) -> Item | None:
        """One item by its key."""
        try:
            name = name_of(key.encode())
        except UnicodeEncodeError:
            return None
        found = await self._some(job, _BY_NAME, lambda book: (book.number, name))
        return found[0] if found else None

    async def page(self, job: JobId, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Items in order of `seq`."""
        return await self._some(job, _PAGE, lambda book: (*_span(book, after), limit))

    async def trouble(self, job: JobId, kind: str | None = None, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Failed and uncertain items in order of `seq`."""
        if kind is None:
            return await self._some(job, _TROUBLE, lambda book: (*_span(book, after), limit))
        return await self._some(job, _TROUBLE_OF_KIND, lambda book: (*_span(book, after), limit, book.number, kind))

    async def running(self, job: JobId, *, limit: int = 100) -> list[Item]:
        """Items that hold a lease."""
        return await self._some(job, _RUNNING, lambda book: (*_span(book, -1), limit))

    async def attempts(self, job: JobId, seq: int) -> list[Attempt]:
        """Every recorded try of one item."""

        async def work(connection: Connection) -> list[Attempt]:
            book = await find_job(connection, job)
            if book is None or not 0 <= seq < book.loaded:
                return []
            rows = await connection.fetch(_HISTORY, joined(book.number, seq))
            return [decode_attempt(row[0]) for row in rows]

        return await self._database.read(work)

    async def redrive(self, job: JobId, selection: Selection, *, now: float, dry_run: bool = False) -> int:
        """Put the selected final items back to waiting, in a new epoch."""
        return await redrive(self._database, job, selection, now=now, dry_run=dry_run)

    async def _some(self, job: JobId, where: str, parameters: Callable[[JobRow], tuple[object, ...]]) -> list[Item]:
        async def work(connection: Connection) -> list[Item]:
            book = await find_job(connection, job)
            if book is None:
                return []
            rows = await connection.fetch(SELECT_ITEM + where, *parameters(book))
            return [item_of(book, tuple(row)) for row in rows]

        return await self._database.read(work)


def _span(book: JobRow, after: int) -> tuple[int, int]:
    """The ids between which the job's items lie that have a `seq` above `after`."""
    return joined(book.number, max(after, -1)), end_of(book.number)


class _Appending:
    """A portion on its way in. It may have to try twice, and then must know what came of the first time."""

    def __init__(self, job: JobId, items: Sequence[NewItem]) -> None:
        self._job = job
        self._items = items
        self._sent: tuple[int, Rows] | None = None

    async def work(self, connection: Connection) -> int:
        """Add what is new, and count the rest as duplicates; gives how many were new."""
        book = await need_locked_job(connection, self._job)
        check_loading(book.job)
        if self._sent is not None and await _has(connection, *self._sent):
            return len(self._sent[1])
        new: Rows = {}
        for item in self._items:
            key = item.key.encode()
            new.setdefault(name_of(key), (item.inputs, rest_of(key)))
        try:
            async with connection.transaction():
                await _copy(connection, book, new)
        except DOUBLE:  # most lists have no item twice, so we look only when one turns up
            for row in await connection.fetch(_KNOWN, book.number, list(new)):
                del new[row[0]]
            await _copy(connection, book, new)
        await connection.execute("UPDATE feed SET loaded = loaded + $1 WHERE job = $2", len(new), book.number)
        counting = Counting()
        counting.loaded(len(new), len(self._items) - len(new))
        await count(connection, {book.number: counting})
        self._sent = joined(book.number, book.loaded), new
        return len(new)


async def _copy(connection: Connection, book: JobRow, items: Rows) -> None:
    ids = counting_from(joined(book.number, book.loaded))
    rows = ((next(ids), book.number, name, *rest) for name, rest in items.items())
    await connection.copy_records_to_table("item", records=rows, columns=_COLUMNS)


async def _has(connection: Connection, first: int, items: Rows) -> bool:
    """Whether these items were added from that id on."""
    found = await connection.fetchval("SELECT name FROM item WHERE id = $1", first)
    return found is not None and found == next(iter(items), None)
