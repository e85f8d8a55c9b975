"""The hand-over of offers, in Redis: one stream for each lane and version of a scraper, read by one group of workers.

So offers which nobody can run stand in nobody's way. A delivery that nobody ticked off, because the worker died just
then, is claimed by the next who asks. What expired is dropped on the way, and a stream that nobody feeds goes by
itself. All of it may be lost at any moment: the ledger offers again what nobody took.
"""

from collections.abc import Sequence
from itertools import count, groupby

from scrapeyard.backends.redis.server import Server
from scrapeyard.backends.rows import decode_offer, encode
from scrapeyard.model.item import Offer
from scrapeyard.ports.queue import Delivery, Wants

_MOST = 100_000
"""Kept in a stream for workers that do not come; then the oldest are lost, which the ledger offers again."""

_SILENT = 10.0
"""Seconds after which a delivery that was neither kept nor ticked off is another's. Workers keep theirs every 5 s."""

_UNUSED = 600
"""Seconds after which a stream that nobody feeds is forgotten; offers live for a small part of that."""

_AT_ONCE = 1_000
"""Offers in one script, so that it holds up nobody."""

# All workers are one reader by name: names of readers stay for ever, and a worker has a new name at each start.
# The list of lines is a set ordered by the server's time of the last offer.
_PUT = """
local time = redis.call('TIME')[1]
for n = 4, #ARGV, 3 do
    local line = KEYS[2] .. ARGV[n]
    if redis.call('EXISTS', line) == 0 then redis.call('XGROUP', 'CREATE', line, 'workers', '0', 'MKSTREAM') end
    redis.call('XADD', line, 'MAXLEN', '~', ARGV[1], '*', 'until', ARGV[n + 1], 'body', ARGV[n + 2])
    redis.call('EXPIRE', line, ARGV[2])
    redis.call('ZADD', KEYS[1], time, ARGV[n])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time - ARGV[3])
"""
_TAKE = """
local lane, now, limit, silent, turn = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local wanted = {}
for n = 7, #ARGV do wanted[ARGV[n]] = true end
local names = {}
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local gap = string.find(name, '/', 1, true)
    if string.sub(name, 1, gap - 1) == lane and (ARGV[6] == 'any' or wanted[string.sub(name, gap + 1)]) then
        names[#names + 1] = name
    end
end
local taken = {}
local function sieve(line, entries)
    for _, entry in ipairs(entries) do
        if entry and entry[2] and tonumber(entry[2][2]) > now then
            taken[#taken + 1] = {line, entry[1], entry[2][4]}
        elseif entry then
            redis.call('XACK', line, 'workers', entry[1])
            redis.call('XDEL', line, entry[1])
        end
    end
end
for n = 1, #names do
    local line = KEYS[2] .. names[(n + turn) % #names + 1]
    if #taken < limit and redis.call('EXISTS', line) == 1 then
        sieve(line, redis.call('XAUTOCLAIM', line, 'workers', 'worker', silent, '0', 'COUNT', limit - #taken)[2])
        while #taken < limit do
            local found = redis.call('XREADGROUP', 'GROUP', 'workers', 'worker', 'COUNT', limit - #taken,
                                     'STREAMS', line, '>')
            if not found then break end
            sieve(line, found[1][2])
        end
    end
end
return taken
"""
_KEEP = """
if redis.call('EXISTS', KEYS[1]) == 0 then return end
for n = 1, #ARGV do redis.call('XCLAIM', KEYS[1], 'workers', 'worker', 0, ARGV[n], 'JUSTID') end
"""
_DONE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return end
for n = 1, #ARGV do
    redis.call('XACK', KEYS[1], 'workers', ARGV[n])
    redis.call('XDEL', KEYS[1], ARGV[n])
end
"""
_DEPTH = """
local depth = 0
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local line = KEYS[2] .. name
    if redis.call('EXISTS', line) == 1 then
        depth = depth + math.max(0, redis.call('XLEN', line) - redis.call('XPENDING', line, 'workers')[1])
    end
end
return depth
"""


class RedisQueue:
    """Fulfils `scrapeyard.ports.queue.Queue` for every machine that meets the same server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._keys = [server.key("lines"), server.key("line/")]
        self._turns = count()

    async def put(self, offers: Sequence[Offer]) -> None:
        """Line them up."""
        for start in range(0, len(offers), _AT_ONCE):
            words: list[str | bytes] = [str(_MOST), str(_UNUSED), str(_UNUSED)]
            for offer in offers[start : start + _AT_ONCE]:
                words += [f"{offer.lane}/{offer.scraper.digest}", repr(offer.until), encode(offer)]
            await self._server.run(_PUT, self._keys, words)

    async def take(self, worker: str, wants: Wants, limit: int, *, now: float) -> list[Delivery]:  # noqa: ARG002 - the port's words
        """The oldest that suit, beginning with another line each time."""
        if limit <= 0 or wants.digests == frozenset():
            return []
        silent = str(int(_SILENT * 1000))
        words = [wants.lane, repr(now), str(limit), silent, str(next(self._turns))]
        words += ["any"] if wants.digests is None else ["these", *wants.digests]
        found: list[tuple[bytes, bytes, bytes]] = await self._server.run(_TAKE, self._keys, words)
        return [Delivery(decode_offer(body), f"{line.decode()} {entry.decode()}") for line, entry, body in found]

    async def keep(self, deliveries: Sequence[Delivery], *, seconds: float) -> None:  # noqa: ARG002 - silence counts anew
        """Begin the count of their silence anew, however long that is to last: the worker says so again in time."""
        await self._each(_KEEP, deliveries)

    async def done(self, deliveries: Sequence[Delivery]) -> None:
        """Take them off."""
        await self._each(_DONE, deliveries)

    async def back(self, deliveries: Sequence[Delivery]) -> None:
        """Line them up anew, then take off the old ones: between the two they are there twice, never not at all."""
        await self.put([delivery.offer for delivery in deliveries])
        await self.done(deliveries)

    async def depth(self) -> int:
        """How many are lined up and not delivered."""
        return int(await self._server.run(_DEPTH, self._keys, []))

    async def close(self) -> None:
        """Let go of the connections, also for what shares them."""
        await self._server.close()

    async def _each(self, script: str, deliveries: Sequence[Delivery]) -> None:
        handles = sorted(delivery.handle.rsplit(" ", 1) for delivery in deliveries)
        for line, entries in groupby(handles, key=lambda handle: handle[0]):
            ids = [entry for _, entry in entries]
            for start in range(0, len(ids), _AT_ONCE):
                await self._server.run(script, [line], ids[start : start + _AT_ONCE])
