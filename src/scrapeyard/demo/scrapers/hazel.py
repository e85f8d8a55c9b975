"""Guest sessions: the site forgets them, and then answers everything with its login page at status 200."""

from scrapeyard import Absent, Http, Money, Page, Record, scraper

from .county import NOT_FOUND, Parcel, at


class Account(Record):
    parcel_id: str
    owner: str | None
    taxable_value: Money
    unpaid_bills: int


@scraper(
    "county.hazel", site="hazel.county.example", rate=300, sentinels=["001-0001-001"],
    expired_when=["css:#sessionExpired"],
)  # fmt: skip
async def account(parcel: Parcel, http: Http) -> Page:
    """Owner, taxable value and open bills, as a guest sees them."""
    page = await http.get(at("/hazel/parcel"), params={"number": parcel.parcel_id})
    if page.says(NOT_FOUND):
        raise Absent
    return page


@account.open_session
async def enter(http: Http) -> None:
    page = await http.get(at("/hazel/"))
    await page.submit("#guest", button="guest")


@account.extractor
def read(parcel: Parcel, page: Page) -> Account:
    return Account(
        parcel_id=page.text("#lblParcel", must_equal=parcel.parcel_id),
        owner=page.text("#lblOwner", default=None),
        taxable_value=page.money("#lblTaxable"),
        unpaid_bills=sum(row["Status"] != "PAID" for row in page.table("#taxBills")),
    )
