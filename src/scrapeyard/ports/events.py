"""What happened: trips, recoveries, pauses. Appended, read in order, never changed."""

from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.event import Event


class EventBook(Protocol):
    """Events in the order of their ids, which is that of their times."""

    async def add(self, events: Sequence[Event]) -> None:
        """Write them down. One that is there already is left as it is, so a lost answer is harmless."""
        ...

    async def page(self, *, job: str | None = None, after: str = "", limit: int = 100) -> list[Event]:
        """The events after that id, oldest first: all of them, or one job's."""
        ...

    async def latest(self, *, job: str | None = None, before: str | None = None, limit: int = 20) -> list[Event]:
        """The events before that id, newest first: all of them, or one job's."""
        ...
