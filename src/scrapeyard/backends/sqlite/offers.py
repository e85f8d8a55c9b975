"""The dispatcher's side, in SQLite.

Fresh items are not written when they are offered: the job's cursor moves, and one narrow row says that the
item is out. What an item is made of never changes, so it is read outside of the transaction.
"""

import sqlite3
from collections.abc import Callable, Sequence
from itertools import groupby

from scrapeyard.backends.counting import Counting
from scrapeyard.backends.ids import end_of, job_of, joined, place_of
from scrapeyard.backends.rows import HELD, JobRow
from scrapeyard.backends.sqlite.books import count, find_job, listed
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.backends.starting import Start, offer_of
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.order import Permutation
from scrapeyard.model.policy import Order
from scrapeyard.model.states import VisitState

_STEP = 1_000
"""Items that change hands in one transaction."""

_DUE = """
SELECT id, epoch, attempts, crashes, losses, kind, rung, strikes FROM standing INDEXED BY standing_due
WHERE job = ? AND state = 'waiting' AND not_before <= ? ORDER BY not_before, id LIMIT ?
"""
_AHEAD = """
SELECT id FROM standing NOT INDEXED WHERE id >= ? AND id < ?
UNION ALL SELECT id FROM hold NOT INDEXED WHERE id >= ? AND id < ?
"""
_MAKEUP = "SELECT item.id, item.key, item.inputs FROM json_each(?) CROSS JOIN item ON item.id = json_each.value"
_TAKE_BACK = f"""
INSERT INTO standing (id, job, state, changed) VALUES (?, ?, 'waiting', ?)
ON CONFLICT (id) DO UPDATE SET state = 'waiting', changed = excluded.changed WHERE state = '{HELD}'
"""  # noqa: S608 - a word of ours


class SqliteOffers:
    """Fulfils `scrapeyard.ports.offers.OfferBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def offer(self, job: JobId, limit: int, *, now: float, until: float, again: int | None = None) -> list[Offer]:
        """Offer due retries, then fresh items."""
        offers: list[Offer] = []
        most = limit if again is None else again
        while len(offers) < limit:
            step = min(_STEP, limit - len(offers))
            due = max(0, min(step, most - len(offers)))
            begun = await self._database.write(
                lambda connection, step=step, due=due: _begin(connection, job, (due, step), (now, until))
            )
            if begun is None:
                break
            offers += await self._made_up(*begun, until)
            if len(begun[1]) < step:
                break
        return offers

    async def sample(self, job: JobId, seqs: Sequence[int], *, now: float, until: float) -> list[Offer]:
        """Offer out of turn."""
        begun = await self._database.write(lambda connection: _sample(connection, job, seqs[:_STEP], (now, until)))
        return [] if begun is None else await self._made_up(*begun, until)

    async def _made_up(self, book: JobRow, starts: Sequence[Start], until: float) -> list[Offer]:
        """The offers with what their items are made of."""
        ids = listed(start.id for start in starts)
        rows = await self._database.read(lambda connection: connection.execute(_MAKEUP, (ids,)).fetchall())
        makeup = {identity: (key, inputs) for identity, key, inputs in rows}
        return [offer_of(book.job, start, *makeup[start.id], until) for start in starts]

    async def withdraw(self, job: JobId, *, now: float) -> int:
        """Take back what no worker has taken."""

        def work(connection: sqlite3.Connection) -> int:
            book = find_job(connection, job)
            if book is None:
                return 0
            rows = connection.execute(
                "SELECT id FROM hold NOT INDEXED WHERE worker IS NULL AND id >= ? AND id < ? LIMIT ?",
                (joined(book.number, 0), end_of(book.number), _STEP),
            )
            return _take_back(connection, [identity for (identity,) in rows], now)

        return await self._in_steps(work)

    async def sweep(self, *, now: float) -> int:
        """Take back what has expired."""

        def work(connection: sqlite3.Connection) -> int:
            rows = connection.execute(
                "SELECT id FROM hold INDEXED BY hold_offered WHERE worker IS NULL AND until <= ? LIMIT ?", (now, _STEP)
            )
            return _take_back(connection, [identity for (identity,) in rows], now)

        return await self._in_steps(work)

    async def _in_steps(self, work: Callable[[sqlite3.Connection], int]) -> int:
        """Repeat `work`, which takes back so many, until it finds fewer than it may."""
        total = 0
        while (step := await self._database.write(work)) == _STEP:
            total += step
        return total + step

    async def next_due(self, job: JobId) -> float | None:
        """When the earliest retry may start."""

        def work(connection: sqlite3.Connection) -> float | None:
            book = find_job(connection, job)
            row = (
                book
                and connection.execute(
                    "SELECT not_before FROM standing INDEXED BY standing_due WHERE job = ? AND state = 'waiting' "
                    "ORDER BY not_before LIMIT 1",
                    (book.number,),
                ).fetchone()
            )
            return row[0] if row else None

        return await self._database.read(work)

    async def fresh(self, job: JobId) -> int:
        """How many items were never offered."""

        def work(connection: sqlite3.Connection) -> int:
            book = find_job(connection, job)
            if book is None:
                return 0
            ahead = _ahead(connection, book, range(book.cursor, book.loaded))
            return book.loaded - book.cursor - len(ahead)

        return await self._database.read(work)


def _begin(
    connection: sqlite3.Connection, job: JobId, most: tuple[int, int], times: tuple[float, float]
) -> tuple[JobRow, list[Start]] | None:
    """Write down which items are out from now on: so many that are due, and so many in all."""
    (again, limit), (now, _) = most, times
    book = find_job(connection, job)
    if book is None or book.cancelled or book.job.total is None:
        return None
    due = [Start(*row) for row in connection.execute(_DUE, (book.number, now, again))]
    connection.executemany("UPDATE standing SET state = ? WHERE id = ?", [(HELD, start.id) for start in due])
    starts = due + _fresh(connection, book, book.job.total, limit - len(due))
    _hold(connection, book, starts, times)
    return book, starts


def _sample(
    connection: sqlite3.Connection, job: JobId, seqs: Sequence[int], times: tuple[float, float]
) -> tuple[JobRow, list[Start]] | None:
    """The same for these items, as far as they were never offered."""
    book = find_job(connection, job)
    if book is None or book.cancelled or book.job.total is None or book.job.policy.order is not Order.LIST:
        return None
    left = range(book.cursor, book.loaded)
    ahead = _ahead(connection, book, left)
    starts = [Start(joined(book.number, seq)) for seq in dict.fromkeys(seqs) if seq in left and seq not in ahead]
    _hold(connection, book, starts, times)
    return book, starts


def _hold(connection: sqlite3.Connection, book: JobRow, starts: Sequence[Start], times: tuple[float, float]) -> None:
    now, until = times
    connection.executemany(
        "INSERT INTO hold (id, epoch, attempt, until, changed) VALUES (?, ?, ?, ?, ?)",
        [(start.id, start.epoch, start.attempts + 1, until, now) for start in starts],
    )
    counting = Counting()
    counting.moved(VisitState.WAITING, VisitState.OFFERED, len(starts))
    count(connection, book.number, counting)


def _fresh(connection: sqlite3.Connection, book: JobRow, total: int, limit: int) -> list[Start]:
    """The next items in the job's own order."""
    order = Permutation(total, book.job.order_key, book.job.policy.order)
    seqs: list[int] = []
    cursor = book.cursor
    while len(seqs) < limit and (window := order.window(cursor, limit - len(seqs))):
        cursor += len(window)
        ahead = _ahead(connection, book, range(window[0], window[-1] + 1))
        seqs += [seq for seq in window if seq not in ahead]
    if cursor > book.cursor:
        connection.execute("UPDATE job SET cursor = ? WHERE number = ?", (cursor, book.number))
    return [Start(joined(book.number, seq)) for seq in seqs]


def _ahead(connection: sqlite3.Connection, book: JobRow, seqs: range) -> frozenset[int]:
    """Which of these were offered out of turn. Whatever was ever offered is held, or stands somewhere."""
    if book.job.policy.order is not Order.LIST:
        return frozenset()
    span = (joined(book.number, seqs.start), joined(book.number, seqs.stop))
    return frozenset(place_of(identity) for (identity,) in connection.execute(_AHEAD, span + span))


def _take_back(connection: sqlite3.Connection, ids: Sequence[int], now: float) -> int:
    """End offers that nobody took, as if they had never been made."""
    connection.executemany("DELETE FROM hold WHERE id = ?", [(identity,) for identity in ids])
    connection.executemany(_TAKE_BACK, [(identity, job_of(identity), now) for identity in ids])
    for job, group in groupby(sorted(ids), job_of):
        counting = Counting()
        counting.moved(VisitState.OFFERED, VisitState.WAITING, len(list(group)))
        count(connection, job, counting)
    return len(ids)
