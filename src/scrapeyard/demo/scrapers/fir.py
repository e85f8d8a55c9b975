"""The long form: two captures, one of them a PDF that is kept as a file, and named steps."""

from scrapeyard import Absent, File, Http, Money, Page, Record, Visit, WrongItem, as_money, scraper

from .county import NOT_FOUND, Parcel, at


class LatestBill(Record):
    parcel_id: str
    number: str
    balance: Money
    pdf_sha256: str
    pdf_bytes: int


@scraper("county.fir", site="fir.county.example", expect=["account"], rate=300, sentinels=["001-0001-001"])
async def bill(parcel: Parcel, http: Http, visit: Visit) -> None:
    """The latest tax bill, as figures and as the PDF itself."""
    async with visit.step("account"):
        account = await http.get(at(f"/fir/account/{parcel.parcel_id}"))
        if account.says(NOT_FOUND):
            raise Absent
        visit.keep("account", account)
    async with visit.step("bill"):
        visit.keep("bill", await account.download("a#latestBill", expect="application/pdf"))


@bill.extractor
def read(parcel: Parcel, account: Page, bill: File) -> LatestBill:
    latest = account.table("#taxBills")[0]
    if parcel.parcel_id.encode() not in bill.read():  # this county's PDFs are not compressed
        raise WrongItem("the bill", bill.url, parcel.parcel_id, "another parcel")
    return LatestBill(
        parcel_id=account.text("#lblParcel", must_equal=parcel.parcel_id),
        number=latest["Bill No."],
        balance=as_money(latest["Balance"]),
        pdf_sha256=bill.sha256,
        pdf_bytes=bill.size,
    )
