"""Roles at work in this process: started together, drained together, and a worker that was fenced off replaced.

A worker that could not give a sign of life (a laptop that slept, a disk that hung) has lost its items to others, but
nothing is wrong with it; so a new incarnation takes its place, and waits for storage that is away still. Anything else
that ends a role is an error, and so is storage that was never there.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

import structlog

from scrapeyard.controller.clerk.clerk import Clerk
from scrapeyard.dispatcher.dispatcher import Dispatcher
from scrapeyard.model.errors import LeaseLost, StorageError

log = structlog.get_logger(__name__)

_REST = 1.0
"""Seconds between two tries of a worker to begin anew."""


class Hired(Protocol):
    """Works until stopped. A second `stop` ends at once what still runs."""

    def stop(self) -> None: ...

    async def run(self) -> None: ...


class Work:
    """A dispatcher, a worker, or both, and a clerk beside them, if one is wanted. In place of the worker may stand what
    scales a fleet of them."""

    def __init__(
        self, hire: Callable[[], Hired] | None, dispatcher: Dispatcher | None, clerk: Clerk | None = None
    ) -> None:
        self._hire = hire
        self._dispatcher = dispatcher
        self._clerk = clerk
        self._worker: Hired | None = None
        self._stopping = False
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        if self._dispatcher is not None:
            self._tasks.append(asyncio.create_task(self._dispatcher.run(), name="dispatcher"))
        if self._clerk is not None:
            self._tasks.append(asyncio.create_task(self._clerk.run(), name="clerk"))
        if self._hire is not None:
            self._worker = self._hire()
            self._tasks.append(asyncio.create_task(self._work(self._hire, self._worker), name="worker"))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._stopping:
            self.stop()
        await self.ended()

    def stop(self) -> None:
        """Begin to drain; a second call ends what still runs at once. May be called from a signal handler."""
        self._stopping = True
        if self._clerk is not None:
            self._clerk.stop()
        if self._worker is not None:
            self._worker.stop()
        elif self._dispatcher is not None:
            self._dispatcher.stop()

    async def ended(self) -> None:
        """Wait until every role has ended; the error that ended one ends the others and is raised here."""
        if not self._tasks:
            return
        try:
            await self._wait()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks = []

    async def _wait(self) -> None:
        running = set(self._tasks)
        while running:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
                # the dispatcher outlives the worker, so that what the worker gives back is counted
                if task.get_name() == "worker" and self._dispatcher is not None:
                    self._dispatcher.stop()
            if self._clerk is not None and not any(task.get_name() in ("worker", "dispatcher") for task in running):
                self._clerk.stop()

    async def _work(self, hire: Callable[[], Hired], worker: Hired) -> None:
        worked = False
        while True:
            try:
                await worker.run()
            except LeaseLost as lost:
                if self._stopping:
                    return
                worked = True
                log.warning("worker begins anew", reason=str(lost))
            except StorageError as error:
                if self._stopping or error.final or not worked:
                    raise
                log.warning("worker cannot begin anew yet", reason=str(error))
                await asyncio.sleep(_REST)
            else:
                return
            worker = self._worker = hire()
