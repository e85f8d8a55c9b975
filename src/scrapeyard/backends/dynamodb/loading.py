"""Loading a list: several may try at once, any may die in the middle, and still no place is empty or given twice.

Whoever loads draws a turn first. Rows carry the turn that wrote them, and none overwrites what a later turn wrote or
what the list has taken in; what is written beyond the list's end counts for nothing until the desk says otherwise, in
one writing. So a chunk that was cut off is simply loaded anew.
"""

import asyncio
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_loading
from scrapeyard.backends.dynamodb.desk import Desk, Seen, keep
from scrapeyard.backends.dynamodb.keys import DIGEST, PER_PAGE, digest_of, item_key, page_key
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.rows import new_row
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.model.item import Added, NewItem
from scrapeyard.model.job import Job

_MINE = "attribute_not_exists(p) OR t < :t OR t = :t AND n = :n"


class Load:
    """One chunk of one job."""

    def __init__(self, table: Table, listing: Listing, job: Job, items: Sequence[NewItem]) -> None:
        self._table = table
        self._listing = listing
        self._job = job
        self._items = {digest_of(job.id, item.key): item for item in reversed(items)}
        self._order = list(dict.fromkeys(digest_of(job.id, item.key) for item in items))
        self._count = len(items)

    async def attempt(self, before: Seen) -> Added | None:
        """Load it, seen that nobody else does so meanwhile; None when somebody did."""
        desk = before.desk
        if desk.sealed:
            check_loading(msgspec.structs.replace(self._job, total=desk.loaded))
        new = await self._new(desk)
        turn = desk.turn + 1
        drawn = msgspec.structs.replace(desk, turn=turn)
        if new:
            mine = await keep(self._table, self._job.id, before, drawn)
            if mine is None or not await self._write(new, desk.loaded, turn):
                return None
            before = mine
        loaded, duplicates = desk.loaded + len(new), self._count - len(new)
        done = msgspec.structs.replace(drawn, loaded=loaded, duplicates=desk.duplicates + duplicates)
        return Added(len(new), duplicates) if await keep(self._table, self._job.id, before, done) else None

    async def _new(self, desk: Desk) -> list[bytes]:
        """The digests that are not in the list, in the order of the chunk."""
        rows = await self._table.get_many([item_key(self._job.id, digest) for digest in self._order])
        places = {sort: row["n"] for (_, sort), row in rows.items() if row["n"] < desk.loaded}
        listed = await self._listing.digests(self._job.id, places.values())
        known = {digest for digest, seq in places.items() if listed.get(seq) == digest}
        return [digest for digest in self._order if digest not in known]

    async def _write(self, new: Sequence[bytes], first: int, turn: int) -> bool:
        """Rows and pages, beyond the end of the list. False when a later turn has begun."""
        rows = await asyncio.gather(*(self._row(digest, first + n, turn) for n, digest in enumerate(new)))
        return all(rows) and await self._pages(new, first, turn)

    async def _row(self, digest: bytes, seq: int, turn: int) -> bool:
        row = new_row(item_key(self._job.id, digest), self._items[digest], seq, turn)
        async with self._table.bulk:
            return await self._table.put(row, _MINE, t=turn, n=seq)

    async def _pages(self, new: Sequence[bytes], first: int, turn: int) -> bool:
        begun = first // PER_PAGE * PER_PAGE
        listed = await self._listing.digests(self._job.id, range(begun, first))
        whole = b"".join([*(listed[seq] for seq in range(begun, first)), *new])
        size = PER_PAGE * DIGEST
        for start in range(0, len(whole), size):
            part, sort = page_key(self._job.id, (begun * DIGEST + start) // size)
            row = {"p": part, "s": sort, "h": whole[start : start + size], "t": turn}
            if not await self._table.put(row, "attribute_not_exists(p) OR t <= :t", t=turn):
                return False
        return True
