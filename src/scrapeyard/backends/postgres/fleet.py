"""The live channel, in PostgreSQL. Workers on many machines report into one table, and the dispatcher empties it."""

from collections.abc import Sequence

import msgspec

from scrapeyard.backends.orders import added
from scrapeyard.backends.postgres.connection import Connection, Database
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView

_MOST_REPORTS = 10_000
"""Kept for a dispatcher that does not collect; then the oldest are lost, which the channel may."""

_MOST_WORKERS = 1_000
_AT_ONCE = 2_000
"""Reports collected in one statement."""

_pack = msgspec.msgpack.Encoder().encode
_unpack_report = msgspec.msgpack.Decoder(WorkerReport).decode
_unpack_orders = msgspec.msgpack.Decoder(Orders).decode
_unpack_views = msgspec.msgpack.Decoder(list[JobView]).decode

_REPORT = """
WITH told AS (INSERT INTO report (body) VALUES ($2) RETURNING id),
listed AS (
    INSERT INTO roster (worker, turn, body) SELECT $1, id, $2 FROM told
    ON CONFLICT (worker) DO UPDATE SET turn = excluded.turn, body = excluded.body RETURNING turn
),
forgotten AS (DELETE FROM report WHERE id <= (SELECT max(id) FROM told) - $3)
DELETE FROM mail WHERE worker = $1 RETURNING id, body
"""
_COLLECT = """
DELETE FROM report WHERE id = ANY(ARRAY(SELECT id FROM report ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING id, body
"""
_SHOW = "INSERT INTO board (id, body) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
_FORGET_SILENT = "DELETE FROM roster WHERE worker IN (SELECT worker FROM roster ORDER BY turn DESC OFFSET $1)"
_FORGET_MAIL = "DELETE FROM mail WHERE id IN (SELECT id FROM mail ORDER BY id DESC OFFSET $1)"


class PostgresFleet:
    """Fulfils `scrapeyard.ports.fleet.Fleet` for every machine that meets the same database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: set[str] = set()

    async def report(self, report: WorkerReport) -> Orders:
        """Hear a worker and hand it its orders."""
        rows = await self._database.ask(_REPORT, report.worker, _pack(report), _MOST_REPORTS, harmless=False)
        if report.worker not in self._known:
            self._known.add(report.worker)
            await self._database.ask(_FORGET_SILENT, _MOST_WORKERS)
        return added(_unpack_orders(body) for _, body in sorted(map(tuple, rows)))

    async def collect(self) -> list[WorkerReport]:
        """What was reported since the last time."""
        reports: list[WorkerReport] = []
        while True:
            rows = await self._database.ask(_COLLECT, _AT_ONCE, harmless=False)
            reports += [_unpack_report(body) for _, body in sorted(map(tuple, rows))]
            if len(rows) < _AT_ONCE:
                return reports

    async def order(self, worker: str, orders: Orders) -> None:
        """Leave orders, as one with those that wait already."""

        async def work(connection: Connection) -> None:
            rows = await connection.fetch("DELETE FROM mail WHERE worker = $1 RETURNING id, body", worker)
            waiting = [_unpack_orders(body) for _, body in sorted(map(tuple, rows))]
            await connection.execute(
                "INSERT INTO mail (worker, body) VALUES ($1, $2)", worker, _pack(added((*waiting, orders)))
            )
            if not rows:
                await connection.execute(_FORGET_MAIL, _MOST_WORKERS)

        await self._database.write(work)

    async def show(self, views: Sequence[JobView]) -> None:
        """Publish."""
        await self._database.ask(_SHOW, _pack(list(views)))

    async def views(self) -> list[JobView]:
        """What was published."""
        rows = await self._database.ask("SELECT body FROM board WHERE id = 1")
        return _unpack_views(rows[0][0]) if rows else []

    async def roster(self) -> list[WorkerReport]:
        """The last report of each worker, the latest last."""
        return [_unpack_report(row[0]) for row in await self._database.ask("SELECT body FROM roster ORDER BY turn")]

    async def close(self) -> None:
        """Let go of the connections, also for what shares them."""
        await self._database.close()
