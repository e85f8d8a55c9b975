"""What is kept in PostgreSQL: `postgresql://user@host/database`."""

from scrapeyard.backends.postgres.fleet import PostgresFleet
from scrapeyard.backends.postgres.ledger import open_ledger
from scrapeyard.backends.postgres.live import open_live
from scrapeyard.backends.postgres.opening import open_database
from scrapeyard.backends.postgres.queue import PostgresQueue
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.queue import Queue
from scrapeyard.wiring.opened import Opened


async def ledger(address: str, opened: Opened) -> Ledger:
    """The ledger."""
    return await open_ledger(await opened.once(address, open_database))


async def live(address: str, opened: Opened) -> tuple[Queue, Fleet]:
    """Queue and fleet."""
    database = await open_live(await opened.once(address, open_database))
    return PostgresQueue(database), PostgresFleet(database)
