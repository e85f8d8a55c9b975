"""All books of one ledger, in memory."""

from scrapeyard.backends.memory.events import MemoryEvents
from scrapeyard.backends.memory.items import MemoryItems
from scrapeyard.backends.memory.jobs import MemoryJobs
from scrapeyard.backends.memory.leaders import MemoryLeaders
from scrapeyard.backends.memory.leases import MemoryLeases
from scrapeyard.backends.memory.memos import MemoryMemos
from scrapeyard.backends.memory.offers import MemoryOffers
from scrapeyard.backends.memory.state import State


class MemoryLedger:
    """Fulfils `scrapeyard.ports.ledger.Ledger` for one event loop; nothing outlives the object."""

    def __init__(self) -> None:
        state = State()
        self._jobs = MemoryJobs(state)
        self._items = MemoryItems(state)
        self._offers = MemoryOffers(state)
        self._leases = MemoryLeases(state)
        self._leaders = MemoryLeaders()
        self._memos = MemoryMemos()
        self._events = MemoryEvents()

    @property
    def jobs(self) -> MemoryJobs:
        """Jobs and their counters."""
        return self._jobs

    @property
    def items(self) -> MemoryItems:
        """Items and what became of them."""
        return self._items

    @property
    def offers(self) -> MemoryOffers:
        """Leave to start."""
        return self._offers

    @property
    def leases(self) -> MemoryLeases:
        """Who runs what."""
        return self._leases

    @property
    def leaders(self) -> MemoryLeaders:
        """Who may act alone."""
        return self._leaders

    @property
    def memos(self) -> MemoryMemos:
        """What was learned."""
        return self._memos

    @property
    def events(self) -> MemoryEvents:
        """What happened."""
        return self._events

    async def close(self) -> None:
        """Nothing to let go of."""
