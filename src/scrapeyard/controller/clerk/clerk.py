"""The clerk: one of all processes of a deployment does what nobody asks for, and another one when it is gone.

Each duty looks for itself what is to be done and finds it in the ledger, never in what it remembers; so a clerk that
dies in the middle leaves nothing that the next one does not finish, and two at once do nothing twice. A duty that takes
long does not keep the others waiting, nor the lead from being renewed.
"""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import structlog

from scrapeyard.model.errors import ScrapeyardError
from scrapeyard.ports.clock import Clock

log = structlog.get_logger(__name__)

ROLE = "clerk"


class Lead(Protocol):
    """Whether this process is the one that acts."""

    async def held(self) -> bool:
        """Renews it, or tries to get it, when it is time to."""
        ...

    async def resign(self) -> None:
        """Give it up."""
        ...


class Duty(Protocol):
    """One thing that is looked after. `every` is how many seconds lie between two looks."""

    @property
    def every(self) -> float: ...

    async def look(self) -> None:
        """Do what is to be done now. May be cut off at any moment."""
        ...


class Clerk:
    """One candidate. After `run` has returned it is used up."""

    def __init__(self, lead: Lead, duties: Sequence[Duty], clock: Clock, *, tick: float = 1.0) -> None:
        self._lead = lead
        self._duties = duties
        self._clock = clock
        self._tick = tick
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._begun: dict[int, float] = {}
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """End. May be called from a signal handler."""
        self._stopped.set()

    async def run(self) -> None:
        """Act while this one leads, until stopped."""
        stopped = asyncio.create_task(self._stopped.wait())
        try:
            while not self._stopped.is_set():
                if await self._leads():
                    self._begin_what_is_due()
                else:
                    await self._drop()
                pause = asyncio.create_task(self._clock.sleep(self._tick))
                await asyncio.wait({pause, stopped}, return_when=asyncio.FIRST_COMPLETED)
                pause.cancel()
        finally:
            stopped.cancel()
            await self._drop()
            await self._resign()

    async def _leads(self) -> bool:
        try:
            return await self._lead.held()
        except ScrapeyardError as error:
            log.warning("the clerk cannot ask whether it leads", error=str(error))
            return False

    def _begin_what_is_due(self) -> None:
        now = self._clock.monotonic()
        for number, duty in enumerate(self._duties):
            task, begun = self._tasks.get(number), self._begun.get(number)
            if (task is None or task.done()) and (begun is None or now - begun >= duty.every):
                self._begun[number] = now
                self._tasks[number] = asyncio.create_task(_done(duty))

    async def _drop(self) -> None:
        tasks, self._tasks = self._tasks, {}
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _resign(self) -> None:
        try:
            await self._lead.resign()
        except ScrapeyardError as error:
            log.warning("the clerk cannot resign; its lead lapses by itself", error=str(error))


async def _done(duty: Duty) -> None:
    try:
        await duty.look()
    except ScrapeyardError as error:
        log.warning("a duty is put off", duty=type(duty).__name__, error=str(error))
    except Exception:  # a bug in one duty must not end what works on jobs in the same process
        log.exception("a duty failed", duty=type(duty).__name__)
