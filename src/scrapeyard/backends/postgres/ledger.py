"""All books of one ledger, in one schema of a PostgreSQL database."""

from scrapeyard.backends.postgres.connection import Database
from scrapeyard.backends.postgres.events import PostgresEvents
from scrapeyard.backends.postgres.items import PostgresItems
from scrapeyard.backends.postgres.jobs import PostgresJobs
from scrapeyard.backends.postgres.leaders import PostgresLeaders
from scrapeyard.backends.postgres.leases import PostgresLeases
from scrapeyard.backends.postgres.memos import PostgresMemos
from scrapeyard.backends.postgres.offers import PostgresOffers
from scrapeyard.backends.postgres.opening import migrate, migrations


class PostgresLedger:
    """Fulfils `scrapeyard.ports.ledger.Ledger`. What it has answered is as durable as the server is."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._jobs = PostgresJobs(database)
        self._items = PostgresItems(database)
        self._offers = PostgresOffers(database)
        self._leases = PostgresLeases(database)
        self._leaders = PostgresLeaders(database)
        self._memos = PostgresMemos(database)
        self._events = PostgresEvents(database)

    @property
    def jobs(self) -> PostgresJobs:
        """Jobs and their counters."""
        return self._jobs

    @property
    def items(self) -> PostgresItems:
        """Items and what became of them."""
        return self._items

    @property
    def offers(self) -> PostgresOffers:
        """Leave to start."""
        return self._offers

    @property
    def leases(self) -> PostgresLeases:
        """Who runs what."""
        return self._leases

    @property
    def leaders(self) -> PostgresLeaders:
        """Who may act alone."""
        return self._leaders

    @property
    def memos(self) -> PostgresMemos:
        """What was learned."""
        return self._memos

    @property
    def events(self) -> PostgresEvents:
        """What happened."""
        return self._events

    async def close(self) -> None:
        """Finish what was asked for and let go of the connections, also for what shares them."""
        await self._database.close()


async def open_ledger(database: Database) -> PostgresLedger:
    """The ledger in this database; its tables are made if they are not there."""
    await migrate(database, "ledger", migrations("ledger"))
    return PostgresLedger(database)
