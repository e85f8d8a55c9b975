"""What a worker would do to a job of these tests: items that end with pages, records and reasons of our choice."""

from typing import Any

import msgspec

from api.conftest import Site
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.capture import Kept
from scrapeyard.model.item import NewItem, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import ReadingState, VisitState
from scrapeyard.results.writer import SegmentWriter
from scrapeyard.testing.scenes import beat, ended


async def a_job(site: Site, *keys: str, name: str = "bills", policy: Policy | None = None) -> Job:
    """A sealed job with these items."""
    desk, card = site.yard.service.jobs, site.yard.scrapers.find("test.parcel")
    opened = await desk.open(JobOrder(name, card, policy or Policy(), "list.csv", fresh=True))
    check = site.yard.scrapers.load(card.ref).check_inputs
    await desk.load(opened.job.id, [NewItem(*check({"parcel_id": key})) for key in keys])
    return await desk.seal(opened.job.id)


async def worked(site: Site, job: Job, ends: dict[str, dict[str, Any]]) -> None:
    """End items: by key, `state` and other fields of a settlement, `pages` to keep and `records` as JSON."""
    ledger, now = site.yard.ledger, site.yard.clock.now()
    await ledger.leases.beat(beat("w1"))
    offers = await ledger.offers.offer(job.id, 10_000, now=now, until=now + 600)
    leases = await ledger.leases.begin("w1", offers, now=now)
    writer = SegmentWriter(site.yard.blobs, job.id, "w1", site.yard.clock)
    settled: list[Settlement] = []
    slots: list[Any] = []
    for lease in leases:
        end = dict(ends.get(lease.offer.key, {}))
        if not end:
            continue
        state = end.pop("state", VisitState.SUCCEEDED)
        captures = tuple([await writer.keep(page) for page in end.pop("pages", ())])
        rows = end.pop("records", ())
        slots.append(writer.record(lease.offer.seq, lease.offer.key, rows) if rows else None)
        reading = ReadingState.READ if rows else ReadingState.NONE
        settled.append(ended(lease, state, captures=captures, reading=reading, **end))
    await writer.close()
    whole = [_with(each, slot) for each, slot in zip(settled, slots, strict=True)]
    assert all(await ledger.leases.settle(whole, now=now))


def _with(settlement: Settlement, slot: Any) -> Settlement:
    return settlement if slot is None else msgspec.structs.replace(settlement, records=slot.batch())


def page(body: str, name: str = "detail", content_type: str = "text/html; charset=utf-8") -> Kept:
    return Kept(name, "https://tax.example/detail?q=1", 200, (), content_type, 1_700_000_000.0, body.encode())
