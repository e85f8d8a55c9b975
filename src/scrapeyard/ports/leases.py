"""The workers' side of the ledger: taking leases, keeping them, and recording how each one ends, exactly once."""

from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Offer, Settlement


class LeaseBook(Protocol):
    """Leases are held by workers, not by single items: one sign of life a worker keeps all of its leases.

    `exclusive` says whether at most one worker can hold an item at a time. Where it is false (a queue whose
    messages may be delivered twice) two workers may run an item; one result is recorded all the same.
    """

    @property
    def exclusive(self) -> bool:
        """Whether an item has at most one holder."""
        ...

    async def begin(self, worker: str, offers: Sequence[Offer], *, now: float) -> list[Lease]:
        """Take these offers. Those that have expired, were withdrawn, or were taken by another are left out."""
        ...

    async def settle(self, settlements: Sequence[Settlement], *, now: float) -> list[bool]:
        """Record how leases end: outcome, references, counters, attempt; together or not at all, where the backend can.

        False stands for a late one: somebody else holds, or has settled, the item; nothing of it is recorded
        but the count of stale results. Repeating a call whose answer was lost records nothing twice and
        answers False for what is already there.
        """
        ...

    async def beat(self, beat: WorkerBeat) -> bool:
        """A worker's sign of life, which keeps its leases. False: it was fenced off and must stop and start anew."""
        ...

    async def workers(self) -> list[WorkerBeat]:
        """Every worker that has beaten and not left, the fenced ones too while items still name them."""
        ...

    async def fence(self, worker: str, version: int) -> list[Lease] | None:
        """Declare a worker dead, if its beat is still at `version`; gives the leases that it held.

        Its later beats and takes are refused. None when it has beaten meanwhile. Asking again gives the leases
        that are still unsettled; the caller settles each of them.
        """
        ...

    async def leave(self, worker: str) -> None:
        """A worker with no lease left says good-bye."""
        ...
