"""The file for what is live: queue and fleet. It may be lost, so its commits do not wait for the disk."""

from pathlib import Path

from scrapeyard.backends.sqlite.connection import Database, open_database
from scrapeyard.backends.sqlite.opening import migrations


async def open_live(path: Path) -> Database:
    """Open the file at `path`, made if it is not there. Open it after a fork, never before."""
    return await open_database(path, migrations("live"), "NORMAL")
