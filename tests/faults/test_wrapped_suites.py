"""Ports keep their promises through faults that they promise to bear: answers that overtake each other, and questions
that are asked again because an answer was lost."""

from random import Random

import pytest

from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.memory.queue import MemoryQueue
from scrapeyard.backends.postgres.ledger import open_ledger
from scrapeyard.backends.postgres.opening import open_database
from scrapeyard.backends.redis.fleet import RedisFleet
from scrapeyard.backends.redis.queue import RedisQueue
from scrapeyard.backends.redis.server import open_server
from scrapeyard.backends.sqlite.ledger import open_ledger as open_file
from scrapeyard.backends.system.clock import SystemClock
from scrapeyard.testing.blobs import BlobsSuite
from scrapeyard.testing.events import EventsSuite
from scrapeyard.testing.faults.kinds import Delay, Repeated
from scrapeyard.testing.faults.wrapping import wrapped
from scrapeyard.testing.fleet import FleetSuite
from scrapeyard.testing.items import ItemsSuite
from scrapeyard.testing.jobs import JobsSuite
from scrapeyard.testing.leaders import LeadersSuite
from scrapeyard.testing.leases import LeasesSuite
from scrapeyard.testing.memos import MemosSuite
from scrapeyard.testing.offers import OffersSuite
from scrapeyard.testing.queue import QueueSuite


def faults():
    return Delay(SystemClock(), Random(7), 0.0005), Repeated()


class InMemory:
    @pytest.fixture
    def open_ledger(self):
        ledger = wrapped(MemoryLedger(), "ledger", *faults())

        async def opened():
            return ledger

        return opened


class TestJobs(InMemory, JobsSuite):
    """The book of jobs."""


class TestItems(InMemory, ItemsSuite):
    """The book of items."""


class TestOffers(InMemory, OffersSuite):
    """The dispatcher's side."""


class TestLeases(InMemory, LeasesSuite):
    """The workers' side."""


class TestLeaders(InMemory, LeadersSuite):
    """Who may act alone."""


class TestMemos(InMemory, MemosSuite):
    """What was learned."""


class TestEvents(InMemory, EventsSuite):
    """What happened."""


class TestPostgresLeases(LeasesSuite):
    """What must be exact, at a real server."""

    @pytest.fixture
    def open_ledger(self, postgres):
        address = postgres.fresh()

        async def opened():
            return wrapped(await open_ledger(await open_database(address)), "ledger", *faults())

        return opened


class TestSqliteLeases(LeasesSuite):
    """What must be exact, in a file."""

    @pytest.fixture
    def open_ledger(self, tmp_path):
        async def opened():
            return wrapped(await open_file(tmp_path / "ledger.db"), "ledger", *faults())

        return opened


class TestMemoryQueue(QueueSuite):
    """The hand-over."""

    @pytest.fixture
    def open_queue(self):
        queue = wrapped(MemoryQueue(), "queue", *faults())

        async def opened():
            return queue

        return opened


class TestRedisQueue(QueueSuite):
    """The hand-over, at a real server."""

    @pytest.fixture
    def open_queue(self, redis):
        address = redis.fresh()

        async def opened():
            return wrapped(RedisQueue(await open_server(address)), "queue", *faults())

        return opened


class TestMemoryFleet(FleetSuite):
    """The live channel; its reports are in order because each worker waits for its answer."""

    @pytest.fixture
    def open_fleet(self):
        fleet = wrapped(MemoryFleet(), "fleet", *faults())

        async def opened():
            return fleet

        return opened


class TestRedisFleet(FleetSuite):
    """The live channel, at a real server."""

    @pytest.fixture
    def open_fleet(self, redis):
        address = redis.fresh()

        async def opened():
            return wrapped(RedisFleet(await open_server(address)), "fleet", *faults())

        return opened


class TestBlobs(BlobsSuite):
    """The store of blobs, with its streams and appenders."""

    @pytest.fixture
    def blobs(self):
        return wrapped(MemoryBlobs(), "blobs", *faults())
