"""The durable truth about jobs, items and attempts, as one thing that is opened and closed.

It is seven small books rather than one wide interface, so that each role sees only what it may do: the
service writes jobs and items, the dispatcher offers, workers hold leases; and all write down what they have learned
and what happened.
"""

from typing import Protocol

from scrapeyard.ports.events import EventBook
from scrapeyard.ports.items import ItemBook
from scrapeyard.ports.jobs import JobBook
from scrapeyard.ports.leaders import LeaderBook
from scrapeyard.ports.leases import LeaseBook
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.offers import OfferBook


class Ledger(Protocol):
    """All books of one ledger."""

    @property
    def jobs(self) -> JobBook: ...

    @property
    def items(self) -> ItemBook: ...

    @property
    def offers(self) -> OfferBook: ...

    @property
    def leases(self) -> LeaseBook: ...

    @property
    def leaders(self) -> LeaderBook: ...

    @property
    def memos(self) -> MemoBook: ...

    @property
    def events(self) -> EventBook: ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
