"""The wire passes on everything, and can be stalled, slowed, refused and broken off. The server behind it is real."""

import asyncio
import time

import pytest

from scrapeyard.backends.redis import server as server_module
from scrapeyard.backends.redis.queue import RedisQueue
from scrapeyard.backends.redis.server import open_server
from scrapeyard.model.errors import StorageError
from scrapeyard.testing.faults.wire import Wire
from scrapeyard.testing.queue import an_offer


@pytest.fixture
async def wire(redis):
    async with Wire(redis.port) as wire:
        yield wire


@pytest.fixture
async def queue(redis, wire, monkeypatch):
    monkeypatch.setattr(server_module, "_ANSWER", 0.3)
    address = redis.fresh().replace(str(redis.port), str(wire.port))
    server = await open_server(address)
    yield RedisQueue(server)
    await server.close()


async def test_everything_passes_until_something_is_done_to_it(queue, wire):
    await queue.put([an_offer(seq) for seq in range(500)])
    assert await queue.depth() == 500
    assert wire.passed > 50_000


async def test_a_stalled_wire_looks_like_a_server_that_does_not_answer_and_heals(queue, wire):
    await queue.depth()
    wire.stall()
    with pytest.raises(StorageError, match=r"does not answer|cannot be reached"):
        await queue.depth()
    wire.heal()
    assert await queue.depth() == 0


async def test_a_broken_connection_is_replaced(queue, wire):
    await queue.depth()
    wire.reset()
    await asyncio.sleep(0.05)
    assert await queue.depth() == 0


async def test_a_wire_that_refuses_looks_like_a_server_that_is_away(queue, wire):
    wire.refuse()
    await asyncio.sleep(0.05)
    with pytest.raises(StorageError, match="cannot be reached"):
        await queue.depth()
    wire.heal()
    assert await queue.depth() == 0


async def test_a_slow_wire_is_slow(queue, wire):
    await queue.depth()
    wire.slow(0.05)
    begun = time.monotonic()
    await queue.depth()
    assert time.monotonic() - begun >= 0.1
