"""The desk of events, at a controller."""

import asyncio
from collections.abc import AsyncGenerator
from urllib.parse import quote

from scrapeyard.client.line import Line
from scrapeyard.model import wire
from scrapeyard.model.errors import StorageError
from scrapeyard.model.event import Event, earlier
from scrapeyard.model.request import EventPage

_PAUSE = 0.5
"""Seconds before a broken line is taken up again."""


class RestEvents:
    """Fulfils `scrapeyard.ports.service.EventDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def find(self, job: str | None = None, *, after: str | None = None, limit: int = 50) -> list[Event]:
        """What happened, oldest first."""
        return list((await self._line.get(_at(job), EventPage, after=after, limit=limit)).events)

    async def follow(self, job: str | None = None, *, after: str | None = None) -> AsyncGenerator[Event]:
        """What happened since, and what happens from now on, through any number of broken lines."""
        loop = asyncio.get_running_loop()
        last, since = after, after
        told: set[str] = set()
        heard = loop.time()
        while True:
            try:
                async for id_, data in self._line.follow(f"{_at(job)}/stream", since):
                    heard = loop.time()
                    last = id_ if last is None else max(last, id_)
                    told = {one for one in told if one >= earlier(last)}
                    if data and id_ not in told:
                        told.add(id_)
                        yield wire.read(data, Event)
            except StorageError:
                if loop.time() - heard > self._line.patience:
                    raise
            await asyncio.sleep(_PAUSE)
            if last is not None:  # what was written down late is looked for again, and what is known is left out
                since = last if after is not None and last == after else earlier(last)


def _at(job: str | None) -> str:
    return "/v1/events" if job is None else f"/v1/jobs/{quote(job, safe='')}/events"
