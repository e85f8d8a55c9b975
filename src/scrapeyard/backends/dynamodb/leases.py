"""The workers' side, in DynamoDB: a lease is an entry on the worker's tab, and no item's row is written for it.

An offer is taken by whoever shows it while it is out; that another worker took it too is not asked, because that
question would cost as much as the answer. So an item may run twice, if a queue delivers twice; the condition on its row
lets one result in.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from zlib import crc32

from scrapeyard.backends.admission import check_settlements
from scrapeyard.backends.dynamodb.desk import Desk, seen
from scrapeyard.backends.dynamodb.keys import desk_key, digest_of, item_key, job_key, worker_key
from scrapeyard.backends.dynamodb.listing import Listing
from scrapeyard.backends.dynamodb.rows import Stored, fence_after, luck_of, offer_from, reapers, stored
from scrapeyard.backends.dynamodb.settling import Ending, Settling
from scrapeyard.backends.dynamodb.table import Key, Table
from scrapeyard.backends.dynamodb.tabs import Held, SeenTab, Tabs, held_of, offer_again
from scrapeyard.backends.dynamodb.values import Row
from scrapeyard.backends.dynamodb.workers import Known, Workers, known
from scrapeyard.backends.rows import decode_job
from scrapeyard.model.errors import Conflict
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Offer, Settlement
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.states import JobState, VisitState


class DynamoLeases:
    """Fulfils `scrapeyard.ports.leases.LeaseBook`."""

    def __init__(self, table: Table, tabs: Tabs, listing: Listing) -> None:
        self._table = table
        self._tabs = tabs
        self._listing = listing
        self._workers = Workers(table)
        self._holders: dict[tuple[str, int, int], str] = {}

    @property
    def exclusive(self) -> bool:
        """An item may have two holders, for a while."""
        return False

    async def begin(self, worker: str, offers: Sequence[Offer], *, now: float) -> list[Lease]:
        """Take offers."""
        if not offers:
            return []
        by_job: dict[JobId, list[Offer]] = {}
        for offer in offers:
            by_job.setdefault(offer.job, []).append(offer)
        keys: list[Key] = [worker_key(worker)]
        for job, part in by_job.items():
            keys += [job_key(job), desk_key(job), *(item_key(job, digest_of(job, offer.key)) for offer in part)]
        rows = await self._table.get_many(keys)
        if not await self._admitted(worker, rows.get(worker_key(worker)), list(by_job)):
            return []
        parts = await asyncio.gather(*(self._take(worker, job, part, rows, now) for job, part in by_job.items()))
        leases = [lease for part in parts for lease in part]
        self._holders.update({(one.offer.job, one.offer.seq, one.fence): worker for one in leases})
        me = await self._workers.get(worker) if leases else None
        if me is not None and me.beat.fenced:  # at this very moment; whoever did it finds what was taken
            await self._workers.undone(worker, list(by_job))
            return []
        return leases

    async def _admitted(self, worker: str, row: Row | None, jobs: Sequence[str]) -> bool:
        """Whether this worker may take anything; from then on it is known that it has tabs of these jobs."""
        if row is None:
            await self._workers.beat(WorkerBeat(worker, version=0, started=0.0))
        elif known(row).beat.fenced:
            return False
        new = [job for job in jobs if row is None or job not in known(row).jobs]
        if new:
            await self._workers.opens(worker, new)
        return True

    async def _take(
        self, worker: str, job_id: JobId, offers: Sequence[Offer], rows: dict[Key, Row], now: float
    ) -> list[Lease]:
        if job_key(job_id) not in rows or desk_key(job_id) not in rows:
            return []
        job, desk = decode_job(rows[job_key(job_id)]["d"]), seen(rows[desk_key(job_id)]).desk
        if desk.sealed:
            self._listing.sealed(job_id)
        async with self._tabs.turn(job_id, worker):
            while True:
                before = await self._tabs.get(job_id, worker)
                here = {(held.seq, held.until): held for held in before.tab.held}
                leases: dict[tuple[int, float], Lease] = {}
                entries: dict[tuple[int, float], tuple[Held, int, int]] = {}
                for offer in offers:
                    place = (offer.seq, offer.until)
                    held = here.get(place)
                    if held is None and place not in entries:
                        row = rows.get(item_key(job_id, digest_of(job_id, offer.key)))
                        entry = _entry(job, desk, offer, row, now, luck_of(crc32(worker.encode())))
                        if entry is None:
                            continue
                        entries[place] = entry
                        held = entry[0]
                    if held is not None and held.attempt == offer.attempt:
                        leases[place] = Lease(offer, worker, held.fence)
                if not entries or await self._tabs.keep(job_id, before, before.tab.taking(entries.values(), desk)):
                    return list(leases.values())

    async def settle(self, settlements: Sequence[Settlement], *, now: float) -> list[bool]:
        """Record how leases end, each item by itself; a call that broke off is finished by repeating it."""
        check_settlements(settlements)
        by_job: dict[JobId, list[tuple[int, Settlement]]] = {}
        for place, settlement in enumerate(settlements):
            by_job.setdefault(settlement.job, []).append((place, settlement))
        answers = [False] * len(settlements)
        done = await asyncio.gather(*(self._settle(job, part, now) for job, part in by_job.items()))
        for part in done:
            for place in part:
                answers[place] = True
        return answers

    async def _settle(self, job: JobId, part: Sequence[tuple[int, Settlement]], now: float) -> list[int]:
        """The places of those that were recorded."""
        unique = {(one.seq, one.fence): (place, one) for place, one in reversed(part)}
        said = [one for _, one in unique.values()]
        tabs: dict[str, list[Settlement]] = {}
        strangers: list[Settlement] = []
        lost = [one for one in said if (job, one.seq, one.fence) not in self._holders]
        if lost:
            for seen_tab in await self._tabs.all(job):
                held = {(one.seq, fence) for one in seen_tab.tab.held for fence in (one.fence, reapers(one.fence))}
                for one in lost:
                    if (one.seq, one.fence) in held:
                        self._holders[job, one.seq, one.fence] = seen_tab.worker
        for one in said:
            holder = self._holders.get((job, one.seq, one.fence))
            (tabs.setdefault(holder, []) if holder is not None else strangers).append(one)
        times = Counter((one.seq, one.fence) for _, one in part)
        settling = Settling(self._table, self._tabs, self._listing, job, now, times)
        recorded = set(await settling.strangers(strangers))
        for worker, mine in tabs.items():
            recorded |= await settling.settle(worker, mine)
            for one in mine:
                self._holders.pop((job, one.seq, one.fence), None)
        return [place for key, (place, _) in unique.items() if key in recorded]

    async def beat(self, beat: WorkerBeat) -> bool:
        """A sign of life."""
        return await self._workers.beat(beat)

    async def workers(self) -> list[WorkerBeat]:
        """Workers that are here, and fenced ones whose items are not settled."""
        everybody = await self._workers.all()
        return [one.beat for one in everybody if not one.beat.fenced or not await self._finished(one)]

    async def _finished(self, dead: Known) -> bool:
        """Whether nothing is left of a dead worker; then its tabs are put away."""
        worker = dead.beat.worker
        tabs = [(job, await self._tabs.get(job, worker, anew=True)) for job in sorted(dead.jobs)]
        if any(seen_tab.tab.held for _, seen_tab in tabs):
            return False
        if await self._put_away(tabs):
            await self._workers.done(worker)
        return True

    async def _put_away(self, tabs: Sequence[tuple[str, SeenTab]]) -> bool:
        done = [await self._tabs.close_out(job, one) for job, one in tabs if one.version is not None]
        return all(done)

    async def fence(self, worker: str, version: int) -> list[Lease] | None:
        """Declare a worker dead. What it recorded and did not count is counted; the rest passes to the caller."""
        if not await self._workers.fence(worker, version):
            return None
        dead = await self._workers.get(worker)
        jobs = sorted(dead.jobs) if dead is not None else []
        parts = await asyncio.gather(*(self._reap(JobId(job), worker) for job in jobs))
        return [lease for part in parts for lease in part]

    async def _reap(self, job_id: JobId, worker: str) -> list[Lease]:
        before = await self._tabs.get(job_id, worker, anew=True)
        row = await self._table.get(job_key(job_id))
        if row is None or not before.tab.held:
            return []
        job = decode_job(row["d"])
        rows = await self._listing.rows(job_id, [held.seq for held in before.tab.held])
        settling = Settling(self._table, self._tabs, self._listing, job_id, 0.0)
        endings = [Ending(held, rows[held.seq]) for held in before.tab.held]
        await settling.close(worker, [ending for ending in endings if ending.over])
        leases = [_lease(job, ending.held, ending.row, worker) for ending in endings if not ending.over]
        self._holders.update({(job_id, lease.offer.seq, lease.fence): worker for lease in leases})
        return leases

    async def leave(self, worker: str) -> None:
        """Good-bye. A fenced worker is remembered, so that nothing late of it is let in."""
        me = await self._workers.get(worker)
        if me is None or me.beat.fenced:
            return
        tabs = [(job, await self._tabs.get(job, worker, anew=True)) for job in sorted(me.jobs)]
        count = sum(len(one.tab.held) for _, one in tabs)
        if count:
            raise Conflict(f"Worker {worker} still holds {count} items: settle them before it leaves.")
        while not await self._put_away(tabs):
            tabs = [(job, await self._tabs.get(job, worker, anew=True)) for job in sorted(me.jobs)]
        await self._workers.leave(worker)


def _entry(job: Job, desk: Desk, offer: Offer, row: Row | None, now: float, luck: int) -> tuple[Held, int, int] | None:
    """The lease that this offer gives, with page and place it was offered on; None when it is good for nothing."""
    if row is None or now >= offer.until or job.state is JobState.CANCELLED:
        return None
    there = stored(row)
    if (there.seq, there.epoch) != (offer.seq, offer.epoch) or there.body.state is not VisitState.WAITING:
        return None
    found = desk.find(job, offer.seq, offer.until, there.fence)
    if found is None:
        return None
    page, place = found
    return held_of(offer, fence_after(there.fence, luck)), page.number, place


def _lease(job: Job, held: Held, row: Stored, worker: str) -> Lease:
    offer = offer_from(job, row, held.until)
    return Lease(offer_again(held, offer), worker, reapers(held.fence))
