"""Many rows: a grid that is leafed through by postback, each page kept."""

from collections.abc import Iterator

from scrapeyard import Absent, Date, Http, Money, Page, Record, Visit, as_date, as_money, scraper

from .county import NOT_FOUND, Parcel, at

MOST_PAGES = 100  # a pager that leads in a circle must end


class LedgerLine(Record):
    parcel_id: str
    day: Date
    what: str
    amount: Money


@scraper("county.cedar", site="cedar.county.example", expect=["ledger"], rate=300, sentinels=["001-0001-001"])
async def ledger(parcel: Parcel, http: Http, visit: Visit) -> None:
    """Every line of a parcel's account, over all pages of the grid."""
    page = await http.get(at("/cedar/Ledger.aspx"))
    page = await page.submit("#aspnetForm", {"ctl00$txtAccount": parcel.parcel_id}, button="Find")
    if page.says(NOT_FOUND):
        raise Absent
    for number in range(2, MOST_PAGES):
        page.text("#ctl00_lblAccount", must_equal=parcel.parcel_id)  # before another account is leafed through
        visit.keep("ledger", page)
        if str(number) not in page.texts("tr.pager a"):
            return
        page = await page.postback("ctl00$gvLedger", f"Page${number}")


@ledger.extractor
def read(parcel: Parcel, ledger: list[Page]) -> Iterator[LedgerLine]:
    for page in ledger:
        number = page.text("#ctl00_lblAccount", must_equal=parcel.parcel_id)
        for row in page.table("#ctl00_gvLedger"):
            what, amount = row["Transaction"], as_money(row["Amount"])
            yield LedgerLine(parcel_id=number, day=as_date(row["Date"]), what=what, amount=amount)
