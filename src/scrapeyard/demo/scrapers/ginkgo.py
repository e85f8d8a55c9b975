"""JSON behind a page: the page carries a token, the endpoint wants it back in a header."""

from collections.abc import Iterator

from scrapeyard import Absent, Http, Money, Page, Record, WrongItem, scraper

from .county import Parcel, at


class Assessment(Record):
    parcel_id: str
    situs: str
    total_value: Money


class Owner(Record):
    parcel_id: str
    name: str
    percent: int


@scraper("county.ginkgo", site="ginkgo.county.example", rate=300, sentinels=["001-0001-001"])
async def parcels(parcel: Parcel, http: Http) -> Page:
    """Value and owners, as the site's own page gets them."""
    front = await http.get(at("/ginkgo/"))
    token = front.attr("meta[name=csrf-token]", "content")
    headers = {"X-CSRF-Token": token, "X-Requested-With": "XMLHttpRequest"}
    page = await http.get(at("/ginkgo/api/parcels"), params={"number": parcel.parcel_id}, headers=headers)
    if page.json()["count"] == 0:
        raise Absent
    return page


@parcels.extractor
def read(parcel: Parcel, page: Page) -> Iterator[Assessment | Owner]:
    found = page.json()["results"][0]
    number = found["parcelNumber"]
    if number != parcel.parcel_id:
        raise WrongItem("parcelNumber", page.url, parcel.parcel_id, number)
    yield Assessment(parcel_id=number, situs=found["situsAddress"], total_value=found["values"]["total"])
    for owner in found["owners"]:
        yield Owner(parcel_id=number, name=owner["name"], percent=owner["percent"])
