"""The SQLite ledger keeps the promises of all its books, opened once or by several at the same time."""

import pytest

from scrapeyard.backends.sqlite.ledger import open_ledger as open_file
from scrapeyard.testing.events import EventsSuite
from scrapeyard.testing.items import ItemsSuite
from scrapeyard.testing.jobs import JobsSuite
from scrapeyard.testing.leaders import LeadersSuite
from scrapeyard.testing.leases import LeasesSuite
from scrapeyard.testing.memos import MemosSuite
from scrapeyard.testing.offers import OffersSuite


class InFile:
    @pytest.fixture
    def open_ledger(self, tmp_path):
        return lambda: open_file(tmp_path / "ledger.db")


class TestSqliteJobs(InFile, JobsSuite):
    """The book of jobs."""


class TestSqliteItems(InFile, ItemsSuite):
    """The book of items."""


class TestSqliteOffers(InFile, OffersSuite):
    """The dispatcher's side."""


class TestSqliteLeases(InFile, LeasesSuite):
    """The workers' side."""


class TestSqliteLeaders(InFile, LeadersSuite):
    """Who may act alone."""


class TestSqliteMemos(InFile, MemosSuite):
    """What was learned."""


class TestSqliteEvents(InFile, EventsSuite):
    """What happened."""
