"""The book of items, in SQLite."""

import sqlite3
from collections.abc import Callable, Sequence
from itertools import count as counting_from
from itertools import repeat

import msgspec

from scrapeyard.backends.admission import check_items, check_loading
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.ids import end_of, joined
from scrapeyard.backends.portions import portions
from scrapeyard.backends.rows import JobRow, decode_attempt, item_of
from scrapeyard.backends.sqlite.books import SELECT_ITEM, count, find_job, keep_job, need_job
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.backends.sqlite.redrive import redrive
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.item import Added, Item, NewItem, Selection
from scrapeyard.model.job import JobId

_Parameters = Callable[[JobRow], tuple[object, ...]]

_PORTION = 5_000
_PORTION_BYTES = 1_000_000
"""What is added in one transaction, so that it stays short and others have their turn in between."""

_TROUBLE = """
WHERE item.id IN (
    SELECT id FROM standing INDEXED BY standing_trouble
    WHERE state IN ('failed', 'uncertain') AND id > ? AND id < ? ORDER BY id LIMIT ?
)
ORDER BY item.id
"""
_TROUBLE_OF_KIND = """
WHERE item.id IN (
    SELECT id FROM standing INDEXED BY standing_kind
    WHERE state IN ('failed', 'uncertain') AND job = ? AND kind = ? AND id > ? AND id < ? ORDER BY id LIMIT ?
)
ORDER BY item.id
"""
_RUNNING = """
WHERE item.id IN (
    SELECT id FROM hold NOT INDEXED WHERE worker IS NOT NULL AND id >= ? AND id < ? ORDER BY id LIMIT ?
)
ORDER BY item.id
"""
_HISTORY = """
WITH RECURSIVE past (id, earlier, told) AS (
    SELECT attempt.id, attempt.earlier, attempt.told
    FROM standing JOIN attempt ON attempt.id = standing.last WHERE standing.id = ?
    UNION ALL
    SELECT attempt.id, attempt.earlier, attempt.told FROM past JOIN attempt ON attempt.id = past.earlier
)
SELECT told FROM past WHERE told IS NOT NULL ORDER BY id
"""


class SqliteItems:
    """Fulfils `scrapeyard.ports.items.ItemBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Append the items whose keys are new."""
        await self._database.read(lambda connection: check_loading(need_job(connection, job).job))
        check_items(items)
        accepted = 0
        for portion in portions(items, _PORTION, _PORTION_BYTES):
            accepted += await self._database.write(
                lambda connection, portion=portion: _append(connection, job, portion)
            )
        return Added(accepted, len(items) - accepted)

    async def seal(self, job: JobId) -> int:
        """Fix the total."""

        def work(connection: sqlite3.Connection) -> int:
            book = need_job(connection, job)
            if book.job.total is None:
                keep_job(connection, book, msgspec.structs.replace(book.job, total=book.loaded))
            return book.loaded

        return await self._database.write(work)

    async def get(self, job: JobId, key: str) -> Item | None:
        """One item by its key."""
        try:
            key.encode()
        except UnicodeEncodeError:
            return None

        def work(connection: sqlite3.Connection) -> Item | None:
            book = find_job(connection, job)
            if book is None:
                return None
            row = connection.execute(SELECT_ITEM + "WHERE item.job = ? AND item.key = ?", (book.number, key)).fetchone()
            return item_of(book, row) if row else None

        return await self._database.read(work)

    async def page(self, job: JobId, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Items in order of `seq`."""
        where = "WHERE item.id > ? AND item.id < ? ORDER BY item.id LIMIT ?"
        return await self._some(job, where, lambda book: (*_span(book, after), limit))

    async def trouble(self, job: JobId, kind: str | None = None, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Failed and uncertain items in order of `seq`."""
        if kind is None:
            return await self._some(job, _TROUBLE, lambda book: (*_span(book, after), limit))
        return await self._some(job, _TROUBLE_OF_KIND, lambda book: (book.number, kind, *_span(book, after), limit))

    async def running(self, job: JobId, *, limit: int = 100) -> list[Item]:
        """Items that hold a lease."""
        return await self._some(job, _RUNNING, lambda book: (*_span(book, -1), limit))

    async def attempts(self, job: JobId, seq: int) -> list[Attempt]:
        """Every recorded try of one item."""

        def work(connection: sqlite3.Connection) -> list[Attempt]:
            book = find_job(connection, job)
            if book is None or not 0 <= seq < book.loaded:
                return []
            rows = connection.execute(_HISTORY, (joined(book.number, seq),))
            return [decode_attempt(told) for (told,) in rows]

        return await self._database.read(work)

    async def redrive(self, job: JobId, selection: Selection, *, now: float, dry_run: bool = False) -> int:
        """Put the selected final items back to waiting, in a new epoch."""
        return await redrive(self._database, job, selection, now=now, dry_run=dry_run)

    async def _some(self, job: JobId, where: str, parameters: _Parameters) -> list[Item]:
        def work(connection: sqlite3.Connection) -> list[Item]:
            book = find_job(connection, job)
            if book is None:
                return []
            rows = connection.execute(SELECT_ITEM + where, parameters(book))
            return [item_of(book, row) for row in rows]

        return await self._database.read(work)


def _span(book: JobRow, after: int) -> tuple[int, int]:
    """The ids between which the job's items lie that have a `seq` above `after`."""
    return joined(book.number, max(after, -1)), end_of(book.number)


def _append(connection: sqlite3.Connection, job: JobId, items: Sequence[NewItem]) -> int:
    """Add what is new, and count the rest as duplicates. Most lists have none, so we look only when one turns up."""
    book = need_job(connection, job)
    check_loading(book.job)
    inputs: dict[str, bytes] = {}
    for item in items:
        inputs.setdefault(item.key, item.inputs)
    connection.execute("SAVEPOINT portion")
    try:
        _insert(connection, book, inputs)
    except sqlite3.IntegrityError:
        connection.execute("ROLLBACK TO portion")
        inputs = {key: value for key, value in inputs.items() if not _is_known(connection, book, key)}
        _insert(connection, book, inputs)
    finally:
        if connection.in_transaction:
            connection.execute("RELEASE portion")
    connection.execute("UPDATE job SET loaded = loaded + ? WHERE number = ?", (len(inputs), book.number))
    counting = Counting()
    counting.loaded(len(inputs), len(items) - len(inputs))
    count(connection, book.number, counting)
    return len(inputs)


def _insert(connection: sqlite3.Connection, book: JobRow, inputs: dict[str, bytes]) -> None:
    connection.executemany(
        "INSERT INTO item (id, job, key, inputs) VALUES (?, ?, ?, ?)",
        zip(
            counting_from(joined(book.number, book.loaded)),
            repeat(book.number),
            inputs.keys(),
            inputs.values(),
            strict=False,
        ),
    )


def _is_known(connection: sqlite3.Connection, book: JobRow, key: str) -> bool:
    found = connection.execute("SELECT 1 FROM item WHERE job = ? AND key = ?", (book.number, key))
    return found.fetchone() is not None
