"""The workers' side, in PostgreSQL."""

from collections import Counter
from collections.abc import Mapping, Sequence

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

_Place = tuple[int, int, int, float]
"""An item's id, and epoch, attempt and end of the offer."""

_GREET = "INSERT INTO worker (name, version, started) VALUES ($1, 0, $2) ON CONFLICT (name) DO NOTHING"
_FENCED = "SELECT fenced FROM worker WHERE name = $1 FOR SHARE"
_JOBS = "SELECT id, number, state FROM job WHERE id = ANY($1::text[])"
_TAKE = """
UPDATE hold SET worker = $6, changed = $7, fence = nextval('fence'), offer = shown.offer
FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::double precision[], $5::bytea[])
    AS shown (id, epoch, attempt, until, offer)
WHERE hold.id = shown.id AND hold.epoch = shown.epoch AND hold.attempt = shown.attempt
    AND hold.until IS NOT DISTINCT FROM shown.until AND (hold.worker IS NULL)::integer <> 0
RETURNING hold.id, hold.epoch, hold.attempt, hold.until, hold.fence
"""
"""Offers of one moment end together, so an index of what expires would find all of them for each: the conditions are
written so that only the item's id serves."""
_HAD = """
SELECT id, epoch, attempt, until, fence, offer FROM hold WHERE id = ANY($1::bigint[]) AND worker = $2
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
        shown = {
            (joined(jobs[offer.job][1], offer.seq), offer.epoch, offer.attempt, offer.until): offer
            for offer in self._offers
            if offer.job in jobs
        }  # an old offer and the new one for the same item may come together
        good = [
            place
            for place, offer in shown.items()
            if self._now < offer.until and jobs[offer.job][2] != JobState.CANCELLED
        ]
        leases = await self._take(connection, shown, sorted(good))
        if rest := [place[0] for place in shown if place not in leases]:
            for *place, fence, stored in await connection.fetch(_HAD, rest, self._worker):
                offer = shown.get((place[0], place[1], place[2], place[3]))
                if offer is not None and tuple(place) not in leases:
                    kept = msgspec.structs.replace(decode_offer(stored), inputs=offer.inputs)
                    leases[place[0], place[1], place[2], place[3]] = Lease(kept, self._worker, fence)
        return list(leases.values())

    async def _take(
        self, connection: Connection, shown: Mapping[_Place, Offer], places: Sequence[_Place]
    ) -> dict[_Place, Lease]:
        """Leases for those that nobody has. Everybody takes them in the same order."""
        if not places:
            return {}
        stored = [encode(msgspec.structs.replace(shown[place], inputs=b"")) for place in places]
        columns = [list(column) for column in zip(*places, strict=True)]
        leases: dict[_Place, Lease] = {}
        for *row, fence in await connection.fetch(_TAKE, *columns, stored, self._worker, self._now):
            place = (row[0], row[1], row[2], row[3])
            leases[place] = Lease(shown[place], self._worker, fence)
        countings: dict[int, Counting] = {}
        for job, number in Counter(job_of(place[0]) for place in leases).items():
            countings[job] = Counting()
            countings[job].moved(VisitState.OFFERED, VisitState.RUNNING, number)
        await count(connection, countings)
        return leases
