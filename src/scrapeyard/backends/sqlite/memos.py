"""What was learned, in SQLite: compare-and-set within one transaction."""

import sqlite3

from scrapeyard.backends.admission import revised_memo
from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.model.memo import Memo

_LAST = "\x7f"
"""Sorts behind every name, for names are printable ASCII."""


class SqliteMemos:
    """Fulfils `scrapeyard.ports.memos.MemoBook`. A forgotten memo keeps its version, so no old sight of it fits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(self, name: str) -> Memo | None:
        """The memo of that name."""
        known = await self._database.read(lambda connection: _known(connection, name))
        return known if known is not None and known.body else None

    async def keep(self, name: str, body: bytes, *, seen: Memo | None) -> Memo | None:
        """Write it down, if it still is as it was seen."""

        def work(connection: sqlite3.Connection) -> Memo | None:
            kept = revised_memo(_known(connection, name), name, body, seen)
            if kept is not None:
                connection.execute(
                    "INSERT INTO memo (name, version, body) VALUES (?, ?, ?) "
                    "ON CONFLICT (name) DO UPDATE SET version = excluded.version, body = excluded.body",
                    (name, kept.version, body),
                )
            return kept

        return await self._database.write(work)

    async def under(self, prefix: str, *, after: str = "", limit: int = 500) -> list[Memo]:
        """Memos by the start of their names."""

        def work(connection: sqlite3.Connection) -> list[Memo]:
            rows = connection.execute(
                "SELECT name, body, version FROM memo WHERE name >= ? AND name < ? AND name > ? AND body <> x'' "
                "ORDER BY name LIMIT ?",
                (prefix, prefix + _LAST, after, limit),
            )
            return [Memo(*row) for row in rows]

        return await self._database.read(work)


def _known(connection: sqlite3.Connection, name: str) -> Memo | None:
    row = connection.execute("SELECT name, body, version FROM memo WHERE name = ?", (name,)).fetchone()
    return Memo(*row) if row else None
