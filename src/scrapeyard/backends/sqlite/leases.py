"""The workers' side, in SQLite."""

import sqlite3
from collections import Counter
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_settlements
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.ids import job_of, joined
from scrapeyard.backends.rows import decode_offer, encode
from scrapeyard.backends.sqlite.books import count, find_jobs, listed
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.backends.sqlite.settling import settle_all
from scrapeyard.model.errors import Conflict
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Offer, Settlement
from scrapeyard.model.states import VisitState

_HOLDS = """
SELECT hold.id, hold.epoch, hold.attempt, hold.until, hold.worker, hold.fence, hold.offer
FROM json_each(?) CROSS JOIN hold ON hold.id = json_each.value
"""
_HELD_BY = """
SELECT hold.id, hold.fence, hold.offer, item.inputs
FROM hold INDEXED BY hold_worker CROSS JOIN item ON item.id = hold.id WHERE hold.worker = ? ORDER BY hold.id
"""
_BEAT = """
INSERT INTO worker (name, version, started, host, pid) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET version = excluded.version, started = excluded.started, host = excluded.host,
    pid = excluded.pid
WHERE NOT fenced
"""
_WORKERS = """
SELECT name, version, started, host, pid, fenced FROM worker
WHERE NOT fenced OR EXISTS (SELECT 1 FROM hold WHERE hold.worker = worker.name) ORDER BY name
"""


class SqliteLeases:
    """Fulfils `scrapeyard.ports.leases.LeaseBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def exclusive(self) -> bool:
        """An item has at most one holder."""
        return True

    async def begin(self, worker: str, offers: Sequence[Offer], *, now: float) -> list[Lease]:
        """Take offers."""
        return await self._database.write(lambda connection: _begin(connection, worker, offers, now))

    async def settle(self, settlements: Sequence[Settlement], *, now: float) -> list[bool]:
        """Record how leases end."""
        check_settlements(settlements)
        if not settlements:
            return []
        return await self._database.write(lambda connection: settle_all(connection, settlements, now))

    async def beat(self, beat: WorkerBeat) -> bool:
        """A sign of life."""
        values = (beat.worker, beat.version, beat.started, beat.host, beat.pid)
        return await self._database.write(lambda connection: connection.execute(_BEAT, values).rowcount > 0)

    async def workers(self) -> list[WorkerBeat]:
        """Workers that are here, and fenced ones whose items are not settled."""

        def work(connection: sqlite3.Connection) -> list[WorkerBeat]:
            return [WorkerBeat(*row[:5], fenced=bool(row[5])) for row in connection.execute(_WORKERS)]

        return await self._database.read(work)

    async def fence(self, worker: str, version: int) -> list[Lease] | None:
        """Declare a worker dead. Its leases pass to the caller under new fences, so a late result has none."""

        def work(connection: sqlite3.Connection) -> list[Lease] | None:
            known = connection.execute("SELECT version, fenced FROM worker WHERE name = ?", (worker,)).fetchone()
            if known is None or not (known[1] or known[0] == version):
                return None
            if not known[1]:
                connection.execute("UPDATE worker SET fenced = 1 WHERE name = ?", (worker,))
                _renew_fences(connection, worker)
            return [
                Lease(_whole(offer, inputs), worker, fence)
                for _, fence, offer, inputs in connection.execute(_HELD_BY, (worker,))
            ]

        return await self._database.write(work)

    async def leave(self, worker: str) -> None:
        """Good-bye. A fenced worker is remembered, so that nothing late of it is let in."""

        def work(connection: sqlite3.Connection) -> None:
            (held,) = connection.execute("SELECT count(*) FROM hold WHERE worker = ?", (worker,)).fetchone()
            if held:
                raise Conflict(f"Worker {worker} still holds {held} items: settle them before it leaves.")
            connection.execute("DELETE FROM worker WHERE name = ? AND NOT fenced", (worker,))

        await self._database.write(work)


def _begin(connection: sqlite3.Connection, worker: str, offers: Sequence[Offer], now: float) -> list[Lease]:
    connection.execute(
        "INSERT INTO worker (name, version, started) VALUES (?, 0, ?) ON CONFLICT (name) DO NOTHING", (worker, now)
    )
    (fenced,) = connection.execute("SELECT fenced FROM worker WHERE name = ?", (worker,)).fetchone()
    return [] if fenced else _Taking(connection, worker, now).take(offers)


class _Taking:
    """One worker takes some offers, all of them in the running transaction."""

    def __init__(self, connection: sqlite3.Connection, worker: str, now: float) -> None:
        self._connection = connection
        self._worker = worker
        self._now = now

    def take(self, offers: Sequence[Offer]) -> list[Lease]:
        """Leases for those that can still be had, and for those that this worker has already."""
        books = find_jobs(self._connection, (offer.job for offer in offers))
        wanted = [(joined(books[offer.job].number, offer.seq), offer) for offer in offers if offer.job in books]
        out = {row[0]: row[1:] for row in self._connection.execute(_HOLDS, (listed({one for one, _ in wanted}),))}
        leases: dict[int, Lease] = {}
        new: dict[int, Offer] = {}
        for identity, offer in wanted:  # an old offer and the new one for the same item may come together
            epoch, attempt, until, holder, fence, stored = out.get(identity, (-1, 0, 0.0, None, 0, None))
            if (epoch, attempt, until) != (offer.epoch, offer.attempt, offer.until):
                continue
            if holder == self._worker:
                kept = msgspec.structs.replace(decode_offer(stored), inputs=offer.inputs)
                leases[identity] = Lease(kept, self._worker, fence)
            elif holder is None and self._now < offer.until and not books[offer.job].cancelled:
                new[identity] = offer
        leases.update(self._take_new(new))
        return list(leases.values())

    def _take_new(self, offers: dict[int, Offer]) -> dict[int, Lease]:
        last = next_fences(self._connection, len(offers))
        leases = {
            identity: Lease(offer, self._worker, last - place) for place, (identity, offer) in enumerate(offers.items())
        }
        self._connection.executemany(
            "UPDATE hold SET worker = ?, fence = ?, changed = ?, offer = ? WHERE id = ?",
            [
                (self._worker, lease.fence, self._now, encode(msgspec.structs.replace(lease.offer, inputs=b"")), at)
                for at, lease in leases.items()
            ],
        )
        for job, number in Counter(map(job_of, leases)).items():
            counting = Counting()
            counting.moved(VisitState.OFFERED, VisitState.RUNNING, number)
            count(self._connection, job, counting)
        return leases


def next_fences(connection: sqlite3.Connection, wanted: int) -> int:
    """The last of so many new fences; they are higher than any given out before."""
    statement = "UPDATE number SET value = value + ? WHERE name = 'fence' RETURNING value"
    return connection.execute(statement, (wanted,)).fetchall()[0][0]


def _renew_fences(connection: sqlite3.Connection, worker: str) -> None:
    ids = [identity for identity, *_ in connection.execute(_HELD_BY, (worker,))]
    last = next_fences(connection, len(ids))
    connection.executemany(
        "UPDATE hold SET fence = ? WHERE id = ?", [(last - place, identity) for place, identity in enumerate(ids)]
    )


def _whole(stored: bytes, inputs: bytes) -> Offer:
    return msgspec.structs.replace(decode_offer(stored), inputs=inputs)
