"""The dispatcher's side of the ledger: which items may start next, and what became of offers nobody took."""

from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId


class OfferBook(Protocol):
    """Leave to start. One active dispatcher uses this; two at once may offer an item twice, never record it twice."""

    async def offer(self, job: JobId, limit: int, *, now: float, until: float, again: int | None = None) -> list[Offer]:
        """Mark up to `limit` startable items as offered until `until`: those that were offered before and are due
        first, but at most `again` of them; then fresh items in the job's own order (`decided by Job.policy.order
        and Job.order_key`)."""
        ...

    async def sample(self, job: JobId, seqs: Sequence[int], *, now: float, until: float) -> list[Offer]:
        """Of a job in list order: mark those of these items as offered that never were, out of turn. Its own order
        passes them by when it comes to them. Where items start in random order anyway, and where a ledger has
        remembered too many already, there are none."""
        ...

    async def withdraw(self, job: JobId, *, now: float) -> int:
        """Take back every offer of the job that no worker has taken, at once; gives how many."""
        ...

    async def sweep(self, *, now: float) -> int:
        """Take back offers that have expired, of all jobs, so that they can be offered again; gives how many."""
        ...

    async def next_due(self, job: JobId) -> float | None:
        """When the earliest waiting retry of the job may start; None when nothing waits for a time."""
        ...

    async def fresh(self, job: JobId) -> int:
        """How many items have never been offered."""
        ...
