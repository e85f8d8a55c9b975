"""Opening a database: its address, its connections, and bringing its tables up to what this program knows.

Programs of two versions may work on the same tables while a fleet is updated one by one. So a migration only ever
adds: tables, indexes, columns with a default. `oldest` in the table `layout` is the least layout that a program must
know to be allowed in; a migration that takes away what nobody has needed for a version raises it.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg

from scrapeyard.backends.postgres.connection import Connection, Database, Record
from scrapeyard.backends.postgres.trouble import FOREIGN, in_our_words
from scrapeyard.model.address import shown
from scrapeyard.model.errors import Refused

_OLDEST_SERVER = 13
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_MOST_CONNECTIONS = 100

_ANSWER = 15.0
"""Seconds after which a statement counts as lost: all of ours take milliseconds."""

_SESSION = {
    "default_transaction_isolation": "read committed",
    "idle_in_transaction_session_timeout": "15s",  # a process that was stopped in the middle holds nobody up for longer
    "statement_timeout": "30s",
    "lock_timeout": "5s",
    "jit": "off",  # pays off for long queries only, and there are none
    "plan_cache_mode": "force_custom_plan",  # a plan made for empty tables would stay for the life of a connection
}

_LAYOUT = """
CREATE TABLE IF NOT EXISTS layout (
    books text PRIMARY KEY,
    reached integer NOT NULL,
    oldest integer NOT NULL
)
"""
_REACH = """
INSERT INTO layout (books, reached, oldest) VALUES ($1, $2, 1)
ON CONFLICT (books) DO UPDATE SET reached = excluded.reached
"""


class Address(NamedTuple):
    """Where a database is. `target` is what the driver is told; `where` may be shown."""

    target: str
    where: str
    schema: str = "scrapeyard"
    connections: int = 4


def address_of(text: str) -> Address:
    """`postgresql://user@host/database?schema=…&connections=…`; what else is asked for goes to the driver."""
    parts = urlsplit(text)
    options = dict(parse_qsl(parts.query))
    schema = options.pop("schema", Address._field_defaults["schema"])
    connections = options.pop("connections", str(Address._field_defaults["connections"]))
    if not _SCHEMA.fullmatch(schema):
        raise Refused(f"{schema[:80]!r} cannot be a schema: use small letters, digits and _, at most 63.")
    if not connections.isascii() or not connections.isdigit() or not 1 <= int(connections) <= _MOST_CONNECTIONS:
        raise Refused(
            f"connections={connections[:20]!r} in {shown(text)}: write a number from 1 to {_MOST_CONNECTIONS}."
        )
    target = urlunsplit(parts._replace(query=urlencode(options)))
    return Address(target, shown(text), schema, int(connections))


def migrations(folder: str) -> tuple[str, ...]:
    """The scripts `migrations/<folder>/*.sql` of this package, oldest first; the nth brings the tables to layout n."""
    found = files(__package__ or __name__) / "migrations" / folder
    scripts = sorted((entry for entry in found.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(script.read_text("utf-8") for script in scripts)


async def open_database(text: str) -> Database:
    """Connect. Open it after a fork, never before."""
    address = address_of(text)
    settings = _SESSION | {"search_path": f'"{address.schema}"'}
    equip = "; ".join(f"SET {name} = {_quoted(value)}" for name, value in settings.items())

    async def equipped(connection: "asyncpg.Connection[Record]") -> None:
        await connection.execute(equip)

    async def as_it_is(_: "asyncpg.Connection[Record]") -> None:
        """Nothing of ours outlives its transaction, so nothing has to be reset, at the price of a round trip."""

    try:
        pool = await asyncpg.create_pool(
            address.target,
            min_size=1,
            max_size=address.connections,
            max_inactive_connection_lifetime=60.0,
            max_cached_statement_lifetime=0,
            command_timeout=_ANSWER,
            timeout=_ANSWER,
            init=equipped,
            reset=as_it_is,
        )
    except (*FOREIGN, ValueError) as error:
        raise in_our_words(error, address.where) from error
    database = Database(pool, address.where, address.schema)
    try:
        await database.read(_check_server)
    except BaseException:
        await database.close()
        raise
    return database


async def migrate(database: Database, books: str, scripts: Sequence[str]) -> None:
    """Bring the tables of `books` to layout `len(scripts)`, in one transaction. Several may ask at once."""
    schema = database.schema
    if await database.read(lambda connection: _is_current(connection, schema, books, len(scripts))):
        return

    async def work(connection: Connection) -> None:
        await connection.execute("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0")
        await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", f"scrapeyard {schema}")
        await connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        await connection.execute(_LAYOUT)
        reached = await _check_layout(connection, books, len(scripts))
        for script in scripts[reached:]:
            await connection.execute(script)
        if reached < len(scripts):
            await connection.execute(_REACH, books, len(scripts))

    await database.write(work, harmless=True)


async def _is_current(connection: Connection, schema: str, books: str, known: int) -> bool:
    if await connection.fetchval("SELECT to_regclass($1)", f'"{schema}".layout') is None:
        return False
    return await _check_layout(connection, books, known) >= known


async def _check_layout(connection: Connection, books: str, known: int) -> int:
    """The layout that was reached. One for which this program is too old is refused, and never touched."""
    row = await connection.fetchrow("SELECT reached, oldest FROM layout WHERE books = $1", books)
    if row is None:
        return 0
    if row["oldest"] > known:
        raise Refused(
            f"The {books} was brought to layout {row['reached']} by a newer Scrapeyard, and programs that know only "
            f"layout {known} may not touch it: update Scrapeyard here."
        )
    return int(row["reached"])


async def _check_server(connection: Connection) -> None:
    version = connection.get_server_version()
    if version.major < _OLDEST_SERVER:
        raise Refused(f"This is PostgreSQL {version.major}: use {_OLDEST_SERVER} or newer.")


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'" if not value.startswith('"') else value
