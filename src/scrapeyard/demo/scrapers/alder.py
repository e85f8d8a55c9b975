"""WebForms: the search is a postback whose hidden state travels along by itself."""

from collections.abc import Iterator

from scrapeyard import Absent, Http, Kind, Money, Page, Record, SiteRule, as_money, scraper

from .county import NOT_FOUND, Parcel, at

IDS = "#ctl00_MainContent_"


class Assessment(Record):
    parcel_id: str
    owner: str | None
    situs: str
    total_value: Money


class YearValue(Record):
    parcel_id: str
    year: int
    total_value: Money


@scraper(
    "county.alder",
    site="alder.county.example",
    rate=300,
    concurrency=64,
    sentinels=["001-0001-001"],
    rules=[SiteRule("maintenance_box", Kind.MAINTENANCE, text=('id="maintenancenotice"',))],
)
async def assessment(parcel: Parcel, http: Http) -> Page:
    """Owner, value, and the value of each year, from a WebForms search."""
    search = await http.get(at("/alder/Search.aspx"))
    found = await search.submit("#aspnetForm", {"ctl00$MainContent$txtParcel": parcel.parcel_id}, button="Search")
    if found.says(NOT_FOUND):
        raise Absent
    return await found.follow("a.detail")


@assessment.extractor
def read(parcel: Parcel, page: Page) -> Iterator[Assessment | YearValue]:
    number = page.text(f"{IDS}lblParcel", must_equal=parcel.parcel_id)
    owner, situs = page.text(f"{IDS}lblOwner", default=None), page.text(f"{IDS}lblSitus")
    yield Assessment(parcel_id=number, owner=owner, situs=situs, total_value=page.money(f"{IDS}lblTotalValue"))
    for row in page.table("#valueHistory"):
        yield YearValue(parcel_id=number, year=int(row["Year"]), total_value=as_money(row["Total"]))
