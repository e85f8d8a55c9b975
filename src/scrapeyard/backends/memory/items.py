"""The book of items, in memory."""

from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from scrapeyard.backends.admission import check_items, check_loading, redriven
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.memory.state import Book, Row, State
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.item import Added, Item, NewItem, Selection
from scrapeyard.model.job import JobId
from scrapeyard.model.states import ReadingState, VisitState

_TROUBLE = frozenset({VisitState.FAILED, VisitState.UNCERTAIN})


class MemoryItems:
    """Fulfils `scrapeyard.ports.items.ItemBook`."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def add(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Append the items whose keys are new."""
        book = self._state.book(job)
        check_loading(book.job)
        check_items(items)
        before = len(book.rows)
        for item in items:
            if item.key not in book.keys:
                book.keys[item.key] = len(book.rows)
                book.rows.append(Row(len(book.rows), item.key, item.inputs))
        accepted = len(book.rows) - before
        counting = Counting()
        counting.loaded(accepted, len(items) - accepted)
        book.apply(counting)
        return Added(accepted, len(items) - accepted)

    async def seal(self, job: JobId) -> int:
        """Fix the total."""
        book = self._state.book(job)
        if book.job.total is None:
            book.job = msgspec.structs.replace(book.job, total=len(book.rows))
        return len(book.rows)

    async def get(self, job: JobId, key: str) -> Item | None:
        """One item by its key."""
        book = self._state.books.get(job)
        if book is None or key not in book.keys:
            return None
        return book.item(book.rows[book.keys[key]])

    async def page(self, job: JobId, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Items in order of `seq`."""
        book = self._state.books.get(job)
        return _page(book, book.rows[after + 1 : after + 1 + limit] if book else (), limit)

    async def trouble(self, job: JobId, kind: str | None = None, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Failed and uncertain items in order of `seq`."""
        book = self._state.books.get(job)
        rows = book.rows[after + 1 :] if book else ()
        return _page(book, (row for row in rows if row.state in _TROUBLE and kind in (None, row.kind)), limit)

    async def running(self, job: JobId, *, limit: int = 100) -> list[Item]:
        """Items that hold a lease."""
        book = self._state.books.get(job)
        held = (book.rows[seq] for seq in sorted(book.holds)) if book else ()
        return _page(book, (row for row in held if row.state is VisitState.RUNNING), limit)

    async def attempts(self, job: JobId, seq: int) -> list[Attempt]:
        """Every recorded try of one item."""
        book = self._state.books.get(job)
        return list(book.rows[seq].tries) if book and 0 <= seq < len(book.rows) else []

    async def redrive(self, job: JobId, selection: Selection, *, now: float, dry_run: bool = False) -> int:
        """Put the selected final items back to waiting, in a new epoch."""
        book = self._state.book(job)
        wanted = redriven(book.job, selection)
        picked = [row for row in book.rows if row.state in wanted.states and wanted.picks(book.item(row))]
        if dry_run or not picked:
            return len(picked)
        book.job = msgspec.structs.replace(book.job, epoch=book.job.epoch + 1)
        counting = Counting()
        for row in picked:
            was = row.standing()
            _renew(row, now)
            book.wait(row, now)
            counting.replaced(was, row.standing())
        book.apply(counting)
        return len(picked)


def _renew(row: Row, now: float) -> None:
    """Forget what the old epoch said of the item; its attempts stay on record."""
    row.epoch += 1
    row.attempts = row.crashes = row.losses = row.rung = row.strikes = 0
    row.kind = row.reason = row.records = None
    row.captures = ()
    row.reading = ReadingState.NONE
    row.changed = now


def _page(book: Book | None, rows: Iterable[Row], limit: int) -> list[Item]:
    return [book.item(row) for row in islice(rows, limit)] if book else []
