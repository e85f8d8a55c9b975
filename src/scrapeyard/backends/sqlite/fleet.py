"""The live channel, in SQLite. Workers in many processes report into one file, and the dispatcher empties it."""

import sqlite3
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.orders import added
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView

_MOST_REPORTS = 10_000
"""Kept for a dispatcher that does not collect; then the oldest are lost, which the channel may."""

_MOST_WORKERS = 1_000
_AT_ONCE = 2_000
"""Reports collected in one transaction."""

_pack = msgspec.msgpack.Encoder().encode
_unpack_report = msgspec.msgpack.Decoder(WorkerReport).decode
_unpack_orders = msgspec.msgpack.Decoder(Orders).decode
_unpack_views = msgspec.msgpack.Decoder(list[JobView]).decode

_ENLIST = """
INSERT INTO roster (worker, turn, body) VALUES (?, ?, ?)
ON CONFLICT (worker) DO UPDATE SET turn = excluded.turn, body = excluded.body
"""
_FORGET = "DELETE FROM roster WHERE worker IN (SELECT worker FROM roster ORDER BY turn DESC LIMIT -1 OFFSET ?)"
_FORGET_MAIL = "DELETE FROM mail WHERE id IN (SELECT id FROM mail ORDER BY id DESC LIMIT -1 OFFSET ?)"


class SqliteFleet:
    """Fulfils `scrapeyard.ports.fleet.Fleet` for all processes that open the same file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def report(self, report: WorkerReport) -> Orders:
        """Hear a worker and hand it its orders."""
        body = _pack(report)

        def work(connection: sqlite3.Connection) -> list[tuple[bytes]]:
            turn = connection.execute("INSERT INTO report (body) VALUES (?)", (body,)).lastrowid or 0
            connection.execute("DELETE FROM report WHERE id <= ?", (turn - _MOST_REPORTS,))
            known = connection.execute("SELECT 1 FROM roster WHERE worker = ?", (report.worker,)).fetchone()
            connection.execute(_ENLIST, (report.worker, turn, body))
            if known is None:
                connection.execute(_FORGET, (_MOST_WORKERS,))
            return connection.execute("DELETE FROM mail WHERE worker = ? RETURNING body", (report.worker,)).fetchall()

        return added(_unpack_orders(packed) for (packed,) in await self._database.write(work))

    async def collect(self) -> list[WorkerReport]:
        """What was reported since the last time."""
        reports: list[WorkerReport] = []
        while part := await self._collect_some():
            reports += part
            if len(part) < _AT_ONCE:
                break
        return reports

    async def _collect_some(self) -> list[WorkerReport]:
        some = "SELECT id, body FROM report ORDER BY id LIMIT ?"
        if not await self._database.read(lambda connection: connection.execute(some, (1,)).fetchone()):
            return []

        def work(connection: sqlite3.Connection) -> list[bytes]:
            rows = connection.execute(some, (_AT_ONCE,)).fetchall()
            connection.execute("DELETE FROM report WHERE id <= ?", (rows[-1][0] if rows else 0,))
            return [body for _, body in rows]

        return [_unpack_report(body) for body in await self._database.write(work)]

    async def order(self, worker: str, orders: Orders) -> None:
        """Leave orders, as one with those that wait already."""

        def work(connection: sqlite3.Connection) -> None:
            row = connection.execute("SELECT body FROM mail WHERE worker = ?", (worker,)).fetchone()
            waiting = (_unpack_orders(row[0]), orders) if row else (orders,)
            connection.execute("DELETE FROM mail WHERE worker = ?", (worker,))
            connection.execute("INSERT INTO mail (worker, body) VALUES (?, ?)", (worker, _pack(added(waiting))))
            if row is None:
                connection.execute(_FORGET_MAIL, (_MOST_WORKERS,))

        await self._database.write(work)

    async def show(self, views: Sequence[JobView]) -> None:
        """Publish."""
        body = _pack(list(views))
        statement = "INSERT INTO board (id, body) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
        await self._database.write(lambda connection: connection.execute(statement, (body,)).rowcount)

    async def views(self) -> list[JobView]:
        """What was published."""
        statement = "SELECT body FROM board WHERE id = 1"
        row = await self._database.read(lambda connection: connection.execute(statement).fetchone())
        return _unpack_views(row[0]) if row else []

    async def roster(self) -> list[WorkerReport]:
        """The last report of each worker, the latest last."""
        statement = "SELECT body FROM roster ORDER BY turn"
        rows = await self._database.read(lambda connection: connection.execute(statement).fetchall())
        return [_unpack_report(body) for (body,) in rows]

    async def close(self) -> None:
        """Let go of the file, also for the queue if it shares it."""
        await self._database.close()
