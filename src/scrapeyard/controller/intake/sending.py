"""Items go to the service in chunks, one on its way while the next is filled."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.item import Added, NewItem
from scrapeyard.model.job import Job, JobId


class Taking(Protocol):
    """Who takes a list's items in; of the service it is the desk of jobs."""

    async def load(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Add a chunk of items; durable when it returns."""
        ...

    async def seal(self, job: JobId) -> Job:
        """The list is complete."""
        ...


class Sending:
    """Hands items over in chunks. The order of the list is kept, so at most one chunk is on its way."""

    def __init__(self, jobs: Taking, job: Job, size: int) -> None:
        self._jobs = jobs
        self._job = job
        self._size = size
        self._chunk: list[NewItem] = []
        self._away: asyncio.Task[Added] | None = None
        self._accepted = self._duplicates = 0

    async def take(self, items: list[NewItem]) -> None:
        """Add items to the chunk, and send it off once it is full."""
        self._chunk += items
        if len(self._chunk) >= self._size:
            await self._send()
        await asyncio.sleep(0)

    async def end(self) -> Added:
        """Send what is left and wait for it: what became of all chunks."""
        if self._chunk:
            await self._send()
        await self._arrived()
        return Added(self._accepted, self._duplicates)

    async def drop(self) -> None:
        """Forget a chunk that is still on its way."""
        if self._away is not None:
            self._away.cancel()
            await asyncio.gather(self._away, return_exceptions=True)

    async def _send(self) -> None:
        await self._arrived()
        chunk, self._chunk = self._chunk, []
        self._away = asyncio.create_task(self._jobs.load(self._job.id, chunk))

    async def _arrived(self) -> None:
        if self._away is not None:
            added = await self._away
            self._away = None
            self._accepted += added.accepted
            self._duplicates += added.duplicates
