"""The PostgreSQL ledger keeps the promises of all its books, opened once or by several at the same time."""

import pytest

from scrapeyard.backends.postgres.ledger import open_ledger
from scrapeyard.backends.postgres.opening import open_database
from scrapeyard.testing.events import EventsSuite
from scrapeyard.testing.items import ItemsSuite
from scrapeyard.testing.jobs import JobsSuite
from scrapeyard.testing.leaders import LeadersSuite
from scrapeyard.testing.leases import LeasesSuite
from scrapeyard.testing.memos import MemosSuite
from scrapeyard.testing.offers import OffersSuite


class InSchema:
    @pytest.fixture
    def open_ledger(self, postgres):
        address = postgres.fresh()

        async def opened():
            return await open_ledger(await open_database(address))

        return opened


class TestPostgresJobs(InSchema, JobsSuite):
    """The book of jobs."""


class TestPostgresItems(InSchema, ItemsSuite):
    """The book of items."""


class TestPostgresOffers(InSchema, OffersSuite):
    """The dispatcher's side."""


class TestPostgresLeases(InSchema, LeasesSuite):
    """The workers' side."""


class TestPostgresLeaders(InSchema, LeadersSuite):
    """Who may act alone."""


class TestPostgresMemos(InSchema, MemosSuite):
    """What was learned."""


class TestPostgresEvents(InSchema, EventsSuite):
    """What happened."""
