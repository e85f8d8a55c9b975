"""Operations on what happened: trips, recoveries, pauses, of one job or of all."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec
from fastapi import Response

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.operation import Operation, header
from scrapeyard.controller.api.streams import LONGEST, MEDIA, sent, streamed
from scrapeyard.model import wire
from scrapeyard.model.access import Scope
from scrapeyard.model.event import event_id
from scrapeyard.model.request import EventPage


class EventQuery(msgspec.Struct, frozen=True):
    """Which events: those after the id `after`, oldest first; without it the latest."""

    after: str | None = None
    limit: int = 50


class FollowQuery(msgspec.Struct, frozen=True):
    """From where: after the event of this id; without it from now on. And for how long, at most."""

    after: str | None = None
    seconds: float = LONGEST


_LAST = header("Last-Event-ID", "The id of the last event that you have seen; it wins over `after`.")


class EventRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._events = office.service.events

    def add_to(self, door: Door) -> None:
        """Add them all."""
        door.add(Operation("GET /v1/events", Scope.READ, asks=EventQuery, gives=EventPage), self.list_events)
        of_job = Operation("GET /v1/jobs/{job}/events", Scope.READ, asks=EventQuery, gives=EventPage)
        door.add(of_job, self.list_job_events)
        for path, handler in (
            ("/v1/events/stream", self.follow_events),
            ("/v1/jobs/{job}/events/stream", self.follow_job_events),
        ):
            door.add(Operation(f"GET {path}", Scope.READ, asks=FollowQuery, sends=MEDIA, headers=(_LAST,)), handler)

    async def list_events(self, call: Call) -> EventPage:
        """List what happened to all jobs."""
        return await self._found(None, call)

    async def list_job_events(self, call: Call) -> EventPage:
        """List what happened to a job, with what it rests on."""
        return await self._found(call.part("job"), call)

    async def follow_events(self, call: Call) -> Response:
        """Follow what happens to all jobs, as server-sent events.

        Each has the event's id, its name, and itself as JSON. Whoever comes back with the last id that they have seen
        misses nothing. A stream ends by itself after some minutes."""
        return await self._followed(None, call)

    async def follow_job_events(self, call: Call) -> Response:
        """Follow what happens to a job, as server-sent events."""
        return await self._followed((await self._office.service.jobs.get(call.part("job"))).id, call)

    async def _followed(self, job: str | None, call: Call) -> Response:
        asked = call.asked(FollowQuery)
        after = call.request.headers.get("last-event-id") or asked.after
        if after is None:
            after = event_id(self._office.clock.now(), 0.0)
        else:
            await self._events.find(job, after=after, limit=1)  # so that a bad id is a problem, not a broken stream

        async def pieces() -> AsyncGenerator[bytes]:
            yield f"id: {after}\n\n".encode()
            async with aclosing(self._events.follow(job, after=after)) as coming:
                async for event in coming:
                    yield sent(wire.written(event), name=event.name, id_=event.id)

        return streamed(pieces(), self._office.closing.is_set, asked.seconds)

    async def _found(self, job: str | None, call: Call) -> EventPage:
        asked = call.asked(EventQuery)
        return EventPage(tuple(await self._events.find(job, after=asked.after, limit=asked.limit)))
