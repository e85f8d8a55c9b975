"""The hand-over of offers, in PostgreSQL: a delivery is gone from here, and comes back only if it is given back."""

from collections.abc import Sequence

from scrapeyard.backends.postgres.connection import Database
from scrapeyard.backends.rows import decode_offer, encode
from scrapeyard.model.item import Offer
from scrapeyard.ports.queue import Delivery, Wants

_MOST = 100_000
"""Kept for workers that do not come; then the oldest are lost, which the ledger offers again."""

_TIDY = 15.0
"""Seconds between two removals of what has expired, in each process."""

_PUT = """
WITH put AS (
    INSERT INTO waiting (lane, digest, until, body)
    SELECT * FROM unnest($1::text[], $2::text[], $3::double precision[], $4::bytea[]) RETURNING id
)
DELETE FROM waiting WHERE id <= (SELECT max(id) FROM put) - $5
"""
_TAKE = """
DELETE FROM waiting WHERE id = ANY(ARRAY(
    SELECT id FROM waiting WHERE lane = $1 AND until > $2 AND ($3::text[] IS NULL OR digest = ANY($3))
    ORDER BY lane, id LIMIT $4 FOR UPDATE SKIP LOCKED
))
RETURNING id, body
"""
_VOID = "DELETE FROM waiting WHERE id = ANY(ARRAY(SELECT id FROM waiting WHERE until <= $1 FOR UPDATE SKIP LOCKED))"


class PostgresQueue:
    """Fulfils `scrapeyard.ports.queue.Queue` for every machine that meets the same database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tidied = 0.0

    async def put(self, offers: Sequence[Offer]) -> None:
        """Line them up."""
        if offers:
            rows = [(offer.lane, offer.scraper.digest, offer.until, encode(offer)) for offer in offers]
            await self._database.ask(_PUT, *map(list, zip(*rows, strict=True)), _MOST, harmless=False)

    async def take(self, worker: str, wants: Wants, limit: int, *, now: float) -> list[Delivery]:  # noqa: ARG002 - the port's words
        """The oldest that suit. Two who ask at once do not wait for each other: each takes what the other leaves."""
        if limit <= 0:
            return []
        if now - self._tidied >= _TIDY:
            self._tidied = now
            await self._database.ask(_VOID, now)
        digests = None if wants.digests is None else list(wants.digests)
        rows = await self._database.ask(_TAKE, wants.lane, now, digests, limit, harmless=False)
        return [Delivery(decode_offer(body)) for _, body in sorted(map(tuple, rows))]

    async def keep(self, deliveries: Sequence[Delivery], *, seconds: float) -> None:
        """Nothing to do: a delivery is not shown to anybody else."""

    async def done(self, deliveries: Sequence[Delivery]) -> None:
        """Nothing to do: a delivery is gone from here."""

    async def back(self, deliveries: Sequence[Delivery]) -> None:
        """Line them up anew."""
        await self.put([delivery.offer for delivery in deliveries])

    async def depth(self) -> int:
        """How many are lined up."""
        ((count,),) = await self._database.ask("SELECT count(*) FROM waiting")
        return count

    async def close(self) -> None:
        """Let go of the connections, also for what shares them."""
        await self._database.close()
