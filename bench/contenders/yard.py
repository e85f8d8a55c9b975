"""Scrapeyard as it comes: durable, pages kept, records validated, sessions, permits, logs, everything on by default."""

import asyncio
import os
import sys
from pathlib import Path

import uvloop

from bench.contenders.stopwatch import Stopwatch
from bench.target import PAGES
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import HttpSettings, Settings, WorkerSettings
from scrapeyard.wiring import Yard, open_yard

SCRAPER = """
import os
from scrapeyard import Http, Inputs, Page, Record, scraper

BASE = os.environ["BENCH_BASE"]


class Parcel(Inputs):
    place: str


class Detail(Record):
    pid: str
    owner: str
    situs: str
    mailing: str
    legal: str
    use: str
    acres: str
    land: str
    impr: str
    total: str
    amounts: list[str]


@scraper("bench.parcel", site="bench", key=["place"], rate=None, concurrency=None)
async def parcel(item: Parcel, http: Http) -> Page:
    return await http.get(f"{BASE}/parcel/{int(item.place) % PAGES}.html?n={item.place}")


@parcel.extractor
def read(item: Parcel, page: Page) -> Detail:
    text = page.text
    return Detail(
        pid=text("#pid"), owner=text("#owner"), situs=text("#situs"), mailing=text("#mailing"), legal=text("#legal"),
        use=text("#use"), acres=text("#acres"), land=text("#land"), impr=text("#impr"), total=text("#total"),
        amounts=page.texts("#bills td.amount"),
    )
"""


async def until_done(yard: Yard, job: JobId) -> None:
    """Wait for the job's end."""
    while (await yard.service.jobs.get(job)).state is not JobState.COMPLETED:  # noqa: ASYNC110 - a service is asked, it does not call
        await asyncio.sleep(0.1)


async def main(base: str, pages: int, out: Path) -> None:
    os.environ["BENCH_BASE"] = base
    module = out / "scrapers" / "bench_parcel.py"
    module.parent.mkdir()
    module.write_text(SCRAPER.replace("PAGES", str(PAGES)))
    worker = WorkerSettings(processes=1, concurrency=64)
    http = HttpSettings(allow=(base.partition("://")[2],))
    settings = Settings(data=out / "data", scrapers=(str(module),), worker=worker, http=http)
    async with open_yard(settings) as yard:
        card = yard.scrapers.find("bench.parcel")
        check = yard.scrapers.load(card.ref).check_inputs
        async with yard.working():
            await run(yard, "warm-up", card, [NewItem(*check({"place": str(place)})) for place in range(64)])
            opened = await yard.service.jobs.open(JobOrder("bench", card, Policy()))
            items = [NewItem(*check({"place": str(place)})) for place in range(pages)]
            for start in range(0, pages, 5_000):
                await yard.service.jobs.load(opened.job.id, items[start : start + 5_000])
            watch = Stopwatch()
            await yard.service.jobs.seal(opened.job.id)
            await until_done(yard, opened.job.id)
            tally = (await yard.service.jobs.status(opened.job.id)).tally
            watch.stop(tally.count(VisitState.SUCCEEDED))


async def run(yard: Yard, name: str, card, items: list[NewItem]) -> None:
    """A job from its list to its end."""
    opened = await yard.service.jobs.open(JobOrder(name, card, Policy()))
    await yard.service.jobs.load(opened.job.id, items)
    await yard.service.jobs.seal(opened.job.id)
    await until_done(yard, opened.job.id)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
