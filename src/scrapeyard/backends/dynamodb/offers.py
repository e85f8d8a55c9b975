"""The dispatcher's side, in DynamoDB: offers are recorded in pages, and no item's row is written for them."""

import asyncio
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.dynamodb import again as waiting
from scrapeyard.backends.dynamodb.again import Entry, Waiting
from scrapeyard.backends.dynamodb.desk import Desk, Page, Seen, keep, look
from scrapeyard.backends.dynamodb.keys import OPEN, job_key
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.rows import Stored, counts, offer_from
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.dynamodb.tabs import Tabs, holders, untaken
from scrapeyard.backends.rows import decode_job
from scrapeyard.model.item import Offer
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import Order
from scrapeyard.model.states import JobState, VisitState

_MOST_AHEAD = 20_000
"""Items out of turn that a desk remembers; its row holds 400 KB."""
_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})


class DynamoOffers:
    """Fulfils `scrapeyard.ports.offers.OfferBook`."""

    def __init__(self, table: Table, tabs: Tabs, listing: Listing) -> None:
        self._table = table
        self._tabs = tabs
        self._listing = listing
        self._open: set[str] = set()

    async def offer(self, job: JobId, limit: int, *, now: float, until: float, again: int | None = None) -> list[Offer]:
        """Offer due retries, then fresh items."""
        while limit > 0:
            asked, seen = await self._job(job)
            if asked is None or seen is None or not seen.desk.sealed or asked.state is JobState.CANCELLED:
                return []
            self._listing.sealed(job)
            desk = seen.desk
            lists = await waiting.due(self._table, job, now) if again is None or again > 0 else []
            retries, void = await self._due(asked, desk, lists, now, limit if again is None else min(limit, again))
            fresh, after = desk.window(asked, limit - len(retries))
            entries = [(entry.seq, entry.fence) for entry in retries]
            if after.cursor - desk.cursor > len(fresh):  # some had their turn before, so the others are named
                page = Page(desk.made, until, (*entries, *((seq, 0) for seq in fresh)), desk.cursor, 0)
            else:
                page = Page(desk.made, until, tuple(entries), desk.cursor, len(fresh))
            offers = await self._put(asked, seen, after, page)
            if offers is None:
                continue
            await waiting.keep_rest(self._table, job, lists, void.union(retries))
            return offers
        return []

    async def sample(self, job: JobId, seqs: Sequence[int], *, now: float, until: float) -> list[Offer]:  # noqa: ARG002 - a page knows until when alone
        """Offer out of turn."""
        while True:
            asked, seen = await self._job(job)
            if asked is None or seen is None or not seen.desk.sealed or asked.state is JobState.CANCELLED:
                return []
            desk = seen.desk
            if asked.policy.order is not Order.LIST or len(desk.ahead) + len(seqs) > _MOST_AHEAD:
                return []
            self._listing.sealed(job)
            left, ahead = range(desk.cursor, desk.loaded), set(desk.ahead)
            taken = [seq for seq in dict.fromkeys(seqs) if seq in left and seq not in ahead]
            after = msgspec.structs.replace(desk, ahead=tuple(sorted(ahead.union(taken))))
            page = Page(desk.made, until, tuple((seq, 0) for seq in taken), desk.cursor, 0)
            offers = await self._put(asked, seen, after, page)
            if offers is not None:
                return offers

    async def _put(self, job: Job, seen: Seen, after: Desk, page: Page) -> list[Offer] | None:
        """Write down that this page is out; None if somebody else has changed the desk meanwhile."""
        if not len(page):
            return []
        await self._register(job.id)
        made = msgspec.structs.replace(after, made=after.made + 1, pages=(*after.pages, page))
        rows = await self._rows(job, made, page)
        if await keep(self._table, job.id, seen, made) is None:
            return None
        return [offer_from(job, row, page.until) for row in rows]

    async def _rows(self, job: Job, desk: Desk, page: Page) -> list[Stored]:
        """The items of a page. What was never offered has not changed for a while, and may be read the cheap way."""
        seqs = desk.seqs(job, page)
        first = len(page.again)
        found = await self._listing.rows(job.id, seqs[:first])
        found |= await self._listing.rows(job.id, seqs[first:], consistent=False)
        return [found[seq] for seq in seqs]

    async def _due(
        self, job: Job, desk: Desk, lists: Sequence[Waiting], now: float, most: int
    ) -> tuple[list[Entry], set[Entry]]:
        """The first entries that are due and good; and those that are good for nothing any more."""
        entries = sorted({entry for one in lists for entry in one.entries if entry.due <= now})
        good: list[Entry] = []
        void: set[Entry] = set()
        if not entries or most <= 0:
            return good, void
        out, held = set(desk.out(job)), holders(await self._tabs.all(job.id))
        given: set[int] = set()
        for start in range(0, len(entries), 500):
            part = entries[start : start + 500]
            rows = await self._listing.rows(job.id, [entry.seq for entry in part])
            for entry in part:
                if len(good) == most:
                    return good, void
                row, hold = rows.get(entry.seq), held.get(entry.seq)
                if (
                    row is None
                    or row.fence != entry.fence
                    or row.body.state is not VisitState.WAITING
                    or entry.seq in given
                    or (entry.seq, entry.fence) in out
                ):
                    void.add(entry)
                elif hold is None:
                    good.append(entry)
                    given.add(entry.seq)
                elif counts(hold[1].fence) > counts(entry.fence):
                    void.add(entry)  # somebody has it; else it is being settled at this moment, and its turn comes
        return good, void

    async def withdraw(self, job: JobId, *, now: float) -> int:
        """Take back what no worker has taken."""
        return await self._take_back(job, now, None)

    async def sweep(self, *, now: float) -> int:
        """Take back what has expired."""
        jobs = [JobId(row["s"].decode()) async for row in self._table.query(OPEN)]
        return sum(await asyncio.gather(*(self._take_back(job, now, now) for job in jobs)))

    async def _take_back(self, job: JobId, now: float, until: float | None) -> int:
        """Those of pages that expire by then, or of all. Listed first, then taken off the desk: never neither."""
        while True:
            asked, seen = await self._job(job)
            if asked is None or seen is None:
                return 0
            pages = [page for page in seen.desk.pages if until is None or page.until <= until]
            if not pages:
                await self._forget(asked, seen.desk)
                return 0
            tabs = await self._tabs.all(job)
            entries: set[Entry] = set()
            for page in pages:
                seqs = seen.desk.seqs(asked, page)
                fences = [fence for _, fence in page.again] + [0] * page.count
                entries |= {Entry(now, seqs[place], fences[place]) for place in untaken(page, tabs)}
            await waiting.add(self._table, job, entries)
            left = tuple(page for page in seen.desk.pages if page not in pages)
            if await keep(self._table, job, seen, msgspec.structs.replace(seen.desk, pages=left)):
                return len(entries)

    async def next_due(self, job: JobId) -> float | None:
        """When the earliest retry may start."""
        return await waiting.earliest(self._table, job)

    async def fresh(self, job: JobId) -> int:
        """How many items were never offered."""
        seen = await look(self._table, job)
        return seen.desk.loaded - seen.desk.cursor - len(seen.desk.ahead) if seen is not None else 0

    async def _job(self, job: JobId) -> tuple[Job | None, Seen | None]:
        row, seen = await asyncio.gather(self._table.get(job_key(job)), look(self._table, job))
        return decode_job(row["d"]) if row is not None else None, seen

    async def _register(self, job: str) -> None:
        """Before the first offer is out, the sweep knows where to look."""
        if job not in self._open:
            await self._table.put({"p": OPEN, "s": job.encode()})
            self._open.add(job)

    async def _forget(self, job: Job, desk: Desk) -> None:
        """A job that has ended offers nothing, until it is driven again."""
        if job.state in _ENDED and not desk.pages:
            self._open.discard(job.id)
            await self._table.delete((OPEN, job.id.encode()))
