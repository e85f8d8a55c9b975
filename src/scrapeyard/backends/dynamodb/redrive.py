"""Putting final items back to waiting: some at a time, each time all that belongs together or nothing.

Rows, counters and the list of what waits change in one transaction, for which DynamoDB takes twice the price; a redrive
is rare. A step that was written is done for good, because its items are no longer final; so a redrive that was cut off
is finished by asking for it again.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from scrapeyard.backends.admission import no_job, redriven
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.dynamodb import again as waiting
from scrapeyard.backends.dynamodb.again import Entry
from scrapeyard.backends.dynamodb.desk import look
from scrapeyard.backends.dynamodb.jobs import changing
from scrapeyard.backends.dynamodb.keys import digest_of, item_key, job_key, trouble_parts
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.rows import TROUBLED, Body, Stored, counted, fence_after, item_from, packed
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.dynamodb.tabs import HOUSE, Tabs, holders
from scrapeyard.backends.dynamodb.together import putting, together, updating
from scrapeyard.backends.rows import decode_job
from scrapeyard.model.item import Selection
from scrapeyard.model.job import Job, JobId

_STEP = 90
"""Items in one transaction, which may have a hundred parts."""
_READ = 1_000
_ANEW = "SET f = :f, e = :e, x = :x REMOVE tp, tk"


class Redrive:
    """One redrive of one job."""

    def __init__(self, table: Table, tabs: Tabs, listing: Listing, job: JobId) -> None:
        self._table = table
        self._tabs = tabs
        self._listing = listing
        self._job = job

    async def run(self, selection: Selection, *, now: float, dry_run: bool) -> int:
        """Renew what the selection picks; gives how many items that were."""
        _, job = await self._asked()
        wanted = redriven(job, selection)
        total = 0
        async for rows in self._steps(wanted):
            picked = [row for row in rows if self._picks(wanted, job, row)]
            if dry_run:
                total += len(picked)
                continue
            for start in range(0, len(picked), _STEP):
                total += await self._renewed(picked[start : start + _STEP], wanted, now, first=total == 0)
        return total

    async def _asked(self) -> tuple[dict[str, Any], Job]:
        row = await self._table.get(job_key(self._job))
        if row is None:
            raise no_job(self._job)
        return row, decode_job(row["d"])

    def _picks(self, wanted: Selection, job: Job, row: Stored) -> bool:
        return row.body.state in wanted.states and wanted.picks(item_from(job, row))

    async def _steps(self, wanted: Selection) -> AsyncIterator[list[Stored]]:
        """The items among which the selection may pick: by key, by the index of trouble, or all."""
        seen = await look(self._table, self._job)
        loaded = seen.desk.loaded if seen is not None else 0
        if wanted.keys:
            keys = [item_key(self._job, digest_of(self._job, key)) for key in sorted(wanted.keys)]
            places = [row["n"] for row in (await self._table.get_many(keys)).values() if row["n"] < loaded]
        elif wanted.states <= TROUBLED:
            places = [
                row["n"] for part in trouble_parts(self._job) async for row in self._table.trouble(part, -1, None)
            ]
        else:
            places = list(range(loaded))
        places.sort()
        for start in range(0, len(places), _READ):
            rows = await self._listing.rows(self._job, places[start : start + _READ])
            # a result that is not counted yet must not be taken back; a moment later it will be
            held = holders(await self._tabs.all(self._job))
            yield [row for row in rows.values() if row.seq not in held]

    async def _renewed(self, picked: Sequence[Stored], wanted: Selection, now: float, *, first: bool) -> int:
        """Write one step. What somebody else changed meanwhile is looked at anew, and left out unless it still fits."""
        rows = list(picked)
        while rows:
            asked, job = await self._asked()
            redriven(job, wanted)
            async with self._tabs.turn(self._job, HOUSE):
                actions = await self._actions(rows, now)
                if first:
                    renewed = msgspec.structs.replace(job, epoch=job.epoch + 1)
                    actions += changing(self._table, asked, renewed)
                done = await together(self._table, actions)
            if done:
                return len(rows)
            found = await self._listing.rows(self._job, [row.seq for row in rows])
            rows = [row for row in found.values() if self._picks(wanted, job, row)]
        return 0

    async def _actions(self, rows: Sequence[Stored], now: float) -> list[dict[str, Any]]:
        counting = Counting()
        entries: list[Entry] = []
        actions: list[dict[str, Any]] = []
        digests = await self._listing.digests(self._job, [row.seq for row in rows])
        for row in rows:
            lost = Counting()
            counted(row.body, lost)
            counting.changes.subtract(lost.changes)
            fence = fence_after(row.fence, 0)
            entries.append(Entry(now, row.seq, fence))
            actions.append(
                updating(
                    self._table, item_key(self._job, digests[row.seq]), _ANEW, "f = :seen",
                    f=fence, e=row.epoch + 1, x=packed(Body(not_before=now, changed=now)), seen=row.fence,
                )
            )  # fmt: skip
        house = await self._tabs.get(self._job, HOUSE, anew=True)
        actions.append(self._tabs.putting(self._job, house, house.tab.without({}, counting)))
        actions += [putting(self._table, row) for row in waiting.rows_of(self._job, entries)]
        return actions
