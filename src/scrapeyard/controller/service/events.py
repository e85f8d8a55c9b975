"""The desk where people ask what happened: trips, recoveries and pauses, with what they rest on."""

from scrapeyard.controller.service.naming import find_job
from scrapeyard.model.errors import BadInput
from scrapeyard.model.event import Event
from scrapeyard.ports.ledger import Ledger

MOST_EVENTS = 500
"""Events that one question is answered with; `after` asks for the next."""
_LONGEST_ID = 100


class LocalEvents:
    """Fulfils `scrapeyard.ports.service.EventDesk`."""

    def __init__(self, ledger: Ledger) -> None:
        self._jobs = ledger.jobs
        self._events = ledger.events

    async def find(self, job: str | None = None, *, after: str | None = None, limit: int = 50) -> list[Event]:
        """What happened, oldest first."""
        if limit < 1:
            raise BadInput(f"A list of {limit} events says nothing: ask for 1 or more.")
        if after is not None and (len(after) > _LONGEST_ID or not after.isprintable()):
            raise BadInput("That is no id of an event: give the `id` of the last event that you have seen.")
        limit = min(limit, MOST_EVENTS)
        found = None if job is None else (await find_job(self._jobs, job)).id
        if after is not None:
            return await self._events.page(job=found, after=after, limit=limit)
        return (await self._events.latest(job=found, limit=limit))[::-1]
