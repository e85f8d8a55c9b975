"""Writes down what happened to jobs and why, with what a person needs to judge it.

A trip is told with the last outcomes, their kinds, what going on would have brought, and three items with the pages
that they kept. Those are in the ledger only when their worker has committed them, so an event is written a moment
after it happened.
"""

from collections.abc import Callable, Sequence

import msgspec
import structlog

from scrapeyard.model.errors import StorageError
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.evidence import Evidence, Exhibit, Witness
from scrapeyard.model.job import JobId
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.ledger import Ledger

log = structlog.get_logger(__name__)

_MOMENT = 2.0
"""Seconds after which the last outcomes are in the ledger."""
_EXHIBITS = 3
_MOST_PENDING = 200


class Chronicle:
    """The events of one term."""

    def __init__(self, ledger: Ledger, clock: Clock, luck: Callable[[], float]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._luck = luck
        self._pending: list[tuple[float, Event, Evidence | None]] = []

    def note(self, name: str, words: str, *, job: str = "", site: str = "", found: object = None) -> None:
        """Something has happened. `found` is what it rests on; evidence of a trip gets its exhibits yet."""
        now = self._clock.now()
        trip = found if isinstance(found, Evidence) else None
        event = Event(event_id(now, self._luck()), now, name, words, job, site, msgspec.json.encode(found))
        due = self._clock.monotonic() + (_MOMENT if trip is not None else 0.0)
        self._pending = [*self._pending[-_MOST_PENDING:], (due, event, trip)]
        log.info(name, job=job, site=site, words=words)

    async def write(self, *, everything: bool = False) -> None:
        """Write down what is ready."""
        now = self._clock.monotonic()
        ready = [one for one in self._pending if everything or one[0] <= now]
        if not ready:
            return
        events = [await self._whole(event, trip) for _, event, trip in ready]
        await self._ledger.events.add(events)
        self._pending = [one for one in self._pending if one not in ready]

    async def _whole(self, event: Event, trip: Evidence | None) -> Event:
        if trip is None:
            return event
        exhibits = await self._exhibits(JobId(event.job), trip.outcomes)
        return msgspec.structs.replace(
            event, evidence=msgspec.json.encode(msgspec.structs.replace(trip, exhibits=exhibits))
        )

    async def _exhibits(self, job: JobId, outcomes: Sequence[Witness]) -> tuple[Exhibit, ...]:
        """Items that failed, of as many kinds as there are; if none did, the last ones."""
        failed = [one for one in reversed(outcomes) if one.failed] or list(reversed(outcomes))
        first = {one.outcome: one for one in reversed(failed)}
        chosen = [*first.values(), *(one for one in failed if one not in first.values())][:_EXHIBITS]
        try:
            return tuple([exhibit for one in chosen if (exhibit := await self._exhibit(job, one)) is not None])
        except StorageError as error:
            log.warning("an event is written without its exhibits", job=job, error=str(error))
            return ()

    async def _exhibit(self, job: JobId, seen: Witness) -> Exhibit | None:
        page = await self._ledger.items.page(job, after=seen.seq - 1, limit=1)
        if not page or page[0].seq != seen.seq:
            return None
        item = page[0]
        attempts = await self._ledger.items.attempts(job, seen.seq)
        reason = item.reason or (attempts[-1].detail if attempts else "")
        return Exhibit(item.key, seen.outcome, reason, tuple(capture.name for capture in item.captures))
