"""A disclaimer to agree to, a form whose hidden field a script fills, and three tables of records."""

from collections.abc import Iterator

from scrapeyard import Absent, Date, Http, Money, Page, Record, SessionTerms, as_date, as_money, scraper

from .county import NOT_FOUND, Parcel, at


class Owner(Record):
    parcel_id: str
    name: str
    share: str


class Sale(Record):
    parcel_id: str
    day: Date
    price: Money


@scraper(
    "county.birch", site="birch.county.example", rate=300, sentinels=["001-0001-001"],
    sessions=SessionTerms(together=True), expired_when=["css:#frmDisclaimer"],
)  # fmt: skip
async def owners(parcel: Parcel, http: Http) -> Page:
    """Owners of record and sales, behind a disclaimer."""
    page = await http.get(at("/birch/search"))
    page = await page.submit("#frmMain", inpParid=parcel.parcel_id, hdAction="Search")
    if page.says(NOT_FOUND):
        raise Absent
    return page


@owners.open_session
async def agree(http: Http) -> None:
    page = await http.get(at("/birch/disclaimer"))
    await page.submit("#frmDisclaimer", button="Agree")


@owners.extractor
def read(parcel: Parcel, page: Page) -> Iterator[Owner | Sale]:
    number = page.text("#lblParcel", must_equal=parcel.parcel_id)
    for row in page.table("#owners"):
        yield Owner(parcel_id=number, name=row["Name"], share=row["Share"])
    for row in page.table("#sales"):
        yield Sale(parcel_id=number, day=as_date(row["Date"]), price=as_money(row["Price"]))
