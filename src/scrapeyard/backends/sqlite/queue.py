"""The hand-over of offers, in SQLite: a delivery is gone from here, and comes back only if it is given back."""

import sqlite3
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.rows import decode_offer, encode
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.model.item import Offer
from scrapeyard.ports.queue import Delivery, Wants

_MOST = 100_000
"""Kept for workers that do not come; then the oldest are lost, which the ledger offers again."""

_SUITS_ANY = "FROM waiting INDEXED BY waiting_lane WHERE lane = ? AND until > ?"
_SUITS = (
    "FROM waiting INDEXED BY waiting_lane WHERE lane = ? AND until > ? AND digest IN (SELECT value FROM json_each(?))"
)


class SqliteQueue:
    """Fulfils `scrapeyard.ports.queue.Queue` for all processes that open the same file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, offers: Sequence[Offer]) -> None:
        """Line them up."""
        if not offers:
            return
        rows = [(offer.lane, offer.scraper.digest, offer.until, encode(offer)) for offer in offers]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT INTO waiting (lane, digest, until, body) VALUES (?, ?, ?, ?)", rows)
            connection.execute("DELETE FROM waiting WHERE id <= (SELECT max(id) FROM waiting) - ?", (_MOST,))

        await self._database.write(work)

    async def take(self, worker: str, wants: Wants, limit: int, *, now: float) -> list[Delivery]:  # noqa: ARG002 - the port's words
        """The oldest that suit. Whoever finds none has not disturbed the writers."""
        suits = _SUITS_ANY if wants.digests is None else _SUITS
        values: tuple[object, ...] = (wants.lane, now)
        if wants.digests is not None:
            values += (msgspec.json.encode(sorted(wants.digests)).decode(),)
        probe = f"SELECT 1 {suits} LIMIT 1"
        if limit <= 0 or not await self._database.read(lambda connection: connection.execute(probe, values).fetchone()):
            return []

        def work(connection: sqlite3.Connection) -> list[bytes]:
            rows = connection.execute(f"SELECT id, body {suits} ORDER BY id LIMIT ?", (*values, limit)).fetchall()
            connection.executemany("DELETE FROM waiting WHERE id = ?", [(identity,) for identity, _ in rows])
            connection.execute("DELETE FROM waiting WHERE until <= ?", (now,))
            return [body for _, body in rows]

        return [Delivery(decode_offer(body)) for body in await self._database.write(work)]

    async def keep(self, deliveries: Sequence[Delivery], *, seconds: float) -> None:
        """Nothing to do: a delivery is not shown to anybody else."""

    async def done(self, deliveries: Sequence[Delivery]) -> None:
        """Nothing to do: a delivery is gone from here."""

    async def back(self, deliveries: Sequence[Delivery]) -> None:
        """Line them up anew."""
        await self.put([delivery.offer for delivery in deliveries])

    async def depth(self) -> int:
        """How many are lined up."""
        statement = "SELECT count(*) FROM waiting"
        return await self._database.read(lambda connection: connection.execute(statement).fetchone()[0])

    async def close(self) -> None:
        """Let go of the file, also for the fleet if it shares it."""
        await self._database.close()
