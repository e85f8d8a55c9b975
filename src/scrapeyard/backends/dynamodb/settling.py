"""Recording how leases end: the item's row by a condition, then what waits, then the tab with its counters.

That order is what makes a crash harmless. A result counts once its row has it; an entry that is still on the tab tells
that it was not counted, and perhaps not listed among what waits; both are made good by whoever looks at the tab next.
"""

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from scrapeyard.backends.counting import Counting
from scrapeyard.backends.dynamodb import again as waiting
from scrapeyard.backends.dynamodb.again import Entry
from scrapeyard.backends.dynamodb.keys import item_key
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.rows import Stored, body_of, change, counted, counts, reapers
from scrapeyard.backends.dynamodb.rows import stored as read_row
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.dynamodb.tabs import Held, Tabs
from scrapeyard.backends.rows import encode
from scrapeyard.model.item import Settlement
from scrapeyard.model.states import VisitState

Key = tuple[int, int]
"""An item and the fence of a settlement."""
EACH_ONCE: Mapping[Key, int] = MappingProxyType({})


class Ending(msgspec.Struct, frozen=True):
    """An entry of a tab beside the item's row."""

    held: Held
    row: Stored

    @property
    def over(self) -> bool:
        """Whether a result was recorded for this lease, or for another one on the same offer."""
        return counts(self.row.fence) >= counts(self.held.fence)

    @property
    def ours(self) -> bool:
        """Whether it was recorded for this lease, by the worker or by its reaper, and so is to be counted here."""
        return self.row.fence in (self.held.fence, reapers(self.held.fence))


class Settling:
    """The settlements of one job at one moment. `times` tells what a call says more than once."""

    def __init__(
        self, table: Table, tabs: Tabs, listing: Listing, job: str, now: float, times: Mapping[Key, int] = EACH_ONCE
    ) -> None:
        self._table = table
        self._tabs = tabs
        self._listing = listing
        self._job = job
        self._now = now
        self._times = times

    async def strangers(self, settlements: Sequence[Settlement]) -> list[Key]:
        """Those for which nobody holds a lease: none is recorded, and the late ones are counted."""
        rows = await self._listing.rows(self._job, [one.seq for one in settlements if one.seq >= 0])
        counting = Counting()
        for one in settlements:
            if one.seq in rows and rows[one.seq].fence != one.fence:
                counting.late(self._said(one))
        if counting.changes:
            await self._tabs.count(self._job, counting)
        return []

    async def settle(self, worker: str, settlements: Sequence[Settlement]) -> set[Key]:
        """Those under leases on one worker's tab; gives which were recorded."""
        held = {one.seq: one for one in (await self._tabs.get(self._job, worker)).tab.held}
        digests = await self._listing.digests(self._job, [one.seq for one in settlements])
        there = await asyncio.gather(*(self._record(one, digests[one.seq]) for one in settlements))
        endings = [Ending(held[row.seq], row) for row in there if row.seq in held]
        late = sum(self._said(one) for one, row in zip(settlements, there, strict=True) if row.fence != one.fence)
        closed = await self.close(worker, [ending for ending in endings if ending.over], late=late)
        return {
            (one.seq, one.fence)
            for one, row in zip(settlements, there, strict=True)
            if row.fence == one.fence and one.seq in closed
        }

    def _said(self, settlement: Settlement) -> int:
        return self._times.get((settlement.seq, settlement.fence), 1)

    async def _record(self, settlement: Settlement, digest: bytes) -> Stored:
        """Change the item's row, if this lease may; gives what is known of it then."""
        body = body_of(settlement, self._now)
        words, condition, values = change(settlement, body)
        async with self._table.bulk:
            done, there = await self._table.update(item_key(self._job, digest), words, condition, **values)
        if not done:
            assert there is not None, "a row of the list is gone"
            return read_row(there)
        tries = (encode(settlement.attempt),) if settlement.attempt is not None else ()
        return Stored(settlement.seq, "", b"", settlement.fence, settlement.epoch, 0, body, tries)

    async def close(self, worker: str, endings: Sequence[Ending], *, late: int = 0) -> set[int]:
        """Take leases that are over off a tab and count them; gives those that were still on it."""
        again = [ending for ending in endings if ending.ours and ending.row.body.state is VisitState.WAITING]
        await waiting.add(
            self._table, self._job, [Entry(one.row.body.not_before, one.row.seq, one.row.fence) for one in again]
        )
        async with self._tabs.turn(self._job, worker):
            while True:
                before = await self._tabs.get(self._job, worker)
                here = {(one.seq, one.fence) for one in before.tab.held}
                still = [one for one in endings if (one.held.seq, one.held.fence) in here]
                if not still and not late:
                    return set()
                counting = _counting(still, late)
                gone = {one.held.seq: one.held.fence for one in still}
                if await self._tabs.keep(self._job, before, before.tab.without(gone, counting)):
                    return set(gone)


def _counting(endings: Sequence[Ending], late: int) -> Counting:
    counting = Counting()
    counting.changes["stale"] += late
    for one in endings:
        if one.ours:
            counted(one.row.body, counting)
            if one.row.body.told:
                counting.tried(one.row.attempts[-1])
    return counting
