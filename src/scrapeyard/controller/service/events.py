"""The desk where people ask what happened: trips, recoveries and pauses, with what they rest on."""

from collections.abc import AsyncGenerator

from scrapeyard.controller.service.naming import find_job
from scrapeyard.model.errors import BadInput
from scrapeyard.model.event import Event, earlier, event_id
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.ledger import Ledger

MOST_EVENTS = 500
"""Events that one question is answered with; `after` asks for the next."""
PAUSE = 1.0
"""Seconds between two looks at the book of events while they are followed."""
_LONGEST_ID = 100


class LocalEvents:
    """Fulfils `scrapeyard.ports.service.EventDesk`."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._clock = clock
        self._jobs = ledger.jobs
        self._events = ledger.events

    async def find(self, job: str | None = None, *, after: str | None = None, limit: int = 50) -> list[Event]:
        """What happened, oldest first."""
        if limit < 1:
            raise BadInput(f"A list of {limit} events says nothing: ask for 1 or more.")
        _check(after)
        limit = min(limit, MOST_EVENTS)
        found = None if job is None else (await find_job(self._jobs, job)).id
        if after is not None:
            return await self._events.page(job=found, after=after, limit=limit)
        return (await self._events.latest(job=found, limit=limit))[::-1]

    async def follow(self, job: str | None = None, *, after: str | None = None) -> AsyncGenerator[Event]:
        """What happened since, and what happens from now on."""
        _check(after)
        found = None if job is None else (await find_job(self._jobs, job)).id
        begun = event_id(self._clock.now(), 0.0) if after is None else after
        last, told = begun, {begun}
        while True:
            since = max(begun, earlier(last))
            told = {id_ for id_ in told if id_ >= since}
            while page := await self._events.page(job=found, after=since, limit=MOST_EVENTS):
                for event in page:
                    if event.id not in told:
                        yield event
                    told.add(event.id)
                since = page[-1].id
                last = max(last, since)
                if len(page) < MOST_EVENTS:
                    break
            await self._clock.sleep(PAUSE)


def _check(after: str | None) -> None:
    if after is not None and (len(after) > _LONGEST_ID or not after.isprintable()):
        raise BadInput("That is no id of an event: give the `id` of the last event that you have seen.")
