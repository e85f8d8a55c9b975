"""One hit or many: a number may also find an account of personal property, which is the wrong one."""

from scrapeyard import Absent, Ambiguous, Http, Money, Page, Record, scraper

from .county import NOT_FOUND, Parcel, at


class Assessment(Record):
    parcel_id: str
    situs: str
    total_value: Money


@scraper("county.dogwood", site="dogwood.county.example", rate=300, sentinels=["001-0001-001"])
async def assessment(parcel: Parcel, http: Http) -> Page:
    """Address and value of the real property; other accounts of the same number are passed by."""
    search = await http.get(at("/dogwood/"))
    page = await search.submit("#searchForm", q=parcel.parcel_id)
    if page.says(NOT_FOUND):
        raise Absent
    hits = page.css("#searchResults tr.hit")
    if not hits:
        return page  # one hit: the site goes straight to the record
    real = [hit for hit in hits if hit.text("td.type") == "REAL"]
    if len(real) != 1:
        raise Ambiguous(f"{len(real)} parcels could be meant by {parcel.parcel_id!r}; give the whole number.")
    return await http.get(real[0].link("a"))


@assessment.extractor
def read(parcel: Parcel, page: Page) -> Assessment:
    return Assessment(
        parcel_id=page.text("#lblParcel", must_equal=parcel.parcel_id),
        situs=page.text("#lblSitus"),
        total_value=page.money("#lblTotalValue"),
    )
