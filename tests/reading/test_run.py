"""What an extractor's error means: evidence against the visit, or only a page that cannot be read yet."""

import pytest

from scrapeyard.model.capture import Kept
from scrapeyard.model.failures import Kind
from scrapeyard.model.states import ReadingState
from scrapeyard.reading.run import read
from scrapeyard.scraping.registry.registry import ScraperRegistry
from scrapeyard.scraping.scrapers import HttpOptions, equip

SOURCE = """
from scrapeyard import Absent, Blocked, Http, Inputs, Money, Page, Record, scraper


class Parcel(Inputs):
    pin: str
    deed: str = ""


class Bill(Record):
    pin: str
    amount: Money


@scraper("t.reading", site="s", key=["pin"])
async def visit(parcel: Parcel, http: Http) -> Page: ...


@visit.extractor
def rows(parcel: Parcel, page: Page) -> list[Bill]:
    match parcel.deed:
        case "bug":
            return [Bill(pin=page.missing_method())]
        case "schema":
            return [Bill(pin="1", amount="a lot")]
        case "many":
            return [Bill(pin="1", amount=1)] * 10_001
        case "huge":
            return [Bill(pin="1" * 2_000_000, amount=1)]
        case "absent":
            raise Absent
        case "blocked":
            raise Blocked("a wall")
        case "exit":
            raise SystemExit(3)
        case "wrong":
            page.text("#pin", must_equal="other")
    return [Bill(pin=page.text("#pin"), amount=page.money(".amount"))]
"""
GOOD = b"<p id=pin>001-02</p><p class=amount>$1,234.50</p>"


@pytest.fixture
def scraper(tmp_path):
    (tmp_path / "reading_scraper.py").write_text(SOURCE)
    registry = ScraperRegistry((str(tmp_path),), tmp_path / "cache", equip(HttpOptions(downloads=tmp_path / "d")))
    return registry.load(registry.find("t.reading").ref)


def told(scraper, deed: str = "", body: bytes = GOOD):
    kept = Kept("page", "https://s/1", 200, (), "text/html", 0.0, body)
    return read(scraper, scraper.check_inputs({"pin": "001-02", "deed": deed})[1], [kept])


def test_a_good_page_gives_its_rows(scraper):
    reading = told(scraper)
    assert reading.state is ReadingState.READ
    assert reading.rows == (("Bill", b'{"pin":"001-02","amount":"1234.50"}'),)


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("bug", "AttributeError: 'Page' object has no attribute 'missing_method' (line 23)"),
        ("schema", "Bill.amount: Input should be a valid decimal, not 'a lot' (line 25)"),
        ("many", "more than 10,000 records"),
        ("huge", "at most 1,048,576 are kept"),
        ("absent", "raise it in the scraper"),
        ("exit", "SystemExit: 3"),
    ],
)
def test_a_bug_makes_the_reading_unreadable_and_says_where(scraper, deed, said):
    reading = told(scraper, deed)
    assert reading.state is ReadingState.UNREADABLE
    assert reading.refusal is None
    assert said in (reading.reason or "")


@pytest.mark.parametrize(
    ("deed", "body", "kind"),
    [
        ("", b"<p>redesigned</p>", Kind.PARSE_EMPTY),
        ("wrong", GOOD, Kind.WRONG_ITEM),
        ("blocked", GOOD, Kind.BLOCKED),
    ],
)
def test_a_page_that_is_not_the_one_asked_for_speaks_against_the_visit(scraper, deed, body, kind):
    reading = told(scraper, deed, body)
    assert reading.state is ReadingState.NONE
    assert getattr(reading.refusal, "failure", None) is kind


def test_a_value_that_is_no_value_leaves_the_visit_alone(scraper):
    reading = told(scraper, body=b"<p id=pin>1</p><p class=amount>call us</p>")
    assert reading.state is ReadingState.UNREADABLE
    assert "call us" in (reading.reason or "")
