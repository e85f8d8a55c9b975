"""A service over storage in memory, and what a dispatcher and a worker would do to it."""

from pathlib import Path
from typing import Any

import msgspec

from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.controller.service import LocalService
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.capture import Capture, Kept
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import NewItem, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.record import Inputs
from scrapeyard.model.scraper import ScraperCard, ScraperRef
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.results.writer import SegmentWriter
from scrapeyard.scraping.author.inputs import InputCheck
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.wiring.scraping import ScrapingSetup


class Parcel(Inputs):
    """What the scraper of these tests wants."""

    parcel_id: str
    owner: str | None = None
    year: int = 2024


CARD = ScraperCard(
    ref=ScraperRef("us.ca.alameda.bill", "1.0", "d1"),
    site=SitePolicy("tax.example"),
    input_schema=Parcel.model_json_schema(),
    record_schemas={"Bill": {"type": "object", "properties": {"amount": {"type": "string", "format": "decimal"}}}},
    key_fields=("parcel_id",),
)
SCHEMA = CARD.input_schema
check = InputCheck(Parcel, CARD.key_fields).check


def order(name: str = "bills", **changes: Any) -> JobOrder:
    return msgspec.structs.replace(JobOrder(name, CARD, Policy(), "parcels.csv"), **changes)


def card(**changes: object) -> ScraperCard:
    return msgspec.structs.replace(CARD, **changes)


class Desk:
    """One deployment without anybody at work in it."""

    def __init__(self, folder: Path, ledger: Ledger | None = None) -> None:
        self.clock = VirtualClock()
        self.ledger = ledger or MemoryLedger()
        self.fleet = MemoryFleet()
        self.blobs = MemoryBlobs()
        self.scrapers = ScrapingSetup(
            (str(folder / "scrapers"),), folder / "cache", "", HttpOptions(downloads=folder / "downloads")
        ).registry()
        self.service = LocalService(self.ledger, self.fleet, self.blobs, self.scrapers, self.clock)

    async def job(self, *keys: str, name: str = "bills") -> Job:
        """A sealed job with these items."""
        opened = await self.service.jobs.open(order(name))
        await self.service.jobs.load(
            opened.job.id, [NewItem(key, b'{"parcel_id":"%b"}' % key.encode()) for key in keys]
        )
        return await self.service.jobs.seal(opened.job.id)

    async def settle(self, job: Job, *outcomes: tuple[str, VisitState, str | None]) -> None:
        """What a worker makes of items: (key, state, kind)."""
        now = self.clock.now()
        await self.ledger.leases.beat(WorkerBeat("w1", 1, now))
        offers = await self.ledger.offers.offer(job.id, 10_000, now=now, until=now + 60)
        wanted = {key: (state, kind) for key, state, kind in outcomes}
        for lease in await self.ledger.leases.begin("w1", offers, now=now):
            offer = lease.offer
            state, kind = wanted.get(offer.key, (VisitState.SUCCEEDED, None))
            captures = await self.captured(job, offer.key) if state is VisitState.SUCCEEDED else ()
            done = Settlement(job.id, offer.seq, offer.epoch, lease.fence, state, 1, kind=kind, captures=captures)
            assert await self.ledger.leases.settle([done], now=now) == [True]

    async def settle_some(self, job: Job, count: int, state: VisitState, kind: str | None) -> None:
        """What a worker makes of so many items that were not begun yet."""
        now = self.clock.now()
        await self.ledger.leases.beat(WorkerBeat("w1", 1, now))
        offers = await self.ledger.offers.offer(job.id, count, now=now, until=now + 60)
        leases = await self.ledger.leases.begin("w1", offers, now=now)
        done = [Settlement(job.id, one.offer.seq, one.offer.epoch, one.fence, state, 1, kind=kind) for one in leases]
        assert await self.ledger.leases.settle(done, now=now) == [True] * count

    async def captured(self, job: Job, key: str) -> tuple[Capture, ...]:
        """Two kept pages of an item."""
        writer = SegmentWriter(self.blobs, job.id, "w1", self.clock)
        pages = [
            Kept(name, f"https://tax.example/{name}", 200, (), "text/html", 1.0, f"<p>{name} of {key}".encode())
            for name in ("search", "detail")
        ]
        captures = [await writer.keep(page) for page in pages]
        await writer.close()
        return tuple(captures)

    async def ended(self, job: Job) -> Job:
        """What a dispatcher does with a job in which nothing moves any more."""
        for to, came in ((JobState.FINALIZING, JobState.RUNNING), (JobState.COMPLETED, JobState.FINALIZING)):
            assert await self.ledger.jobs.advance(job.id, to, (came,), now=self.clock.now())
        return await self.service.jobs.get(job.id)

    async def keys(self, job: Job) -> list[str]:
        """The job's items in the order of the list."""
        return [item.key for item in await self.ledger.items.page(job.id, limit=1_000_000)]


def write(folder: Path, text: str | bytes, name: str = "parcels.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
