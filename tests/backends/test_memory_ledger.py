"""The memory ledger keeps the promises of all its books."""

import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.model.errors import Conflict
from scrapeyard.testing.events import EventsSuite
from scrapeyard.testing.items import ItemsSuite
from scrapeyard.testing.jobs import JobsSuite
from scrapeyard.testing.leaders import LeadersSuite
from scrapeyard.testing.leases import LeasesSuite
from scrapeyard.testing.memos import MemosSuite
from scrapeyard.testing.offers import OffersSuite
from scrapeyard.testing.scenes import staged


class InMemory:
    @pytest.fixture
    def open_ledger(self):
        ledger = MemoryLedger()

        async def opened():
            return ledger

        return opened


class TestMemoryJobs(InMemory, JobsSuite):
    """The book of jobs."""


class TestMemoryItems(InMemory, ItemsSuite):
    """The book of items."""


class TestMemoryOffers(InMemory, OffersSuite):
    """The dispatcher's side."""


class TestMemoryLeases(InMemory, LeasesSuite):
    """The workers' side."""


class TestMemoryLeaders(InMemory, LeadersSuite):
    """Who may act alone."""


class TestMemoryMemos(InMemory, MemosSuite):
    """What was learned."""


class TestMemoryEvents(InMemory, EventsSuite):
    """What happened."""


async def test_a_worker_that_holds_items_cannot_leave():
    scene = await staged(MemoryLedger(), 2)
    await scene.take()
    with pytest.raises(Conflict, match="settle them"):
        await scene.ledger.leases.leave("w1")
