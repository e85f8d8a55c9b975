"""Counting a job's items one by one, to be held against its counters.

A short list is read row by row. A long one is read partition by partition, which costs a fraction of that, because what
lies together is paid for together; there it is asked of each row whether the list really names it.
"""

import asyncio
from collections.abc import Iterable

from scrapeyard.backends.counting import Counting
from scrapeyard.backends.dynamodb.keys import item_parts
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.rows import Stored, counted, stored
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.model.states import FINAL_VISITS

SHORT = 3_000
_AT_ONCE = 8


class Recount:
    """What has been counted so far; `unended` are items that have not come to an end."""

    def __init__(self, table: Table, listing: Listing, job: str) -> None:
        self._table = table
        self._listing = listing
        self._job = job
        self.counting = Counting()
        self.unended = 0

    async def run(self, loaded: int) -> None:
        """Count everything."""
        if loaded <= SHORT:
            self._add((await self._listing.rows(self._job, range(loaded))).values())
            return
        parts = iter(item_parts(self._job))

        async def some() -> None:
            for part in parts:  # one iterator for all who count
                await self._partition(part, loaded)

        await asyncio.gather(*(some() for _ in range(_AT_ONCE)))

    async def _partition(self, part: str, loaded: int) -> None:
        found = [(row["s"], stored(row)) async for row in self._table.query(part)]
        digests = await self._listing.digests(self._job, [row.seq for _, row in found if row.seq < loaded])
        self._add(row for digest, row in found if digests.get(row.seq) == digest)

    def _add(self, rows: Iterable[Stored]) -> None:
        for row in rows:
            self.counting.changes["loaded"] += 1
            counted(row.body, self.counting)
            self.unended += row.body.state not in FINAL_VISITS
            self.counting.tried(*row.attempts)
