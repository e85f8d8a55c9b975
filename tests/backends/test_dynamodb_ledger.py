"""The DynamoDB ledger keeps the promises of all its books, opened once or by several at the same time."""

import pytest

from scrapeyard.backends.dynamodb.ledger import open_ledger
from scrapeyard.testing.events import EventsSuite
from scrapeyard.testing.items import ItemsSuite
from scrapeyard.testing.jobs import JobsSuite
from scrapeyard.testing.leaders import LeadersSuite
from scrapeyard.testing.leases import LeasesSuite
from scrapeyard.testing.memos import MemosSuite
from scrapeyard.testing.offers import OffersSuite


class InTable:
    scale = 0.2  # DynamoDB Local writes a few hundred rows a second

    @pytest.fixture
    def open_ledger(self, dynamodb):
        address = dynamodb.fresh()

        async def opened():
            return await open_ledger(address)

        return opened


class TestDynamoJobs(InTable, JobsSuite):
    """The book of jobs."""


class TestDynamoItems(InTable, ItemsSuite):
    """The book of items."""


class TestDynamoOffers(InTable, OffersSuite):
    """The dispatcher's side."""


class TestDynamoLeases(InTable, LeasesSuite):
    """The workers' side."""


class TestDynamoLeaders(InTable, LeadersSuite):
    """Who may act alone."""


class TestDynamoMemos(InTable, MemosSuite):
    """What was learned."""


class TestDynamoEvents(InTable, EventsSuite):
    """What happened."""
