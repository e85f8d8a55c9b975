"""A number in three boxes, on a page in windows-1252."""

from collections.abc import Iterator

from scrapeyard import Absent, Date, Http, InvalidInput, Money, Page, Record, as_date, as_money, scraper

from .county import NOT_FOUND, Parcel, at


class Bill(Record):
    parcel_id: str
    year: int
    due: Date
    amount: Money
    paid_on: Date | None
    status: str


@scraper("county.elm", site="elm.county.example", rate=300, sentinels=["001-0001-001"])
async def bills(parcel: Parcel, http: Http) -> Page:
    """All tax bills of a parcel."""
    boxes = parcel.parcel_id.split("-")
    if [len(box) for box in boxes] != [3, 4, 3]:  # without its zeros a number finds nothing, and looks absent
        raise InvalidInput(f"{parcel.parcel_id!r} is no parcel number; write it as 007-0012-019.")
    form = await http.get(at("/elm/"))
    page = await form.submit("#boxes", book=boxes[0], page=boxes[1], lot=boxes[2])
    if page.says(NOT_FOUND):
        raise Absent
    return page


@bills.extractor
def read(parcel: Parcel, page: Page) -> Iterator[Bill]:
    number = page.text("#lblParcel", must_equal=parcel.parcel_id)
    for row in page.table("#taxBills"):
        paid_on = as_date(row["Paid On"]) if row["Paid On"] else None
        year, due, amount = int(row["Year"]), as_date(row["Due"]), as_money(row["Amount"])
        yield Bill(parcel_id=number, year=year, due=due, amount=amount, paid_on=paid_on, status=row["Status"])
