"""What happened, in DynamoDB: each event once for all and once for its job."""

import asyncio
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_events
from scrapeyard.backends.dynamodb.keys import EVENTS
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.rows import encode
from scrapeyard.model.event import Event

_decode = msgspec.msgpack.Decoder(Event).decode
_FIRST = b"\x00"
_LAST = b"\xff"


class DynamoEvents:
    """Fulfils `scrapeyard.ports.events.EventBook`."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def add(self, events: Sequence[Event]) -> None:
        """Write them down, each once."""
        check_events(events)
        rows = [
            {"p": part, "s": event.id.encode(), "d": encode(event)}
            for event in events
            for part in {_part(None), _part(event.job or None)}
        ]
        await asyncio.gather(*(self._table.put(row, "attribute_not_exists(p)") for row in rows))

    async def page(self, *, job: str | None = None, after: str = "", limit: int = 100) -> list[Event]:
        """Oldest first."""
        span = (after.encode() + _FIRST, _LAST)
        found = self._table.query(_part(job), span, limit=limit)
        return [_decode(row["d"]) async for row in found]

    async def latest(self, *, job: str | None = None, before: str | None = None, limit: int = 20) -> list[Event]:
        """Newest first."""
        span = (_FIRST, before.encode() if before else _LAST)
        found = [
            _decode(row["d"]) async for row in self._table.query(_part(job), span, backwards=True, limit=limit + 1)
        ]
        return [event for event in found if event.id != before][:limit]


def _part(job: str | None) -> str:
    return EVENTS if job is None else f"{job}.{EVENTS}"
