"""What a scraper cannot get by any way of its own, another one gets; the job remembers that, and says who did it."""

import pytest

from demo.stage import Quiet
from scrapeyard.demo.outside import Ground
from scrapeyard.demo.run import run_demo
from scrapeyard.demo.scene import QUICK, Ending, Scene
from scrapeyard.model.errors import Refused
from scrapeyard.settings import Settings

AUTHOR = """
import os

from scrapeyard import Blocked, Http, Inputs, Page, Record, scraper


class Parcel(Inputs):
    parcel_id: str
    MORE


class Row(Record):
    parcel_id: str


@scraper("test.short", site="county.example", rate=None, expect=["page"], fallback="test.long")
async def short(parcel: Parcel, http: Http) -> Page:
    raise Blocked("the short way is barred")


class Wanted(Inputs):
    parcel_id: str
    REQUIRED


@scraper("test.long", site="county.example", rate=None)
async def long(parcel: Wanted, http: Http) -> Page:
    return await http.get(os.environ["COUNTY_URL"] + "/detail?parcel=" + parcel.parcel_id, absent_on=(404,))


@long.extractor
def read(parcel: Wanted, page: Page) -> Row:
    return Row(parcel_id=page.text("#lblParcel", must_equal=parcel.parcel_id))
"""


@pytest.fixture
def play(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")

    async def play(author):
        path = tmp_path / "ways.py"
        path.write_text(author)
        kept = []

        async def settings(_):
            return {"scrapers": (str(path),)}

        async def script(play):
            await play.end()
            items = await play.yard.ledger.items.page(play.job.id, after=-1)
            kept.extend([await play.yard.ledger.items.attempts(play.job.id, item.seq) for item in items])
            return Ending()

        scene = Scene("ways", "", "test.short", Ground(parcels=80), script, QUICK, settings=settings)
        return await run_demo(Settings(data=tmp_path / "data"), scene, Quiet()), kept

    return play


async def test_another_scraper_takes_over_where_all_ways_of_the_first_fail(play):
    end, tries = await play(AUTHOR.replace("MORE", "").replace("REQUIRED", ""))
    tally = end.status.tally
    assert tally.answered == 82
    assert tally.tiers["test.long direct"].good == 82
    assert tally.tiers["direct"].good == 0
    assert tally.tiers["direct"].tries < 60, "it is soon passed by"
    climbed = next(each for each in tries if len(each) > 1)
    assert [one.tier for one in climbed] == ["direct", "test.long direct"]
    assert tally.records == tally.count("succeeded")


async def test_a_fallback_that_wants_more_is_refused_before_anything_starts(play):
    with pytest.raises(Refused, match=r"test\.long cannot take over .* it wants the input 'year' as well"):
        await play(AUTHOR.replace("MORE", "").replace("REQUIRED", "year: int"))
