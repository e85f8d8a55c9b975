"""What happened, in SQLite."""

import sqlite3
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_events
from scrapeyard.backends.rows import encode
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.model.event import Event

_decode = msgspec.msgpack.Decoder(Event).decode
_DISTANT = "\x7f"
"""Sorts behind every id."""


class SqliteEvents:
    """Fulfils `scrapeyard.ports.events.EventBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, events: Sequence[Event]) -> None:
        """Write them down, each once."""
        check_events(events)
        rows = [(event.id, event.job, encode(event)) for event in events]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT INTO event (id, job, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows)

        await self._database.write(work)

    async def page(self, *, job: str | None = None, after: str = "", limit: int = 100) -> list[Event]:
        """Oldest first."""
        return await self._some(job, "id > ? ORDER BY id LIMIT ?", (after, limit))

    async def latest(self, *, job: str | None = None, before: str | None = None, limit: int = 20) -> list[Event]:
        """Newest first."""
        return await self._some(job, "id < ? ORDER BY id DESC LIMIT ?", (before or _DISTANT, limit))

    async def _some(self, job: str | None, rest: str, parameters: tuple[object, ...]) -> list[Event]:
        mine, where = ("", ()) if job is None else ("job = ? AND ", (job,))
        statement = f"SELECT body FROM event WHERE {mine}{rest}"  # noqa: S608 - words of ours

        def work(connection: sqlite3.Connection) -> list[Event]:
            return [_decode(body) for (body,) in connection.execute(statement, (*where, *parameters))]

        return await self._database.read(work)
