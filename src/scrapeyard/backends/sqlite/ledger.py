"""All books of one ledger, in one SQLite file."""

from pathlib import Path

from scrapeyard.backends.sqlite.connection import Database, open_database
from scrapeyard.backends.sqlite.events import SqliteEvents
from scrapeyard.backends.sqlite.items import SqliteItems
from scrapeyard.backends.sqlite.jobs import SqliteJobs
from scrapeyard.backends.sqlite.leaders import SqliteLeaders
from scrapeyard.backends.sqlite.leases import SqliteLeases
from scrapeyard.backends.sqlite.memos import SqliteMemos
from scrapeyard.backends.sqlite.offers import SqliteOffers
from scrapeyard.backends.sqlite.opening import migrations


class SqliteLedger:
    """Fulfils `scrapeyard.ports.ledger.Ledger`. Every answer of a writing verb is durable, through a power cut too."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._jobs = SqliteJobs(database)
        self._items = SqliteItems(database)
        self._offers = SqliteOffers(database)
        self._leases = SqliteLeases(database)
        self._leaders = SqliteLeaders(database)
        self._memos = SqliteMemos(database)
        self._events = SqliteEvents(database)

    @property
    def jobs(self) -> SqliteJobs:
        """Jobs and their counters."""
        return self._jobs

    @property
    def items(self) -> SqliteItems:
        """Items and what became of them."""
        return self._items

    @property
    def offers(self) -> SqliteOffers:
        """Leave to start."""
        return self._offers

    @property
    def leases(self) -> SqliteLeases:
        """Who runs what."""
        return self._leases

    @property
    def leaders(self) -> SqliteLeaders:
        """Who may act alone."""
        return self._leaders

    @property
    def memos(self) -> SqliteMemos:
        """What was learned."""
        return self._memos

    @property
    def events(self) -> SqliteEvents:
        """What happened."""
        return self._events

    async def close(self) -> None:
        """Finish what was asked for and let go of the file."""
        await self._database.close()


async def open_ledger(path: Path) -> SqliteLedger:
    """Open the ledger at `path`, made if it is not there. Open it after a fork, never before."""
    return SqliteLedger(await open_database(path, migrations("ledger"), "FULL"))
