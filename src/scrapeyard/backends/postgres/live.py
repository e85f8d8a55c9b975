"""The tables for what is live: queue and fleet. They may be lost, so nobody waits for them to reach a disk."""

from scrapeyard.backends.postgres.connection import Database
from scrapeyard.backends.postgres.opening import migrate, migrations


async def open_live(database: Database) -> Database:
    """The database with them; they are made if they are not there."""
    await migrate(database, "live", migrations("live"))
    return database
