"""Scenery for the behaviour suites of a ledger: one job, its items, and workers that take and settle them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import msgspec
import pytest

from scrapeyard.model.attempt import Attempt, Step
from scrapeyard.model.capture import Capture, Place, RecordBatch
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Item, Lease, NewItem, Offer, Selection, Settlement
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState, ReadingState, VisitState
from scrapeyard.ports.ledger import Ledger

NOW = 1_750_000_000.0
TTL = 30.0

OpenLedger = Callable[[], Awaitable[Ledger]]


class LedgerSuite:
    """What the suites of all books share. The subclass has a fixture `open_ledger`.

    That fixture gives a function; each call opens the same ledger once more, as another process would. A
    backend that cannot be opened twice gives the same object again. Everything opened is closed at the end.
    """

    scale = 1.0
    """Of how many thousands the largest tests are made; less for a server that is slower than what it stands for."""

    @pytest.fixture
    async def reopen(self, open_ledger: OpenLedger) -> AsyncIterator[OpenLedger]:
        """Opens the ledger of this test once more."""
        opened: list[Ledger] = []

        async def once_more() -> Ledger:
            opened.append(await open_ledger())
            return opened[-1]

        yield once_more
        for ledger in opened:
            await ledger.close()

    @pytest.fixture
    async def ledger(self, reopen: OpenLedger) -> Ledger:
        """The ledger of this test."""
        return await reopen()


class Scene:
    """One job in a ledger. Time stands still at `now` until a test moves it."""

    def __init__(self, ledger: Ledger, job: Job) -> None:
        self.ledger = ledger
        self.id = job.id
        self.now = NOW

    async def job(self) -> Job:
        """The job as the ledger has it now."""
        found = await self.ledger.jobs.get(self.id)
        assert found is not None
        return found

    async def move(self, to: JobState, *only_from: JobState) -> Job:
        """Move the job; it must work."""
        moved = await self.ledger.jobs.advance(self.id, to, only_from, now=self.now)
        assert moved is not None
        return moved

    async def offer(self, limit: int = 1000, ttl: float = TTL, *, again: int | None = None) -> list[Offer]:
        """What the dispatcher does."""
        return await self.ledger.offers.offer(self.id, limit, now=self.now, until=self.now + ttl, again=again)

    async def sample(self, *seqs: int) -> list[Offer]:
        """What the dispatcher does when it doubts a list in its own order."""
        return await self.ledger.offers.sample(self.id, seqs, now=self.now, until=self.now + TTL)

    async def take(self, limit: int = 1000, worker: str = "w1") -> list[Lease]:
        """Offer and begin at once, in order of `seq`."""
        leases = await self.ledger.leases.begin(worker, await self.offer(limit), now=self.now)
        return sorted(leases, key=lambda lease: lease.offer.seq)

    async def settle(self, *settlements: Settlement) -> list[bool]:
        """What a worker does in the end."""
        return await self.ledger.leases.settle(settlements, now=self.now)

    async def fence(self, worker: str) -> list[Lease]:
        """Declare a worker dead as it stands; it must work."""
        known = {beat.worker: beat.version for beat in await self.ledger.leases.workers()}
        leases = await self.ledger.leases.fence(worker, known[worker])
        assert leases is not None
        return leases

    async def redrive(self, selection: Selection | None = None, *, dry_run: bool = False) -> int:
        """Put items back, as a person does."""
        return await self.ledger.items.redrive(self.id, selection or Selection(), now=self.now, dry_run=dry_run)

    async def items(self) -> list[Item]:
        """All of them, read in pages."""
        found: list[Item] = []
        while page := await self.ledger.items.page(self.id, after=found[-1].seq if found else -1, limit=400):
            found += page
        return found

    async def item(self, seq: int) -> Item:
        """One of them."""
        (item,) = await self.ledger.items.page(self.id, after=seq - 1, limit=1)
        assert item.seq == seq
        return item

    async def states(self) -> list[VisitState]:
        """The state of each item in order of `seq`."""
        return [item.state for item in await self.items()]

    async def tally(self) -> Tally:
        """The counters, after checking that they are what a recount finds and that no item is missing."""
        tally = await self.ledger.jobs.tally(self.id)
        assert tally == await self.ledger.jobs.recount(self.id)
        assert sum(tally.states.values()) == tally.loaded
        assert sum(tally.failed.values()) == tally.count(VisitState.FAILED)
        return tally


def a_job(number: int = 1, **changes: Any) -> Job:
    """A job as somebody submits it."""
    job = Job(
        id=JobId(f"job-{number:04}"),
        name="parcels",
        scraper=ScraperRef("us.fl.leon.bill", "1.2.0", "9f" * 16),
        site=SitePolicy("tax.example"),
        policy=Policy(),
        created=NOW + number,
        order_key=0x5EED + number,
    )
    return msgspec.structs.replace(job, **changes)


def new_items(count: int, first: int = 0) -> list[NewItem]:
    """Items with keys in the order of the list."""
    return [NewItem(f"P-{n:06}", b'{"parcel_id":"P-%06d"}' % n) for n in range(first, first + count)]


async def staged(ledger: Ledger, count: int = 10, *, number: int = 1, **changes: Any) -> Scene:
    """A job with so many items, sealed and running."""
    job = await ledger.jobs.create(a_job(number, **changes))
    scene = Scene(ledger, job)
    for first in range(0, count, 1000):
        await ledger.items.add(job.id, new_items(min(1000, count - first), first))
    assert await ledger.items.seal(job.id) == count
    await scene.move(JobState.RUNNING, JobState.LOADING)
    return scene


def tried(lease: Lease, outcome: str, kind: str | None = None) -> Attempt:
    """One try as a worker writes it down."""
    return Attempt(
        number=lease.offer.attempt,
        epoch=lease.offer.epoch,
        worker=lease.worker,
        tier=lease.offer.tier,
        started=NOW,
        ms=1_250,
        outcome=outcome,
        kind=kind,
        status=200,
        detail="what was seen" if kind else "",
        requests=3,
        wire_bytes=20_480,
        body_bytes=81_920,
        cost_micros=17,
        steps=(Step("search", NOW, 400), Step("detail", NOW + 0.4, 850, failed=kind is not None)),
        session="5e55",
    )


def ended(lease: Lease, state: VisitState = VisitState.ABSENT, **changes: Any) -> Settlement:
    """A lease that ends in this state, with its attempt."""
    offer = lease.offer
    settlement = Settlement(
        offer.job, offer.seq, offer.epoch, lease.fence, state, offer.attempt, losses=offer.losses, rung=offer.rung,
        strikes=offer.strikes,
    )  # fmt: skip
    if "attempt" not in changes:
        changes["attempt"] = tried(lease, state, changes.get("kind"))
    return msgspec.structs.replace(settlement, **changes)


def succeeded(lease: Lease, rows: int = 2, **changes: Any) -> Settlement:
    """A visit that brought home a page and so many rows."""
    seq = lease.offer.seq
    page = Capture(
        "detail", Place("jobs/x/pages/w1-0.warc.gz", seq * 900, 900), "ab" * 32, 81_920,
        f"https://tax.example/{seq}?q=é", 200, "text/html", NOW,
    )  # fmt: skip
    bill = Capture(
        "bill", Place(f"jobs/x/files/{seq}.pdf", 0, 5000), "cd" * 32, 5000,
        f"https://tax.example/{seq}.pdf", 200, "application/pdf", NOW,
    )  # fmt: skip
    batch = RecordBatch(Place("jobs/x/records/w1-0.jsonl.gz", 0, 4000), seq * 64, 64, {"Bill": rows})
    fields = {"captures": (page, bill), "records": batch, "reading": ReadingState.READ} | changes
    return ended(lease, VisitState.SUCCEEDED, **fields)


def failed(lease: Lease, kind: str = "blocked", **changes: Any) -> Settlement:
    """A visit that was given up."""
    return ended(lease, VisitState.FAILED, **({"kind": kind, "reason": f"it was {kind}"} | changes))


def again(lease: Lease, not_before: float, kind: str = "timeout_read", **changes: Any) -> Settlement:
    """A visit that is to be tried again at a time."""
    return ended(lease, VisitState.WAITING, **({"kind": kind, "not_before": not_before} | changes))


def released(lease: Lease, now: float) -> Settlement:
    """An item that goes back unharmed: nothing is spent and nothing written down."""
    offer = lease.offer
    return ended(
        lease, VisitState.WAITING, attempts=offer.attempt - 1, crashes=offer.crashes, kind=offer.last_kind,
        not_before=now, attempt=None,
    )  # fmt: skip


def beat(worker: str, version: int = 1) -> WorkerBeat:
    """A sign of life."""
    return WorkerBeat(worker, version, NOW, "host.example", 4711)


def seqs(offers: Sequence[Offer]) -> list[int]:
    """Which items are offered, in the order in which they are."""
    return [offer.seq for offer in offers]
