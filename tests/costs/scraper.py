"""What the cost test scrapes: nothing outside; a page of usual size and one record for each item, some only failing."""

import asyncio

from scrapeyard import Inputs, Page, Record, VisitError, scraper

FILLING = "".join(f"<tr><td>row {n}</td><td>{n * 7919 % 10_007}</td></tr>" for n in range(200))


class Parcel(Inputs):
    parcel: str
    seconds: float
    fails: bool = False


class Bill(Record):
    parcel: str
    owner: str


@scraper("costs.parcel", site="nowhere", key=["parcel"], rate=None, concurrency=None)
async def parcel(item: Parcel) -> Page:
    await asyncio.sleep(item.seconds)
    if item.fails:
        raise VisitError("the county's server gave up: 502 Bad Gateway")
    page = f"<p id=parcel>{item.parcel}</p><p id=owner>Owner of {item.parcel}</p><table>{FILLING}</table>"
    return Page(page.encode(), url=f"https://tax.nowhere.example/bills/{item.parcel}?year=2026&view=full")


@parcel.extractor
def read(item: Parcel, page: Page) -> Bill:
    return Bill(parcel=page.text("#parcel", must_equal=item.parcel), owner=page.text("#owner"))
