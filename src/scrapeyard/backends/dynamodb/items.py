"""The book of items, in DynamoDB."""

import asyncio
from collections.abc import Sequence
from heapq import merge
from itertools import islice

import msgspec

from scrapeyard.backends.admission import check_items, check_loading, no_job
from scrapeyard.backends.dynamodb.desk import keep, look
from scrapeyard.backends.dynamodb.jobs import change_job
from scrapeyard.backends.dynamodb.keys import digest_of, item_key, job_key, trouble_parts
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.loading import Load
from scrapeyard.backends.dynamodb.redrive import Redrive
from scrapeyard.backends.dynamodb.rows import TROUBLED, item_from
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.dynamodb.tabs import Tabs, holders
from scrapeyard.backends.rows import decode_job
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.item import Added, Item, NewItem, Selection
from scrapeyard.model.job import Job, JobId


class DynamoItems:
    """Fulfils `scrapeyard.ports.items.ItemBook`."""

    def __init__(self, table: Table, tabs: Tabs, listing: Listing) -> None:
        self._table = table
        self._tabs = tabs
        self._listing = listing

    async def add(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Append the items whose keys are new."""
        check_items(items)
        while True:
            asked, seen = await self._job(job), await look(self._table, job)
            if asked is None or seen is None:
                raise no_job(job)
            check_loading(asked)
            if not items:
                return Added(0, 0)
            added = await Load(self._table, self._listing, asked, items).attempt(seen)
            if added is not None:
                return added

    async def seal(self, job: JobId) -> int:
        """Fix the total: first on the desk, after which nobody adds, then in the job."""
        while True:
            row, seen = await self._table.get(job_key(job)), await look(self._table, job)
            if row is None or seen is None:
                raise no_job(job)
            desk, asked = seen.desk, decode_job(row["d"])
            if not desk.sealed and not await keep(
                self._table, job, seen, msgspec.structs.replace(desk, sealed=True, turn=desk.turn + 1)
            ):
                continue
            if asked.total is not None or await change_job(
                self._table, row, msgspec.structs.replace(asked, total=desk.loaded)
            ):
                return desk.loaded

    async def get(self, job: JobId, key: str) -> Item | None:
        """One item by its key."""
        asked, seen = await self._job(job), await look(self._table, job)
        if asked is None or seen is None:
            return None
        row = await self._table.get(item_key(job, digest_of(job, key)))
        if row is None or row["n"] >= seen.desk.loaded:
            return None
        found = await self._shown(asked, [row["n"]])
        return found[0] if found and found[0].key == key else None

    async def page(self, job: JobId, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Items in order of `seq`."""
        asked, seen = await self._job(job), await look(self._table, job)
        if asked is None or seen is None:
            return []
        return await self._shown(asked, range(after + 1, min(after + 1 + limit, seen.desk.loaded)))

    async def trouble(self, job: JobId, kind: str | None = None, *, after: int = -1, limit: int = 500) -> list[Item]:
        """Failed and uncertain items in order of `seq`, from the index, which may be a moment behind."""
        asked = await self._job(job)
        if asked is None:
            return []
        found: list[Item] = []
        while len(found) < limit:
            wanted = limit - len(found)
            seqs = await self._troubled(job, kind, after, wanted)
            if not seqs:
                break
            items = await self._shown(asked, seqs)
            found += [item for item in items if item.state in TROUBLED and kind in (None, item.kind or "")]
            after = seqs[-1]
            if len(seqs) < wanted:
                break
        return found

    async def _troubled(self, job: JobId, kind: str | None, after: int, limit: int) -> list[int]:
        """Places in order, merged from all shards."""

        async def of_shard(part: str) -> list[int]:
            found: list[int] = []
            async for row in self._table.trouble(part, after, None if kind else limit):
                if kind in (None, row["tk"]):
                    found.append(row["n"])
                if len(found) == limit:
                    break
            return found

        shards = await asyncio.gather(*map(of_shard, trouble_parts(job)))
        return list(islice(merge(*shards), limit))

    async def running(self, job: JobId, *, limit: int = 100) -> list[Item]:
        """Items that hold a lease."""
        asked = await self._job(job)
        if asked is None:
            return []
        held = sorted(holders(await self._tabs.all(job)))[:limit]
        return [item for item in await self._shown(asked, held) if item.worker is not None]

    async def attempts(self, job: JobId, seq: int) -> list[Attempt]:
        """Every recorded try of one item."""
        seen = await look(self._table, job)
        if seen is None or not 0 <= seq < seen.desk.loaded:
            return []
        return (await self._listing.rows(job, [seq]))[seq].attempts

    async def redrive(self, job: JobId, selection: Selection, *, now: float, dry_run: bool = False) -> int:
        """Put the selected final items back to waiting, in a new epoch."""
        return await Redrive(self._table, self._tabs, self._listing, job).run(selection, now=now, dry_run=dry_run)

    async def _shown(self, job: Job, seqs: Sequence[int]) -> list[Item]:
        """These items, with who has them."""
        rows, tabs = await asyncio.gather(self._listing.rows(job.id, seqs), self._tabs.all(job.id))
        held = holders(tabs)
        return [item_from(job, rows[seq], held[seq][0] if seq in held else None) for seq in seqs if seq in rows]

    async def _job(self, job: str) -> Job | None:
        row = await self._table.get(job_key(job))
        return decode_job(row["d"]) if row is not None else None
