"""Operations on what happened: trips, recoveries, pauses, of one job or of all."""

import msgspec

from scrapeyard.controller.api.door import Call, Door, Operation
from scrapeyard.controller.api.office import Office
from scrapeyard.model.access import Scope
from scrapeyard.model.request import EventPage


class EventQuery(msgspec.Struct, frozen=True):
    """Which events: those after the id `after`, oldest first; without it the latest."""

    after: str | None = None
    limit: int = 50


class EventRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._events = office.service.events

    def add_to(self, door: Door) -> None:
        """Add them all."""
        door.add(Operation("GET /v1/events", Scope.READ, asks=EventQuery, gives=EventPage), self.list_events)
        of_job = Operation("GET /v1/jobs/{job}/events", Scope.READ, asks=EventQuery, gives=EventPage)
        door.add(of_job, self.list_job_events)

    async def list_events(self, call: Call) -> EventPage:
        """List what happened to all jobs."""
        return await self._found(None, call)

    async def list_job_events(self, call: Call) -> EventPage:
        """List what happened to a job, with what it rests on."""
        return await self._found(call.part("job"), call)

    async def _found(self, job: str | None, call: Call) -> EventPage:
        asked = call.asked(EventQuery)
        return EventPage(tuple(await self._events.find(job, after=asked.after, limit=asked.limit)))
