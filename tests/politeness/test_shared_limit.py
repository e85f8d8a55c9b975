"""One limit for a site, whoever visits it: counted by the site itself, over processes, jobs and requests of an item."""

from pathlib import Path

from politeness.site import ROBOTS, as_setting, fewest_in, logged_site, most_in, roles, until
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.policy import Policy
from scrapeyard.settings import Settings
from scrapeyard.wiring import open_yard

RATE = 20.0
SECONDS = 17.0
WARM = 3.0
"""Seconds after the first request in which the other workers are still starting."""

SCRAPER = """
from scrapeyard import Http, Inputs, Page, scraper


class Parcel(Inputs):
    parcel_id: str


@scraper("test.paced", site="paced.example", rate=20.0, concurrency=None, expect=["page"])
async def visit(parcel: Parcel, http: Http) -> Page:
    for step in ("front", "search", "hits"):
        await http.get(f"BASE/{step}/{parcel.parcel_id}")
    return await http.get(f"BASE/detail/{parcel.parcel_id}")
"""


async def test_four_workers_and_two_jobs_keep_one_rate_and_use_it(tmp_path: Path) -> None:
    async with logged_site() as site:
        scraper = tmp_path / "paced.py"
        scraper.write_text(SCRAPER.replace("BASE", site.base))
        settings = Settings(data=tmp_path / "data", scrapers=(str(scraper),))
        async with open_yard(settings) as yard:
            card = yard.scrapers.find("test.paced")
            for name in ("first", "second"):
                job = (await yard.service.jobs.open(JobOrder(name, card, Policy()))).job
                items = [NewItem(f"{name}-{n}", b'{"parcel_id":"%s-%d"}' % (name.encode(), n)) for n in range(400)]
                await yard.service.jobs.load(job.id, items)
                await yard.service.jobs.seal(job.id)
        with roles(tmp_path, {"dispatcher": 1, "worker": 4}, SCRAPEYARD_SCRAPERS=as_setting(scraper)):
            await until(lambda: bool(site.visits), 60)
            first = site.visits[0].at
            await until(lambda: site.visits[-1].at > first + SECONDS, SECONDS + 30)
        times = [entry.at for entry in site.visits]
        told = {entry.path.split("/")[2].partition("-")[0] for entry in site.visits}
    assert told == {"first", "second"}
    assert sum(entry.path == ROBOTS for entry in site.log) == 1, "one process asks for all"
    most, fewest = most_in(10.0, times), fewest_in(10.0, times, first + WARM, first + SECONDS)
    print(f"requests in any ten seconds: at most {most}, at least {fewest}")
    assert most <= 1.05 * RATE * 10
    assert fewest >= 0.9 * RATE * 10
