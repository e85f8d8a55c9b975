"""The desk of events, at a controller."""

from urllib.parse import quote

from scrapeyard.client.line import Line
from scrapeyard.model.event import Event
from scrapeyard.model.request import EventPage


class RestEvents:
    """Fulfils `scrapeyard.ports.service.EventDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def find(self, job: str | None = None, *, after: str | None = None, limit: int = 50) -> list[Event]:
        """What happened, oldest first."""
        where = "/v1/events" if job is None else f"/v1/jobs/{quote(job, safe='')}/events"
        return list((await self._line.get(where, EventPage, after=after, limit=limit)).events)
