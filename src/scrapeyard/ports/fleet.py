"""The live channel between workers and the dispatcher. Lossy by design; see `scrapeyard.model.fleet`."""

from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView


class Fleet(Protocol):
    """Reports go up, orders come down, and what the dispatcher thinks is shown to people."""

    async def report(self, report: WorkerReport) -> Orders:
        """A worker reports, and collects the orders that wait for it; each order is delivered at most once."""
        ...

    async def collect(self) -> list[WorkerReport]:
        """The dispatcher collects the reports that came since it last did, oldest first."""
        ...

    async def order(self, worker: str, orders: Orders) -> None:
        """Leave orders for a worker, added to those that it has not collected yet."""
        ...

    async def show(self, views: Sequence[JobView]) -> None:
        """The dispatcher publishes what it thinks of each job, replacing what it said before."""
        ...

    async def views(self) -> list[JobView]:
        """What the dispatcher last published."""
        ...

    async def roster(self) -> list[WorkerReport]:
        """The last report of every worker that reported, for people to read."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
