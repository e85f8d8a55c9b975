"""Items that were offered before and wait to be offered again: short lists by the earliest time, instead of an index.

An entry names the result after which the item waits. It is good as long as that is the item's last result and nobody
has the item; so an entry that is there twice, or that outlived its item's wait, is told from a good one and dropped.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import msgspec

from scrapeyard.backends.dynamodb.keys import again_part, since
from scrapeyard.backends.dynamodb.table import Key, Table
from scrapeyard.backends.dynamodb.values import Row
from scrapeyard.backends.rows import encode

_LONGEST = 2_000
"""Entries of one list."""
_LAST = b"\xff" * 16


class Entry(msgspec.Struct, frozen=True, array_like=True, order=True):
    """One item: from when on, which, and after which result."""

    due: float
    seq: int
    fence: int


class Waiting(msgspec.Struct, frozen=True):
    """One list as it was read."""

    key: Key
    entries: tuple[Entry, ...]


_decode = msgspec.msgpack.Decoder(tuple[Entry, ...]).decode


def rows_of(job: str, entries: Iterable[Entry]) -> list[Row]:
    """The rows in which these are written down. The same entries make the same rows."""
    ordered = sorted(entries)
    rows: list[Row] = []
    for start in range(0, len(ordered), _LONGEST):
        part = ordered[start : start + _LONGEST]
        body = encode(part)
        sort = since(max(0.0, part[0].due)) + blake2b(body, digest_size=8).digest()
        rows.append({"p": again_part(job), "s": sort, "d": body})
    return rows


async def add(table: Table, job: str, entries: Iterable[Entry]) -> None:
    """Write them down."""
    for row in rows_of(job, entries):
        await table.put(row)


async def due(table: Table, job: str, now: float) -> list[Waiting]:
    """The lists in which something is due."""
    span = (b"\x00", since(now) + _LAST)
    found = [row async for row in table.query(again_part(job), span)]
    return [Waiting((row["p"], row["s"]), _decode(row["d"])) for row in found]


async def earliest(table: Table, job: str) -> float | None:
    """When the first of all is due."""
    async for row in table.query(again_part(job), limit=1):
        return _decode(row["d"])[0].due
    return None


async def keep_rest(table: Table, job: str, lists: Sequence[Waiting], gone: set[Entry]) -> None:
    """Take these entries out. What stays is written anew before the old list goes."""
    for one in lists:
        rest = [entry for entry in one.entries if entry not in gone]
        if len(rest) == len(one.entries):
            continue
        rows = rows_of(job, rest)
        for row in rows:
            await table.put(row)
        if one.key not in [(row["p"], row["s"]) for row in rows]:
            await table.delete(one.key)
