"""The dispatcher: waits until it leads, then does a leader's duties until it is stopped or loses the lead.

Nothing that it remembers is the truth. When storage fails for a moment, the tick is lost and the next one looks
again; when it dies, another one learns everything from the ledger and from the workers' reports.
"""

import asyncio
import secrets
import socket

import structlog

from scrapeyard.dispatcher.closing import WriteManifest
from scrapeyard.dispatcher.leadership import Leadership
from scrapeyard.dispatcher.options import DispatcherOptions, Outside
from scrapeyard.dispatcher.term import Term
from scrapeyard.model.errors import StorageError
from scrapeyard.results.manifest import write_manifest

__all__ = ["Dispatcher", "DispatcherOptions", "Outside"]

log = structlog.get_logger(__name__)

_WORST_PAUSE = 1.0
_RENEW = 1 / 4
"""Share of the lead's length after which it is renewed."""


class Dispatcher:
    """One candidate for the lead. After `run` has returned it is used up."""

    def __init__(self, outside: Outside, options: DispatcherOptions, manifest: WriteManifest = write_manifest) -> None:
        self.id = f"{socket.gethostname()[:32]}-{secrets.token_hex(4)}"
        self._outside = outside
        self._options = options
        self._manifest = manifest
        self._leadership = Leadership(outside.ledger.leaders, outside.clock, self.id, options.leader_ttl)
        self._term: Term | None = None
        self._stopped = asyncio.Event()

    @property
    def leads(self) -> bool:
        """Whether this one is active."""
        return self._term is not None

    def stop(self) -> None:
        """End after the present tick. May be called from a signal handler."""
        self._stopped.set()

    async def run(self) -> None:
        """Lead when nobody else does, until stopped."""
        pause = self._options.tick
        try:
            while not self._stopped.is_set():
                try:
                    await self._turn()
                    pause = self._options.tick
                except StorageError as error:
                    if error.final:
                        raise
                    pause = min(_WORST_PAUSE, pause * 2)
                    log.warning("storage fails, trying again", error=str(error), pause=pause)
                await self._outside.clock.sleep(pause)
        finally:
            await self._leave()

    async def _turn(self) -> None:
        if not await self._leadership.held():
            await self._end_term()
            return
        if self._term is None:
            term = Term(self._outside, self._options, self._manifest)
            await term.open()
            self._term = term
            log.info("dispatcher leads", dispatcher=self.id)
        await self._lead(self._term)

    async def _lead(self, term: Term) -> None:
        """One tick. Where storage is slow it may take longer than the lead lasts, so that is renewed meanwhile."""
        ticking = asyncio.create_task(term.tick())
        try:
            while not ticking.done():
                pause = asyncio.create_task(self._outside.clock.sleep(self._options.leader_ttl * _RENEW))
                await asyncio.wait({ticking, pause}, return_when=asyncio.FIRST_COMPLETED)
                pause.cancel()
                if not ticking.done() and not await self._leadership.held():
                    await self._end_term()
                    return
            await ticking
        finally:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)

    async def _leave(self) -> None:
        """Make room at once for another one, whatever the reason to go."""
        term = self._term
        await self._end_term()
        try:
            if term is not None:
                await term.farewell()
            await self._leadership.resign()
        except StorageError as error:
            log.warning("cannot resign; the lead lapses by itself", error=str(error))

    async def _end_term(self) -> None:
        if self._term is not None:
            term, self._term = self._term, None
            await term.close()
            log.info("dispatcher leads no more", dispatcher=self.id)
