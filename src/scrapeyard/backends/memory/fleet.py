"""The live channel, in memory."""

from collections import deque
from collections.abc import Sequence

from scrapeyard.backends.orders import added
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView

_MOST_REPORTS = 10_000
"""Kept for a dispatcher that does not collect; then the oldest are lost, which the channel may."""

_MOST_WORKERS = 1_000


class MemoryFleet:
    """Fulfils `scrapeyard.ports.fleet.Fleet` for one event loop."""

    def __init__(self) -> None:
        self._reports: deque[WorkerReport] = deque(maxlen=_MOST_REPORTS)
        self._roster: dict[str, WorkerReport] = {}
        self._orders: dict[str, Orders] = {}
        self._views: tuple[JobView, ...] = ()

    async def report(self, report: WorkerReport) -> Orders:
        """Hear a worker and hand it its orders."""
        self._reports.append(report)
        self._roster.pop(report.worker, None)
        self._roster[report.worker] = report
        _trim(self._roster)
        return self._orders.pop(report.worker, Orders())

    async def collect(self) -> list[WorkerReport]:
        """What was reported since the last time."""
        reports = list(self._reports)
        self._reports.clear()
        return reports

    async def order(self, worker: str, orders: Orders) -> None:
        """Leave orders."""
        self._orders[worker] = added((self._orders.pop(worker, Orders()), orders))
        _trim(self._orders)

    async def show(self, views: Sequence[JobView]) -> None:
        """Publish."""
        self._views = tuple(views)

    async def views(self) -> list[JobView]:
        """What was published."""
        return list(self._views)

    async def roster(self) -> list[WorkerReport]:
        """The last report of each worker, the latest last."""
        return list(self._roster.values())

    async def close(self) -> None:
        """Nothing to let go of."""


def _trim(by_worker: dict[str, WorkerReport] | dict[str, Orders]) -> None:
    """Forget the worker that was heard of least lately, once there are too many."""
    if len(by_worker) > _MOST_WORKERS:
        del by_worker[next(iter(by_worker))]
