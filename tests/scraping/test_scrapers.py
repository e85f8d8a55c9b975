"""From a folder of scrapers to records: registry, visit, reading; and the names that authors import."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import scrapeyard
from scrapeyard import File, Page, Scraper
from scrapeyard.demo.county import CountyOptions, serve
from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import NotFound, Refused
from scrapeyard.pages.errors import PageError
from scrapeyard.ports.scrapers import Errand
from scrapeyard.reading.run import BadRecords
from scrapeyard.scraping.registry.registry import ScraperRegistry
from scrapeyard.scraping.scrapers import equip
from scraping.visiting import Free, options

MODULE = """
    from collections.abc import Iterator
    from scrapeyard import File, Http, Inputs, Money, Page, Record, Visit, scraper

    class Parcel(Inputs):
        parcel_id: str

    class Value(Record):
        parcel_id: str
        total: Money

    class Size(Record):
        what: str
        size: int

    @scraper("county.plain", site="county.example")
    async def plain(parcel: Parcel, http: Http) -> Page:
        "Values of one parcel."
        return await http.get("{url}/detail", params={{"parcel": parcel.parcel_id}}, absent_on=(404,))

    @plain.extractor
    def read(parcel: Parcel, page: Page) -> Value:
        return Value(parcel_id=page.text("#lblParcel", must_equal=parcel.parcel_id), total=page.money("#lblTotalValue"))

    @scraper("county.bill", site="county.example", expect=["bill"])
    async def bills(parcel: Parcel, http: Http, visit: Visit) -> None:
        account = await http.get(f"{url}/fir/account/{{parcel.parcel_id}}")
        visit.keep("account", account)
        visit.keep("bill", await account.download("a#latestBill", expect="application/pdf"))

    @bills.extractor
    def sizes(account: Page, bill: File | None, others: list[Page]) -> Iterator[Size]:
        yield Size(what=account.title, size=len(account.body))
        if bill is not None:
            yield Size(what=bill.content_type, size=bill.size)
        yield Size(what="others", size=len(others))
"""


@pytest.fixture
async def county():
    async with serve(CountyOptions(parcels=100)) as county:
        yield county


async def test_a_folder_of_scrapers_is_found_loaded_run_and_read(county, tmp_path: Path) -> None:
    folder = tmp_path / "scrapers"
    folder.mkdir()
    (folder / "county.py").write_text(dedent(MODULE.format(url=county.base_url)))
    registry = ScraperRegistry([str(folder)], tmp_path / "cache", equip(options(tmp_path)), installed=False)
    assert [card.ref.name for card in registry.catalogue()] == ["county.bill", "county.plain"]
    plain = registry.load(registry.find("county.plain").ref)
    assert plain.card.summary == "Values of one parcel."
    key, inputs = plain.check_inputs({"parcel_id": county.parcel(4).number})
    visited = await plain.visit(Errand("job", 0, key, inputs), Free())
    assert visited.error is None
    (record,) = plain.read(inputs, visited.kept)
    assert record.model_dump() == {"parcel_id": key, "total": county.parcel(4).values[0].total}
    bill = registry.load(registry.find("county.bill").ref)
    visited = await bill.visit(Errand("job", 0, key, inputs), Free())
    assert [kept.name for kept in visited.kept] == ["account", "bill"]
    sizes = [row.model_dump() for row in bill.read(inputs, visited.kept)]
    assert [row["what"] for row in sizes][1:] == ["application/pdf", "others"]
    without = [row.model_dump() for row in bill.read(inputs, visited.kept[:1])]
    assert [row["what"] for row in without][1:] == ["others"]
    with pytest.raises(PageError, match="'account'"):
        bill.read(inputs, visited.kept[1:])
    await plain.close()
    visited = await bill.visit(Errand("job", 0, key, inputs), Free())  # the client is shared; it lives until the last
    assert visited.error is None
    await bill.close()


async def test_a_changed_scraper_is_another_version(tmp_path: Path) -> None:
    folder = tmp_path / "scrapers"
    folder.mkdir()
    source = folder / "county.py"
    source.write_text(dedent(MODULE.format(url="http://127.0.0.1:1")))
    registry = ScraperRegistry([str(folder)], tmp_path / "cache", equip(options(tmp_path)), installed=False)
    ref = registry.find("county.plain").ref
    source.write_text(source.read_text() + "\n# changed\n")
    with pytest.raises(NotFound, match="The job pins"):
        registry.load(ref)


def made(body: str) -> Scraper[...]:
    space: dict[str, Any] = {}
    exec(dedent("from collections.abc import Iterator\nfrom scrapeyard import *\n") + dedent(body), space)
    return space["visit"]


EXTRACTOR = """
class Parcel(Inputs):
    parcel_id: str = "1"
class Row(Record):
    n: int
class Other(Record):
    n: int
@scraper("x", site="x.example")
async def visit(parcel: Parcel, http: Http) -> Page: ...
@visit.extractor
def read(page: Page) -> Iterator[Row]:
    {code}
"""
PAGE = (
    Kept("page", "http://x/", 200, (), "text/html", 0.0, b"<p>one"),
    Kept("page", "http://x/2", 200, (), "", 0.0, b"<p>two"),
)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("return [Other(n=1)]", "gave Other where it promises Row"),
        ("return 'text'", "gave str"),
        ("return 5", "gave int"),
        ("return [{'n': 1}]", "gave dict where it promises Row"),
    ],
)
def test_an_extractor_that_gives_something_else_is_told(tmp_path: Path, code: str, said: str) -> None:
    loaded = equip(options(tmp_path))(made(EXTRACTOR.format(code=code)), "d", "s")
    with pytest.raises(BadRecords, match=said):
        loaded.read(b"{}", PAGE)


def test_an_extractor_without_end_is_cut_off(tmp_path: Path) -> None:
    code = "n = 0\n    while True:\n        n += 1\n        yield Row(n=n)"
    loaded = equip(options(tmp_path))(made(EXTRACTOR.format(code=code)), "d", "s")
    assert len(loaded.read(b"{}", PAGE)) == 10_001  # one more than is allowed, so that it shows


def test_of_several_captures_with_one_name_a_single_one_is_the_last(tmp_path: Path) -> None:
    code = "return [Row(n=1)] if page.text('p') == 'two' and page.name == 'page' else []"
    loaded = equip(options(tmp_path))(made(EXTRACTOR.format(code=code)), "d", "s")
    assert len(loaded.read(b"{}", PAGE)) == 1


def test_a_large_file_is_read_from_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"%PDF-large")
    body = EXTRACTOR.replace("page: Page", "page: File")
    loaded = equip(options(tmp_path))(made(body.format(code="yield Row(n=page.size)")), "d", "s")
    kept = Kept("page", "http://x/", 200, (), "application/pdf", 0.0, path=tmp_path / "f")
    assert [row.model_dump() for row in loaded.read(b"{}", (kept,))] == [{"n": 10}]


def test_a_browser_scraper_is_refused_in_words(tmp_path: Path) -> None:
    body = EXTRACTOR.replace('site="x.example"', 'site="x.example", lane="browser"')
    with pytest.raises(Refused, match="needs a browser"):
        equip(options(tmp_path))(made(body.format(code="return []")), "d", "s")


def test_what_authors_import_is_sorted_complete_and_loaded_late() -> None:
    assert scrapeyard.__all__ == sorted(scrapeyard.__all__)
    assert set(scrapeyard.__all__) <= set(dir(scrapeyard))
    assert (scrapeyard.Page, scrapeyard.File) == (Page, File)
    for name in scrapeyard.__all__:
        assert getattr(scrapeyard, name) is not None
    with pytest.raises(AttributeError):
        scrapeyard.nothing  # noqa: B018 - the access is the test # pyright: ignore[reportAttributeAccessIssue, reportUnusedExpression]
    code = "import sys, scrapeyard; sys.exit('wreq' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
