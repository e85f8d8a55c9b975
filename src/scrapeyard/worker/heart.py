"""One sign of life for a whole worker, and the discipline that goes with it.

Whoever watches a worker gives its items away once its beat has stood still for the lease's length. So a worker
that cannot beat must stop recording before that moment, by its own monotonic clock, whatever it believes.
"""

import os
import socket

import structlog

from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.leases import LeaseBook

log = structlog.get_logger(__name__)


class Heart:
    """Beats for one incarnation of a worker. Once `stopped`, it never beats again."""

    def __init__(self, worker: str, leases: LeaseBook, clock: Clock, *, ttl: float, fence_share: float) -> None:
        self._leases = leases
        self._clock = clock
        self._ttl = ttl
        self._limit = ttl * fence_share
        self._beat = WorkerBeat(worker, 0, clock.now(), socket.gethostname(), os.getpid())
        self._last = clock.monotonic()
        self.stopped: str | None = None

    async def first(self) -> None:
        """Announce the worker. Storage must answer; there is nothing to lose yet."""
        await self._leases.beat(self._beat)
        self._last = self._clock.monotonic()

    def alive(self) -> bool:
        """Whether this worker may still start and record."""
        if self.stopped is None and self._clock.monotonic() - self._last > self._limit:
            self.stopped = f"no sign of life could be given for {self._limit:.0f} s"
        return self.stopped is None

    async def run(self) -> None:
        """Beat until fenced off. A beat that fails is tried again soon, within what the lease allows."""
        pause = self._ttl / 4
        while self.alive():
            await self._clock.sleep(pause)
            number = self._beat.version + 1
            beat = WorkerBeat(self._beat.worker, number, self._beat.started, self._beat.host, self._beat.pid)
            asked = self._clock.monotonic()
            try:
                accepted = await self._leases.beat(beat)
            except StorageError as error:
                log.warning("no beat", worker=beat.worker, error=str(error))
                pause = min(1.0, self._ttl / 20)
                continue
            if not accepted:
                self.stopped = "it was declared dead while it was silent"
                return
            self._beat, self._last, pause = beat, asked, self._ttl / 4
