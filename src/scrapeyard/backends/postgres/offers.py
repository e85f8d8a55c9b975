"""The dispatcher's side, in PostgreSQL.

Fresh items are not written when they are offered: the job's cursor moves, and one narrow row says that the
item is out. What an item is made of never changes, so it is read outside of the transaction.
"""

from collections.abc import Sequence
from itertools import groupby

from scrapeyard.backends.counting import Counting
from scrapeyard.backends.ids import end_of, job_of, joined, place_of
from scrapeyard.backends.postgres.books import count, find_job, lock_job
from scrapeyard.backends.postgres.connection import Connection, Database, Record, Work
from scrapeyard.backends.rows import JobRow
from scrapeyard.backends.starting import Start, offer_of
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.order import Permutation
from scrapeyard.model.policy import Order
from scrapeyard.model.states import VisitState

_STEP = 1_000
"""Items that change hands in one transaction."""

_DUE = """
WITH due AS (
    SELECT id FROM standing WHERE job = $1 AND state = 'waiting' AND not_before <= $2
    ORDER BY not_before, id LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE standing SET state = 'held' FROM due WHERE standing.id = due.id
RETURNING standing.not_before, standing.id, epoch, attempts, crashes, losses, kind, rung, strikes
"""
_HOLD = """
INSERT INTO hold (id, epoch, attempt, until, changed, fresh)
SELECT id, epoch, attempt, $5, $6, fresh
FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::boolean[]) AS start (id, epoch, attempt, fresh)
"""
_AHEAD = """
SELECT id FROM standing WHERE id >= $1 AND id < $2 UNION ALL SELECT id FROM hold WHERE id >= $1 AND id < $2
"""
_MAKEUP = "SELECT id, coalesce(key, name), inputs FROM item WHERE id = ANY($1::bigint[])"
_EXPIRED = """
DELETE FROM hold WHERE id IN (
    SELECT id FROM hold WHERE worker IS NULL AND until <= $1 ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED
)
RETURNING id
"""
_UNTAKEN = """
DELETE FROM hold WHERE id IN (
    SELECT id FROM hold WHERE worker IS NULL AND id >= $1 AND id < $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
)
RETURNING id
"""
_TAKE_BACK = """
INSERT INTO standing (id, job, state, changed)
SELECT id, id >> 32, 'waiting', $2 FROM unnest($1::bigint[]) AS back (id)
ON CONFLICT (id) DO UPDATE SET state = 'waiting', changed = excluded.changed WHERE standing.state = 'held'
"""
_NEXT = "SELECT not_before FROM standing WHERE job = $1 AND state = 'waiting' ORDER BY not_before LIMIT 1"


class PostgresOffers:
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
        rows = await self._database.ask(_MAKEUP, [start.id for start in starts])
        makeup = {identity: (key.decode(), inputs) for identity, key, inputs in rows}
        return [offer_of(book.job, start, *makeup[start.id], until) for start in starts]

    async def withdraw(self, job: JobId, *, now: float) -> int:
        """Take back what no worker has taken."""

        async def work(connection: Connection) -> int:
            book = await find_job(connection, job)
            span = (joined(book.number, 0), end_of(book.number)) if book else (0, 0)
            return await _take_back(connection, await connection.fetch(_UNTAKEN, *span, _STEP), now)

        return await self._in_steps(work)

    async def sweep(self, *, now: float) -> int:
        """Take back what has expired."""

        async def work(connection: Connection) -> int:
            return await _take_back(connection, await connection.fetch(_EXPIRED, now, _STEP), now)

        return await self._in_steps(work)

    async def _in_steps(self, work: Work[int]) -> int:
        """Repeat `work`, which takes back so many, until it finds fewer than it may."""
        total = 0
        while (step := await self._database.write(work, harmless=True)) == _STEP:
            total += step
        return total + step

    async def next_due(self, job: JobId) -> float | None:
        """When the earliest retry may start."""

        async def work(connection: Connection) -> float | None:
            book = await find_job(connection, job)
            return await connection.fetchval(_NEXT, book.number) if book else None

        return await self._database.read(work)

    async def fresh(self, job: JobId) -> int:
        """How many items were never offered."""

        async def work(connection: Connection) -> int:
            book = await find_job(connection, job)
            if book is None:
                return 0
            ahead = await _ahead(connection, book, range(book.cursor, book.loaded))
            return book.loaded - book.cursor - len(ahead)

        return await self._database.read(work)


async def _begin(
    connection: Connection, job: JobId, limits: tuple[int, int], times: tuple[float, float]
) -> tuple[JobRow, list[Start]] | None:
    """Write down which items are out from now on: so many that were before at most, and so many in all."""
    now, _ = times
    again, limit = limits
    book = await lock_job(connection, job)
    if book is None or book.cancelled or book.job.total is None:
        return None
    due = sorted(map(tuple, await connection.fetch(_DUE, book.number, now, again))) if again else []
    starts = [Start(*row[1:]) for row in due]
    starts += await _fresh(connection, book, book.job.total, limit - len(starts))
    await _hold(connection, book, (starts, len(due)), times)
    return book, starts


async def _sample(
    connection: Connection, job: JobId, seqs: Sequence[int], times: tuple[float, float]
) -> tuple[JobRow, list[Start]] | None:
    """The same for these items, as far as they were never offered."""
    book = await lock_job(connection, job)
    if book is None or book.cancelled or book.job.total is None or book.job.policy.order is not Order.LIST:
        return None
    left = range(book.cursor, book.loaded)
    ahead = await _ahead(connection, book, left)
    starts = [Start(joined(book.number, seq)) for seq in dict.fromkeys(seqs) if seq in left and seq not in ahead]
    await _hold(connection, book, (starts, 0), times)
    return book, starts


async def _hold(
    connection: Connection, book: JobRow, begun: tuple[Sequence[Start], int], times: tuple[float, float]
) -> None:
    """These are out, the first so many of them not for the first time."""
    starts, again = begun
    if not starts:
        return
    now, until = times
    ids, epochs, attempts, *_ = map(list, zip(*starts, strict=True))
    fresh = [place >= again for place in range(len(starts))]
    await connection.execute(_HOLD, ids, epochs, [tried + 1 for tried in attempts], fresh, until, now)
    counting = Counting()
    counting.moved(VisitState.WAITING, VisitState.OFFERED, len(starts))
    await count(connection, {book.number: counting})


async def _fresh(connection: Connection, book: JobRow, total: int, limit: int) -> list[Start]:
    """The next items in the job's own order."""
    order = Permutation(total, book.job.order_key, book.job.policy.order)
    seqs: list[int] = []
    cursor = book.cursor
    while len(seqs) < limit and (window := order.window(cursor, limit - len(seqs))):
        cursor += len(window)
        ahead = await _ahead(connection, book, range(window[0], window[-1] + 1))
        seqs += [seq for seq in window if seq not in ahead]
    if cursor > book.cursor:
        await connection.execute("UPDATE feed SET cursor = $1 WHERE job = $2", cursor, book.number)
    return [Start(joined(book.number, seq)) for seq in seqs]


async def _ahead(connection: Connection, book: JobRow, seqs: range) -> frozenset[int]:
    """Which of these were offered out of turn. Whatever was ever offered is held, or stands somewhere."""
    if book.job.policy.order is not Order.LIST:
        return frozenset()
    rows = await connection.fetch(_AHEAD, joined(book.number, seqs.start), joined(book.number, seqs.stop))
    return frozenset(place_of(identity) for (identity,) in rows)


async def _take_back(connection: Connection, ended: Sequence[Record], now: float) -> int:
    """What becomes of offers that nobody took, and that are no more: it is as if they had never been made."""
    ids = sorted(row[0] for row in ended)
    if not ids:
        return 0
    await connection.execute(_TAKE_BACK, ids, now)
    countings: dict[int, Counting] = {}
    for job, group in groupby(ids, job_of):
        countings[job] = Counting()
        countings[job].moved(VisitState.OFFERED, VisitState.WAITING, len(list(group)))
    await count(connection, countings)
    return len(ids)
