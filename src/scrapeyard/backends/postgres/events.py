"""What happened, in PostgreSQL."""

from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_events
from scrapeyard.backends.postgres.connection import Database
from scrapeyard.backends.rows import encode
from scrapeyard.model.event import Event

_decode = msgspec.msgpack.Decoder(Event).decode
_DISTANT = "\x7f"
"""Sorts behind every id."""

_ADD = """
INSERT INTO event (id, job, body) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) ON CONFLICT DO NOTHING
"""


class PostgresEvents:
    """Fulfils `scrapeyard.ports.events.EventBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, events: Sequence[Event]) -> None:
        """Write them down, each once."""
        check_events(events)
        await self._database.ask(
            _ADD, [event.id for event in events], [event.job for event in events], [encode(event) for event in events]
        )

    async def page(self, *, job: str | None = None, after: str = "", limit: int = 100) -> list[Event]:
        """Oldest first."""
        return await self._some("id > $2 ORDER BY id", job, after, limit)

    async def latest(self, *, job: str | None = None, before: str | None = None, limit: int = 20) -> list[Event]:
        """Newest first."""
        return await self._some("id < $2 ORDER BY id DESC", job, before or _DISTANT, limit)

    async def _some(self, rest: str, job: str | None, place: str, limit: int) -> list[Event]:
        mine = "$1::text IS NULL" if job is None else "job = $1"
        statement = f"SELECT body FROM event WHERE {mine} AND {rest} LIMIT $3"  # noqa: S608 - words of ours
        return [_decode(row[0]) for row in await self._database.ask(statement, job, place, limit)]
