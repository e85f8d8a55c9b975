"""The short form: one page, one kind of record."""

from scrapeyard import Http, Money, Page, Record, scraper

from .county import Parcel, at


class Assessment(Record):
    parcel_id: str
    owner: str | None
    situs: str
    land_use: str
    total_value: Money
    taxable_value: Money


@scraper("county.plain", site="county.example", rate=None, sentinels=["001-0001-001", "002-0001-001"])
async def assessment(parcel: Parcel, http: Http) -> Page:
    """Owner, address and values from the county's plain parcel page."""
    return await http.get(at("/detail"), params={"parcel": parcel.parcel_id}, absent_on=(404,))


@assessment.extractor
def read(parcel: Parcel, page: Page) -> Assessment:
    return Assessment(
        parcel_id=page.text("#lblParcel", must_equal=parcel.parcel_id),
        owner=page.text("#lblOwner", default=None),
        situs=page.text("#lblSitus"),
        land_use=page.text("#lblLandUse"),
        total_value=page.money("#lblTotalValue"),
        taxable_value=page.money("#lblTaxable"),
    )
