"""Who may act alone, in SQLite: compare-and-set within one transaction."""

import sqlite3

from scrapeyard.backends.sqlite.connection import Database
from scrapeyard.ports.leaders import Leader


class SqliteLeaders:
    """Fulfils `scrapeyard.ports.leaders.LeaderBook`. A role given up keeps its version, so no old sight of it fits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def leader(self, role: str) -> Leader | None:
        """Who holds the role."""
        return await self._database.read(lambda connection: _leader(connection, role))

    async def claim(self, role: str, holder: str, *, seen: Leader | None) -> Leader | None:
        """Take or renew the role."""

        def work(connection: sqlite3.Connection) -> Leader | None:
            if _leader(connection, role) != seen:
                return None
            (version,) = connection.execute(
                "INSERT INTO leader (role, holder, version) VALUES (?, ?, 1) "
                "ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, version = version + 1 RETURNING version",
                (role, holder),
            ).fetchone()
            return Leader(role, holder, version)

        return await self._database.write(work)

    async def resign(self, role: str, holder: str) -> None:
        """Give the role up."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "UPDATE leader SET holder = '', version = version + 1 WHERE role = ? AND holder = ?", (role, holder)
            )

        await self._database.write(work)


def _leader(connection: sqlite3.Connection, role: str) -> Leader | None:
    row = connection.execute(
        "SELECT role, holder, version FROM leader WHERE role = ? AND holder <> ''", (role,)
    ).fetchone()
    return Leader(*row) if row else None
