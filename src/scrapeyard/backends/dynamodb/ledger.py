"""All books of one ledger, in one table of DynamoDB."""

from scrapeyard.backends.dynamodb.events import DynamoEvents
from scrapeyard.backends.dynamodb.items import DynamoItems
from scrapeyard.backends.dynamodb.jobs import DynamoJobs
from scrapeyard.backends.dynamodb.leaders import DynamoLeaders
from scrapeyard.backends.dynamodb.leases import DynamoLeases
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.memos import DynamoMemos
from scrapeyard.backends.dynamodb.offers import DynamoOffers
from scrapeyard.backends.dynamodb.opening import open_table
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.dynamodb.tabs import Tabs


class DynamoLedger:
    """Fulfils `scrapeyard.ports.ledger.Ledger` for every machine that meets the same table."""

    def __init__(self, table: Table) -> None:
        tabs, listing = Tabs(table), Listing(table)
        self._table = table
        self._jobs = DynamoJobs(table, tabs, listing)
        self._items = DynamoItems(table, tabs, listing)
        self._offers = DynamoOffers(table, tabs, listing)
        self._leases = DynamoLeases(table, tabs, listing)
        self._leaders = DynamoLeaders(table)
        self._memos = DynamoMemos(table)
        self._events = DynamoEvents(table)

    @property
    def jobs(self) -> DynamoJobs:
        """Jobs and their counters."""
        return self._jobs

    @property
    def items(self) -> DynamoItems:
        """Items and what became of them."""
        return self._items

    @property
    def offers(self) -> DynamoOffers:
        """Leave to start."""
        return self._offers

    @property
    def leases(self) -> DynamoLeases:
        """Who runs what."""
        return self._leases

    @property
    def leaders(self) -> DynamoLeaders:
        """Who may act alone."""
        return self._leaders

    @property
    def memos(self) -> DynamoMemos:
        """What was learned."""
        return self._memos

    @property
    def events(self) -> DynamoEvents:
        """What happened."""
        return self._events

    async def close(self) -> None:
        """Let go of the connections."""
        await self._table.close()


async def open_ledger(address: str) -> DynamoLedger:
    """The ledger at this address."""
    return DynamoLedger(await open_table(address))
