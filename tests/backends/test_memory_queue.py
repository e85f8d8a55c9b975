"""The memory queue keeps the promises of its port."""

import pytest

from scrapeyard.backends.memory.queue import MemoryQueue
from scrapeyard.testing.queue import QueueSuite, an_offer, drained
from scrapeyard.testing.scenes import NOW


class TestMemoryQueue(QueueSuite):
    @pytest.fixture
    def open_queue(self):
        queue = MemoryQueue()

        async def opened():
            return queue

        return opened


async def test_the_oldest_comes_first_whatever_its_version():
    queue = MemoryQueue()
    await queue.put([an_offer(n, digest="abcd"[n % 4]) for n in range(20)])
    assert [delivery.offer.seq for delivery in await drained(queue)] == list(range(20))


async def test_expired_offers_do_not_pile_up():
    queue = MemoryQueue()
    await queue.put([an_offer(n, until=NOW - 1) for n in range(100)])
    assert await drained(queue) == []
    assert await queue.depth() == 0
