"""What needs no server: `memory:` for one process, `sqlite:///path` for all processes of one machine."""

from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.memory.queue import MemoryQueue
from scrapeyard.backends.sqlite.fleet import SqliteFleet
from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.backends.sqlite.live import open_live
from scrapeyard.backends.sqlite.queue import SqliteQueue
from scrapeyard.model.address import scheme_of
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.queue import Queue
from scrapeyard.wiring.blobs import path_in
from scrapeyard.wiring.opened import Opened


async def ledger(address: str, opened: Opened) -> Ledger:
    """The ledger."""
    if scheme_of(address) == "memory":
        return MemoryLedger()
    return opened.kept(await open_ledger(path_in(address, "sqlite")))


async def live(address: str, opened: Opened) -> tuple[Queue, Fleet]:
    """Queue and fleet."""
    if scheme_of(address) == "memory":
        return MemoryQueue(), MemoryFleet()
    database = opened.kept(await open_live(path_in(address, "sqlite")))
    return SqliteQueue(database), SqliteFleet(database)
