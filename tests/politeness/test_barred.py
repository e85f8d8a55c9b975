"""A site that does not want a job: told before its items are gone, recorded with the reason, changed by one switch."""

import asyncio
from pathlib import Path

from aiohttp import web

from politeness.site import logged_site
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem, Selection
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import Settings, SiteSettings
from scrapeyard.wiring import Yard, open_yard

ITEMS = 400
SKIPPED = Selection(states=frozenset({VisitState.SKIPPED}))
SCRAPER = """
from scrapeyard import Http, Inputs, Page, scraper


class Parcel(Inputs):
    parcel_id: str


@scraper("test.barred", site="barred.example", rate=50.0, concurrency=None, expect=["page"])
async def visit(parcel: Parcel, http: Http) -> Page:
    return await http.get(f"BASE/private/{parcel.parcel_id}")
"""


def answer(request: web.Request) -> web.Response:
    if request.path == "/robots.txt":
        return web.Response(text="User-agent: *\nDisallow: /private/\n")
    return web.Response(text="<h1>here</h1>", content_type="text/html")


async def opened(yard: Yard) -> str:
    card = yard.scrapers.find("test.barred")
    job = (await yard.service.jobs.open(JobOrder("barred", card, Policy()))).job
    await yard.service.jobs.load(job.id, [NewItem(str(n), b'{"parcel_id":"%d"}' % n) for n in range(ITEMS)])
    await yard.service.jobs.seal(job.id)
    return job.id


async def until(yard: Yard, job: str, state: JobState) -> None:
    async with asyncio.timeout(60):
        while (await yard.service.jobs.get(job)).state is not state:  # noqa: ASYNC110 - a service is asked, it does not call
            await asyncio.sleep(0.1)


async def test_a_job_is_held_by_its_first_item_and_goes_on_by_the_switch(tmp_path: Path) -> None:
    async with logged_site() as site:
        site.answer = answer
        module = tmp_path / "barred.py"
        module.write_text(SCRAPER.replace("BASE", site.base))
        settings = Settings(data=tmp_path / "data", scrapers=(str(module),))
        async with open_yard(settings) as yard:
            job = await opened(yard)
            async with yard.working():
                await until(yard, job, JobState.PAUSED)
                told = (await yard.service.jobs.status(job)).gates[0].reason
                assert 'robots = false under [sites."barred.example"]' in told
            [first, *_] = await yard.service.items.find(job, SKIPPED)
            assert "Disallow: /private/" in (first.reason or "")
            assert 0 < (await yard.service.jobs.status(job)).tally.count(VisitState.SKIPPED) < ITEMS / 2
        assert site.visits == []
        assert {entry.agent.partition("/")[0] for entry in site.log} == {"scrapeyard"}
        careless = settings.model_copy(update={"sites": {"barred.example": SiteSettings(robots=False)}})
        async with open_yard(careless) as yard, yard.working():
            await yard.service.items.redrive(job, SKIPPED)
            await yard.service.jobs.resume(job)
            await until(yard, job, JobState.COMPLETED)
            assert (await yard.service.jobs.status(job)).tally.count(VisitState.SUCCEEDED) == ITEMS
        assert len({entry.path for entry in site.visits}) == ITEMS
