"""What was learned, in PostgreSQL: compare-and-set in one statement."""

from scrapeyard.backends.admission import check_memo
from scrapeyard.backends.postgres.connection import Database
from scrapeyard.model.memo import Memo

_LAST = "\x7f"
"""Sorts behind every name, for names are printable ASCII."""

_RECALL = "SELECT name, body, version FROM memo WHERE name = $1 AND body <> ''"
_REVISE = """
UPDATE memo SET body = $2, version = version + 1 WHERE name = $1 AND version = $3 AND body = $4
RETURNING name, body, version
"""
_FIRST = """
INSERT INTO memo (name, body, version) VALUES ($1, $2, 1)
ON CONFLICT (name) DO UPDATE SET body = excluded.body, version = memo.version + 1 WHERE memo.body = ''
RETURNING name, body, version
"""
_UNDER = """
SELECT name, body, version FROM memo WHERE name >= $1 AND name < $2 AND name > $3 AND body <> '' ORDER BY name LIMIT $4
"""


class PostgresMemos:
    """Fulfils `scrapeyard.ports.memos.MemoBook`. A forgotten memo keeps its version, so no old sight of it fits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(self, name: str) -> Memo | None:
        """The memo of that name."""
        return next((Memo(*row) for row in await self._database.ask(_RECALL, name)), None)

    async def keep(self, name: str, body: bytes, *, seen: Memo | None) -> Memo | None:
        """Write it down, if it still is as it was seen."""
        check_memo(name, body)
        if seen is None:
            rows = await self._database.ask(_FIRST, name, body, harmless=False)
        elif seen.name != name:
            return None
        else:
            rows = await self._database.ask(_REVISE, name, body, seen.version, seen.body, harmless=False)
        return next((Memo(*row) for row in rows), None)

    async def under(self, prefix: str, *, after: str = "", limit: int = 500) -> list[Memo]:
        """Memos by the start of their names."""
        return [Memo(*row) for row in await self._database.ask(_UNDER, prefix, prefix + _LAST, after, limit)]
