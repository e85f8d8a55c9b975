"""What happened, in memory."""

from bisect import insort
from collections.abc import Sequence

from scrapeyard.backends.admission import check_events
from scrapeyard.model.event import Event


class MemoryEvents:
    """Fulfils `scrapeyard.ports.events.EventBook`."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._known: set[str] = set()

    async def add(self, events: Sequence[Event]) -> None:
        """Write them down, each once."""
        check_events(events)
        for event in events:
            if event.id not in self._known:
                self._known.add(event.id)
                insort(self._events, event, key=lambda one: one.id)

    async def page(self, *, job: str | None = None, after: str = "", limit: int = 100) -> list[Event]:
        """Oldest first."""
        return [event for event in self._events if event.id > after and job in (None, event.job)][:limit]

    async def latest(self, *, job: str | None = None, before: str | None = None, limit: int = 20) -> list[Event]:
        """Newest first."""
        found = (event for event in reversed(self._events) if before is None or event.id < before)
        return [event for event in found if job in (None, event.job)][:limit]
