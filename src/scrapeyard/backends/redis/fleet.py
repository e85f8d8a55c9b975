"""The live channel, in Redis. Workers on many machines report into one list, and the dispatcher empties it."""

from collections.abc import Sequence

import msgspec

from scrapeyard.backends.orders import added
from scrapeyard.backends.redis.server import Server
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView

_MOST_REPORTS = 10_000
"""Kept for a dispatcher that does not collect; then the oldest are lost, which the channel may."""

_MOST_WORKERS = 1_000
_MOST_ORDERS = 1_000
"""Kept for a worker that does not report; then the oldest are lost."""

_UNREAD = 300
"""Seconds after which orders that nobody fetched are forgotten, with the worker that they were for."""

_AT_ONCE = 2_000
"""Reports collected in one command."""

_pack = msgspec.msgpack.Encoder().encode
_unpack_report = msgspec.msgpack.Decoder(WorkerReport).decode
_unpack_orders = msgspec.msgpack.Decoder(Orders).decode
_unpack_views = msgspec.msgpack.Decoder(list[JobView]).decode

_REPORT = """
local reports, roster, turns, turn, mail = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
redis.call('RPUSH', reports, ARGV[2])
redis.call('LTRIM', reports, -ARGV[3], -1)
redis.call('HSET', roster, ARGV[1], ARGV[2])
redis.call('ZADD', turns, redis.call('INCR', turn), ARGV[1])
while redis.call('ZCARD', turns) > tonumber(ARGV[4]) do redis.call('HDEL', roster, redis.call('ZPOPMIN', turns)[1]) end
local orders = redis.call('LRANGE', mail, 0, -1)
redis.call('DEL', mail)
return orders
"""
_ORDER = """
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -ARGV[2], -1)
redis.call('EXPIRE', KEYS[1], ARGV[3])
"""
_ROSTER = """
local workers = redis.call('ZRANGE', KEYS[1], 0, -1)
local reports = {}
for n, worker in ipairs(workers) do reports[n] = redis.call('HGET', KEYS[2], worker) end
return reports
"""


class RedisFleet:
    """Fulfils `scrapeyard.ports.fleet.Fleet` for every machine that meets the same server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def report(self, report: WorkerReport) -> Orders:
        """Hear a worker and hand it its orders."""
        keys = [*map(self._server.key, ("reports", "roster", "turns", "turn")), self._mail(report.worker)]
        words = [report.worker, _pack(report), str(_MOST_REPORTS), str(_MOST_WORKERS)]
        return added(map(_unpack_orders, await self._server.run(_REPORT, keys, words, harmless=False)))

    async def collect(self) -> list[WorkerReport]:
        """What was reported since the last time."""
        reports: list[WorkerReport] = []
        while True:
            found: list[bytes] = await self._server.ask("LPOP", self._server.key("reports"), _AT_ONCE) or []
            reports += map(_unpack_report, found)
            if len(found) < _AT_ONCE:
                return reports

    async def order(self, worker: str, orders: Orders) -> None:
        """Leave orders beside those that wait already."""
        words = [_pack(orders), str(_MOST_ORDERS), str(_UNREAD)]
        await self._server.run(_ORDER, [self._mail(worker)], words, harmless=False)

    async def show(self, views: Sequence[JobView]) -> None:
        """Publish."""
        await self._server.ask("SET", self._server.key("board"), _pack(list(views)))

    async def views(self) -> list[JobView]:
        """What was published."""
        found: bytes | None = await self._server.ask("GET", self._server.key("board"))
        return _unpack_views(found) if found else []

    async def roster(self) -> list[WorkerReport]:
        """The last report of each worker, the latest last."""
        found = await self._server.run(_ROSTER, [self._server.key("turns"), self._server.key("roster")], [])
        return [_unpack_report(body) for body in found]

    async def close(self) -> None:
        """Let go of the connections, also for what shares them."""
        await self._server.close()

    def _mail(self, worker: str) -> str:
        return self._server.key(f"mail/{worker}")
