"""The dispatcher's side, in memory."""

import heapq
from collections.abc import Sequence

from scrapeyard.backends.counting import Counting
from scrapeyard.backends.memory.state import Book, Hold, Row, State
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.order import Permutation
from scrapeyard.model.policy import Order
from scrapeyard.model.states import VisitState


class MemoryOffers:
    """Fulfils `scrapeyard.ports.offers.OfferBook`."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def offer(self, job: JobId, limit: int, *, now: float, until: float, again: int | None = None) -> list[Offer]:
        """Offer due retries, then fresh items."""
        book = self._state.books.get(job)
        if book is None or book.cancelled or book.job.total is None:
            return []
        rows: list[Row] = []
        most = limit if again is None else min(limit, again)
        while len(rows) < most and book.again and book.again[0][0] <= now:
            rows.append(book.rows[heapq.heappop(book.again)[1]])
        rows.extend(_fresh(book, book.job.total, limit - len(rows)))
        return _offered(book, rows, now, until)

    async def sample(self, job: JobId, seqs: Sequence[int], *, now: float, until: float) -> list[Offer]:
        """Offer out of turn."""
        book = self._state.books.get(job)
        if book is None or book.cancelled or book.job.total is None or book.job.policy.order is not Order.LIST:
            return []
        fresh = range(book.cursor, len(book.rows))
        taken = [seq for seq in dict.fromkeys(seqs) if seq in fresh and seq not in book.ahead]
        book.ahead.update(taken)
        return _offered(book, [book.rows[seq] for seq in taken], now, until)

    async def withdraw(self, job: JobId, *, now: float) -> int:
        """Take back what no worker has taken."""
        book = self._state.books.get(job)
        return _take_back(book, _untaken(book), now) if book else 0

    async def sweep(self, *, now: float) -> int:
        """Take back what has expired."""
        return sum(
            _take_back(book, [seq for seq in _untaken(book) if book.holds[seq].offer.until <= now], now)
            for book in self._state.books.values()
        )

    async def next_due(self, job: JobId) -> float | None:
        """When the earliest retry may start."""
        book = self._state.books.get(job)
        return book.again[0][0] if book and book.again else None

    async def fresh(self, job: JobId) -> int:
        """How many items were never offered."""
        book = self._state.books.get(job)
        return len(book.rows) - book.cursor - len(book.ahead) if book else 0


def _fresh(book: Book, total: int, count: int) -> list[Row]:
    """The next items in the job's own order."""
    order = Permutation(total, book.job.order_key, book.job.policy.order)
    found: list[Row] = []
    while len(found) < count and (window := order.window(book.cursor, count - len(found))):
        book.cursor += len(window)
        found += [book.rows[seq] for seq in window if seq not in book.ahead]
        book.ahead.difference_update(window)
    return found


def _offered(book: Book, rows: Sequence[Row], now: float, until: float) -> list[Offer]:
    counting = Counting()
    counting.moved(VisitState.WAITING, VisitState.OFFERED, len(rows))
    book.apply(counting)
    return [_offer(book, row, now, until) for row in rows]


def _offer(book: Book, row: Row, now: float, until: float) -> Offer:
    job = book.job
    row.state = VisitState.OFFERED
    row.changed = now
    offer = Offer(
        job=job.id,
        seq=row.seq,
        key=row.key,
        inputs=row.inputs,
        scraper=job.scraper,
        epoch=row.epoch,
        attempt=row.attempts + 1,
        until=until,
        lane=job.lane,
        crashes=row.crashes,
        losses=row.losses,
        last_kind=row.kind,
        deadline=job.policy.deadline,
        repeatable=job.repeatable,
        rung=row.rung,
        strikes=row.strikes,
    )
    book.holds[row.seq] = Hold(offer)
    return offer


def _untaken(book: Book) -> list[int]:
    return [seq for seq, hold in book.holds.items() if hold.worker is None]


def _take_back(book: Book, seqs: list[int], now: float) -> int:
    for seq in seqs:
        book.take_back(seq, now)
    counting = Counting()
    counting.moved(VisitState.OFFERED, VisitState.WAITING, len(seqs))
    book.apply(counting)
    return len(seqs)
