"""Who may act alone, in PostgreSQL: compare-and-set in one statement."""

from scrapeyard.backends.postgres.connection import Database
from scrapeyard.ports.leaders import Leader

_LEADER = "SELECT role, holder, version FROM leader WHERE role = $1 AND holder <> ''"
_SUCCEED = """
UPDATE leader SET holder = $2, version = version + 1 WHERE role = $1 AND holder = $3 AND version = $4
RETURNING role, holder, version
"""
_FIRST = """
INSERT INTO leader (role, holder, version) VALUES ($1, $2, 1)
ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, version = leader.version + 1 WHERE leader.holder = ''
RETURNING role, holder, version
"""


class PostgresLeaders:
    """Fulfils `scrapeyard.ports.leaders.LeaderBook`. A role given up keeps its version, so no old sight of it fits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def leader(self, role: str) -> Leader | None:
        """Who holds the role."""
        return next((Leader(*row) for row in await self._database.ask(_LEADER, role)), None)

    async def claim(self, role: str, holder: str, *, seen: Leader | None) -> Leader | None:
        """Take or renew the role."""
        if seen is None:
            rows = await self._database.ask(_FIRST, role, holder, harmless=False)
        else:
            rows = await self._database.ask(_SUCCEED, role, holder, seen.holder, seen.version, harmless=False)
        return next((Leader(*row) for row in rows), None)

    async def resign(self, role: str, holder: str) -> None:
        """Give the role up."""
        statement = "UPDATE leader SET holder = '', version = version + 1 WHERE role = $1 AND holder = $2"
        await self._database.ask(statement, role, holder)
