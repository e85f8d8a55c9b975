"""The workers' side, in PostgreSQL."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_settlements
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.ids import job_of, joined
from scrapeyard.backends.postgres.books import count
from scrapeyard.backends.postgres.connection import Connection, Database
from scrapeyard.backends.postgres.settling import settle_all
from scrapeyard.backends.rows import decode_offer, encode
from scrapeyard.model.errors import Conflict
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Offer, Settlement
from scrapeyard.model.states import JobState, VisitState

_GREET = "INSERT INTO worker (name, version, started) VALUES ($1, 0, $2) ON CONFLICT (name) DO NOTHING"
_FENCED = "SELECT fenced FROM worker WHERE name = $1 FOR SHARE"
_JOBS = "SELECT id, number, state FROM job WHERE id = ANY($1::text[])"
_HOLDS = """
SELECT id, epoch, attempt, until, worker, fence, offer FROM hold WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE
"""
_TAKE = """
UPDATE hold SET worker = $3, changed = $4, fence = nextval('fence'), offer = taken.offer
FROM unnest($1::bigint[], $2::bytea[]) AS taken (id, offer) WHERE hold.id = taken.id
RETURNING hold.id, hold.fence
"""
_HELD_BY = """
SELECT hold.fence, hold.offer, item.inputs FROM hold JOIN item ON item.id = hold.id
WHERE hold.worker = $1 ORDER BY hold.id
"""
_BEAT = """
INSERT INTO worker (name, version, started, host, pid) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (name) DO UPDATE SET version = excluded.version, started = excluded.started, host = excluded.host,
    pid = excluded.pid
WHERE NOT worker.fenced RETURNING version
"""
_WORKERS = """
SELECT name, version, started, host, pid, fenced FROM worker
WHERE NOT fenced OR EXISTS (SELECT FROM hold WHERE hold.worker = worker.name) ORDER BY name
"""


class PostgresLeases:
    """Fulfils `scrapeyard.ports.leases.LeaseBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def exclusive(self) -> bool:
        """An item has at most one holder."""
        return True

    async def begin(self, worker: str, offers: Sequence[Offer], *, now: float) -> list[Lease]:
        """Take offers."""
        return await self._database.write(_Taking(worker, offers, now).work, harmless=True)

    async def settle(self, settlements: Sequence[Settlement], *, now: float) -> list[bool]:
        """Record how leases end."""
        check_settlements(settlements)
        if not settlements:
            return []
        return await self._database.write(lambda connection: settle_all(connection, settlements, now), harmless=True)

    async def beat(self, beat: WorkerBeat) -> bool:
        """A sign of life."""
        return bool(await self._database.ask(_BEAT, beat.worker, beat.version, beat.started, beat.host, beat.pid))

    async def workers(self) -> list[WorkerBeat]:
        """Workers that are here, and fenced ones whose items are not settled."""
        return [WorkerBeat(*row[:5], fenced=row[5]) for row in await self._database.ask(_WORKERS)]

    async def fence(self, worker: str, version: int) -> list[Lease] | None:
        """Declare a worker dead. Its leases pass to the caller under new fences, so a late result has none."""

        async def work(connection: Connection) -> list[Lease] | None:
            known = await connection.fetchrow("SELECT version, fenced FROM worker WHERE name = $1 FOR UPDATE", worker)
            if known is None or not (known["fenced"] or known["version"] == version):
                return None
            if not known["fenced"]:
                await connection.execute("UPDATE worker SET fenced = true WHERE name = $1", worker)
                await connection.execute("UPDATE hold SET fence = nextval('fence') WHERE worker = $1", worker)
            return [
                Lease(msgspec.structs.replace(decode_offer(offer), inputs=inputs), worker, fence)
                for fence, offer, inputs in await connection.fetch(_HELD_BY, worker)
            ]

        return await self._database.write(work, harmless=True)

    async def leave(self, worker: str) -> None:
        """Good-bye. A fenced worker is remembered, so that nothing late of it is let in."""

        async def work(connection: Connection) -> None:
            await connection.execute("SELECT FROM worker WHERE name = $1 FOR UPDATE", worker)
            held = await connection.fetchval("SELECT count(*) FROM hold WHERE worker = $1", worker)
            if held:
                raise Conflict(f"Worker {worker} still holds {held} items: settle them before it leaves.")
            await connection.execute("DELETE FROM worker WHERE name = $1 AND NOT fenced", worker)

        await self._database.write(work, harmless=True)


class _Taking:
    """One worker takes some offers, all of them in one transaction."""

    def __init__(self, worker: str, offers: Sequence[Offer], now: float) -> None:
        self._worker = worker
        self._offers = offers
        self._now = now

    async def work(self, connection: Connection) -> list[Lease]:
        """Leases for those that can still be had, and for those that this worker has already."""
        fenced = await connection.fetchval(_FENCED, self._worker)
        if fenced is None:
            await connection.execute(_GREET, self._worker, self._now)
            fenced = await connection.fetchval(_FENCED, self._worker)
        if fenced:
            return []
        jobs = {row[0]: row for row in await connection.fetch(_JOBS, list({offer.job for offer in self._offers}))}
        wanted = [(joined(jobs[offer.job][1], offer.seq), offer) for offer in self._offers if offer.job in jobs]
        out = {row[0]: row[1:] for row in await connection.fetch(_HOLDS, [identity for identity, _ in wanted])}
        leases: dict[int, Lease] = {}
        new: dict[int, Offer] = {}
        for identity, offer in wanted:  # an old offer and the new one for the same item may come together
            epoch, attempt, until, holder, fence, stored = out.get(identity, (-1, 0, 0.0, None, 0, None))
            if (epoch, attempt, until) != (offer.epoch, offer.attempt, offer.until):
                continue
            if holder == self._worker:
                kept = msgspec.structs.replace(decode_offer(stored), inputs=offer.inputs)
                leases[identity] = Lease(kept, self._worker, fence)
            elif holder is None and self._now < offer.until and jobs[offer.job][2] != JobState.CANCELLED:
                new[identity] = offer
        leases.update(await self._take_new(connection, new))
        return list(leases.values())

    async def _take_new(self, connection: Connection, offers: dict[int, Offer]) -> dict[int, Lease]:
        if not offers:
            return {}
        stored = [encode(msgspec.structs.replace(offer, inputs=b"")) for offer in offers.values()]
        rows = await connection.fetch(_TAKE, list(offers), stored, self._worker, self._now)
        leases = {identity: Lease(offers[identity], self._worker, fence) for identity, fence in rows}
        countings: dict[int, Counting] = {}
        for job, number in Counter(map(job_of, leases)).items():
            countings[job] = Counting()
            countings[job].moved(VisitState.OFFERED, VisitState.RUNNING, number)
        await count(connection, countings)
        return leases
