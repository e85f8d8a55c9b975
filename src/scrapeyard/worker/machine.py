"""The machine that a worker runs on: it starts scraping processes, weighs them, and says when it is full."""

import time
from typing import Final, Protocol

from scrapeyard.worker.guard import Guard, resident
from scrapeyard.worker.hand import Hand, start
from scrapeyard.worker.options import ChildOptions, WorkerOptions

_FULL_FOR: Final = 0.5
_WEIGHS_FOR: Final = 0.2
"""Seconds for which a look at the machine is believed. A look reads a dozen small files of the kernel's, and both are
asked for many times a second."""


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
        self._refusal: str | None = None
        self._looked = 0.0
        self._weights: dict[int, tuple[float, int]] = {}

    async def start(self, options: WorkerOptions, child: ChildOptions) -> Hand:
        """Start a scraping process."""
        return await start(options, child)

    def refusal(self) -> str | None:
        """Why this worker should take nothing now, or None."""
        now = time.monotonic()
        if now - self._looked >= _FULL_FOR:
            self._refusal, self._looked = self._guard.refusal(), now
        return self._refusal

    def resident(self, pid: int) -> int:
        """Bytes that a process has in memory; 0 when it is gone."""
        now = time.monotonic()
        weighed, size = self._weights.get(pid, (0.0, 0))
        if now - weighed >= _WEIGHS_FOR:
            self._weights = {one: last for one, last in self._weights.items() if now - last[0] < 2 * _WEIGHS_FOR}
            size = resident(pid)
            self._weights[pid] = now, size
        return size
