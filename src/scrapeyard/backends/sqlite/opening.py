"""Opening a database file: settings, and bringing its tables up to the version that this program knows.

Several processes may open the same new file at the same moment, so everything here waits its turn, and the
tables are made by whoever comes first.
"""

import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeVar

from scrapeyard.backends.sqlite.trouble import is_contention
from scrapeyard.model.errors import Refused

Synchronous = Literal["FULL", "NORMAL"]
Result = TypeVar("Result")

PATIENCE = 30.0
"""Seconds that a writer waits for other processes before it gives up."""

_CACHE_KIB = 16_384
_WAL_PAGES = 4_000
_WAL_BYTES = 64 * 1024 * 1024


def migrations(folder: str) -> tuple[str, ...]:
    """The scripts `migrations/<folder>/*.sql` of this package, oldest first; the nth brings a file to version n."""
    found = files(__package__ or __name__) / "migrations" / folder
    scripts = sorted((entry for entry in found.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(script.read_text("utf-8") for script in scripts)


def connect(path: Path, synchronous: Synchronous, *, reader: bool = False) -> sqlite3.Connection:
    """One connection with our settings. Transactions are begun and ended by us alone."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256, timeout=5)
    try:
        mode = patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone())
        if mode != ("wal",):
            raise Refused(f"{path} lies on a disk that cannot share memory: put the data folder on a local disk.")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA cache_size = {-(_CACHE_KIB // 8 if reader else _CACHE_KIB)}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
        connection.execute("PRAGMA temp_store = MEMORY")
        if reader:
            connection.execute("PRAGMA query_only = ON")
        else:
            connection.execute("PRAGMA busy_timeout = 0")  # a writer waits in its own way: see `patiently`
    except BaseException:
        connection.close()
        raise
    return connection


def migrate(connection: sqlite3.Connection, path: Path, scripts: Sequence[str]) -> None:
    """Bring the file up to `len(scripts)`, in one transaction. A newer file is refused, never touched."""
    if _version(connection) == len(scripts):
        return
    patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
    try:
        found = _version(connection)
        if found > len(scripts):
            raise Refused(
                f"{path} was written by a newer Scrapeyard (layout {found}, this one knows {len(scripts)}): "
                "update Scrapeyard, or choose another data folder."
            )
        for script in scripts[found:]:
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(scripts)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def statements(script: str) -> Iterator[str]:
    """The single statements of a script, because SQLite's own script runner would end our transaction."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending


def patiently(work: Callable[[], Result], patience: float = PATIENCE) -> Result:
    """Try until no other process is in the way. Short random pauses are fairer to many writers than SQLite's own."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return work()
        except sqlite3.OperationalError as error:
            if not is_contention(error) or time.monotonic() > deadline:
                raise
        time.sleep(random.uniform(0.0002, 0.003))  # noqa: S311 - spreads waiting writers, hides nothing


def _version(connection: sqlite3.Connection) -> int:
    row = connection.execute("PRAGMA user_version").fetchone()
    return int(row[0])
