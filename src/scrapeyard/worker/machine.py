"""The machine that a worker runs on: it starts scraping processes, weighs them, and says when it is full."""

from typing import Protocol

from scrapeyard.worker.guard import Guard, resident
from scrapeyard.worker.hand import Hand, start
from scrapeyard.worker.options import ChildOptions, WorkerOptions


class Machine(Protocol):
    """What a worker needs of it."""

    async def start(self, options: WorkerOptions, child: ChildOptions) -> Hand:
        """Start a scraping process."""
        ...

    def refusal(self) -> str | None:
        """Why this worker should take nothing now, or None."""
        ...

    def resident(self, pid: int) -> int:
        """Bytes that a process has in memory; 0 when it is gone."""
        ...


class ThisMachine:
    """The real one."""

    def __init__(self, options: WorkerOptions) -> None:
        self._guard = Guard(options.memory_share, options.files_share)

    async def start(self, options: WorkerOptions, child: ChildOptions) -> Hand:
        """Start a scraping process."""
        return await start(options, child)

    def refusal(self) -> str | None:
        """Why this worker should take nothing now, or None."""
        return self._guard.refusal()

    def resident(self, pid: int) -> int:
        """Bytes that a process has in memory; 0 when it is gone."""
        return resident(pid)
