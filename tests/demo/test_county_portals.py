"""The plain pages, and the portals whose surprise is in the answer: Dogwood, Elm, Fir, Ginkgo, Hazel."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from demo.county_walk import GHOST, NUMBER, attribute, page, rows, text, visitor
from scrapeyard.demo.county import CountyOptions, number_at, serve
from scrapeyard.demo.county.html.template import cents, day, dollars
from scrapeyard.demo.county.portals.dogwood import has_personal_property


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
async def county(clock):
    async with serve(CountyOptions(parcels=2_000, session_requests=5, session_seconds=60), now=clock) as county:
        yield county


@pytest.fixture
async def web(county):
    async with visitor(county) as session:
        yield session


# The plain page


async def test_the_plain_page_tells_the_whole_truth_about_a_parcel(county, web):
    for place in range(0, 2_000, 97):
        truth = county.parcel(place)
        tree = await page(web.get(f"/detail?parcel={truth.number}"))
        value = truth.values[0]
        assert text(tree, "#lblParcel") == truth.number
        assert text(tree, "#lblOwner") == truth.owner
        assert text(tree, "#lblSitus") == truth.situs
        assert text(tree, "#lblLegal") == truth.legal
        assert text(tree, "#lblLandUse") == f"{truth.use_code} {truth.use}"
        assert text(tree, "#lblTotalValue") == dollars(value.total)
        assert text(tree, "#lblTaxable") == dollars(value.taxable)
        assert [row[0] for row in rows(tree, "#owners")] == [owner.name for owner in truth.owners]
        assert rows(tree, "#valueHistory")[-1][0] == str(truth.values[-1].year)
        assert [row[0] for row in rows(tree, "#sales")] == [day(sale.sold_on) for sale in truth.sales]
        bill = truth.bills[0]
        paid_on = day(bill.paid_on) if bill.paid_on else ""
        assert rows(tree, "#taxBills")[0] == [
            *(str(bill.year), bill.number, day(bill.due), cents(bill.amount)),
            *(cents(bill.paid), paid_on, cents(bill.balance), bill.status),
        ]


async def test_pages_are_as_big_as_those_of_real_counties(web):
    for path in (
        f"/detail?parcel={NUMBER}",
        "/alder/Search.aspx",
        "/elm/result?book=001&page=0001&lot=001",
        "/birch/disclaimer",
    ):
        async with web.get(path) as answer:
            assert 10_000 < len(await answer.read()) < 25_000, path


async def test_the_roll_can_be_leafed_through_to_its_end(web):
    path, seen = "/list", []
    while path:
        tree = await page(web.get(path))
        seen += [link.text() for link in tree.css("#roll a.detail")]
        onward = tree.css_first("a.next")
        path = onward.attributes["href"] if onward else None
    assert seen == [number_at(place) for place in range(2_000)]


@pytest.mark.parametrize("asked", ["0", "-1", "x", "9" * 400])
async def test_a_senseless_page_of_the_roll_is_some_page_of_the_roll(web, asked):
    tree = await page(web.get("/list", params={"page": asked}))
    assert len(tree.css("#roll a.detail")) == 50


async def test_every_portal_on_the_front_page_opens(web):
    tree = await page(web.get("/"))
    links = [link.attributes["href"] for link in tree.css("#portals a")]
    assert len(links) == 10
    for link in links:
        await page(web.get(link))


# Dogwood


def split(county, *, has):
    numbers = (number_at(place) for place in range(2_000))
    return next(one for one in numbers if has_personal_property(county.options.seed, one) == has)


async def test_dogwood_goes_straight_to_the_only_hit(county, web):
    number = split(county, has=False)
    async with web.get("/dogwood/search", params={"q": number}) as answer:
        assert answer.url.path == f"/dogwood/parcel/{number}"
        assert f'<span id="lblParcel">{number}</span>' in await answer.text()


async def test_dogwood_lists_personal_property_before_the_real_parcel(county, web):
    number = split(county, has=True)
    tree = await page(web.get("/dogwood/search", params={"q": number}))
    assert [row[:2] for row in rows(tree, "#searchResults")] == [[number, "PERSONAL"], [number, "REAL"]]
    links = [link.attributes["href"] for link in tree.css("#searchResults a")]
    personal, real = [text(await page(web.get(link)), "#lblTotalValue") for link in links]
    truth = next(county.parcel(place) for place in range(2_000) if number_at(place) == number)
    assert real == dollars(truth.values[0].total)
    assert personal != real


async def test_dogwood_lists_all_parcels_of_a_book_page(web):
    tree = await page(web.get("/dogwood/search?q=001-0001"))
    assert text(tree, "#hitCount") == "25 records found"
    assert [row[0] for row in rows(tree, "#searchResults")] == [f"001-0001-{lot:03d}" for lot in range(1, 26)]


async def test_dogwood_says_at_status_200_that_it_found_nothing(web):
    for asked in (GHOST, "", "999-9999"):
        tree = await page(web.get("/dogwood/search", params={"q": asked}))
        assert "No records found" in text(tree, "#noResults")


# Elm


async def test_elm_finds_by_three_boxes_and_tells_its_charset(county, web):
    truth = next(one for one in map(county.parcel, range(2_000)) if "Ñ" in one.owner)
    book, leaf, lot = truth.number.split("-")
    async with web.get("/elm/result", params={"book": book, "page": leaf, "lot": lot}) as answer:
        assert answer.charset == "windows-1252"
        body = await answer.read()
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")
    assert text(LexborHTMLParser(body.decode("cp1252")), "#lblOwner") == truth.owner


@pytest.mark.parametrize("boxes", [("001", "0001", "900"), ("1", "1", "1"), ("", "", ""), ("0010001001", "", "")])
async def test_elm_says_at_status_200_that_it_found_nothing(web, boxes):
    tree = await page(web.get("/elm/result", params=dict(zip(("book", "page", "lot"), boxes, strict=True))))
    assert "No records found" in text(tree, "#noResults")


# Fir


async def test_fir_leads_from_the_account_to_a_pdf_without_an_extension(county, web):
    tree = await page(web.get(f"/fir/account/{NUMBER}"))
    link = attribute(tree, "#latestBill", "href")
    assert link is not None
    assert "." not in link
    async with web.get(link) as answer:
        assert answer.headers["Content-Type"] == "application/pdf"
        body = await answer.read()
    assert county.parcel(0).bills[0].number.encode() in body


async def test_fir_links_a_bill_for_every_year(county, web):
    tree = await page(web.get(f"/fir/account/{NUMBER}"))
    for link, bill in zip(tree.css("a.bill"), county.parcel(0).bills, strict=True):
        async with web.get(link.attributes["href"]) as answer:
            assert f"{bill.year} REAL PROPERTY TAX BILL".encode() in await answer.read()


async def test_fir_sends_no_bill_twice_to_who_has_it(web):
    path = "/fir/bill/2024-0010001001"
    async with web.get(path) as answer:
        tag = answer.headers["ETag"]
    async with web.get(path, headers={"If-None-Match": tag}) as answer:
        assert (answer.status, await answer.read()) == (304, b"")
    async with web.get(path, headers={"If-None-Match": '"other"'}) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "path", ["/fir/bill/1900-0010001001", "/fir/bill/2024-0010001900", "/fir/bill/x", "/fir/bill/--"]
)
async def test_fir_has_no_bill_for_other_years_and_parcels(web, path):
    await page(web.get(path), 404)


async def test_fir_says_at_status_200_that_there_is_no_such_account(web):
    assert "No records found" in text(await page(web.get(f"/fir/account/{GHOST}")), "#noResults")


# Ginkgo


async def ginkgo_headers(web):
    tree = await page(web.get("/ginkgo/"))
    token = attribute(tree, "meta[name=csrf-token]", "content")
    return {"X-CSRF-Token": token, "X-Requested-With": "XMLHttpRequest"}


async def test_ginkgo_answers_in_json_to_the_token_of_its_page(county, web):
    async with web.get(f"/ginkgo/api/parcels?number={NUMBER}", headers=await ginkgo_headers(web)) as answer:
        told = await answer.json()
    truth = county.parcel(0)
    assert told["count"] == 1
    assert told["results"][0]["parcelNumber"] == NUMBER
    assert told["results"][0]["values"]["total"] == truth.values[0].total
    assert [bill["amount"] for bill in told["results"][0]["bills"]] == [
        f"{bill.amount / 100:.2f}" for bill in truth.bills
    ]


@pytest.mark.parametrize(
    "changed",
    [{"X-CSRF-Token": ""}, {"X-CSRF-Token": "1.0000000000000000"}, {"X-CSRF-Token": "é.x"}, {"X-Requested-With": ""}],
)
async def test_ginkgo_refuses_who_lacks_the_token_or_the_mark(web, changed):
    async with web.get("/ginkgo/api/parcels", headers={**await ginkgo_headers(web), **changed}) as answer:
        assert answer.status == 403
        assert (await answer.json())["error"]


async def test_ginkgo_answers_with_nothing_for_a_number_that_does_not_exist(web):
    async with web.get(f"/ginkgo/api/parcels?number={GHOST}", headers=await ginkgo_headers(web)) as answer:
        assert (answer.status, await answer.json()) == (200, {"count": 0, "results": []})


# Hazel


async def hazel_enter(web):
    await page(web.post("/hazel/enter", data={"guest": "1"}))


async def test_hazel_shows_a_guest_the_parcel_and_its_bills(county, web):
    await hazel_enter(web)
    tree = await page(web.get(f"/hazel/parcel?number={NUMBER}"))
    assert text(tree, "#lblParcel") == NUMBER
    assert len(rows(tree, "#taxBills")) == len(county.parcel(0).bills)


async def test_hazel_asks_a_stranger_to_sign_in_at_status_200(web):
    tree = await page(web.get(f"/hazel/parcel?number={NUMBER}"))
    assert text(tree, "#sessionExpired").startswith("Your session has expired")
    assert tree.css_first("form#guest #btnGuest") is not None


async def test_hazel_forgets_a_session_after_some_requests(web):
    await hazel_enter(web)  # the redirect to the search is the first of five
    for _ in range(4):
        assert (await page(web.get(f"/hazel/parcel?number={NUMBER}"))).css_first("#lblParcel") is not None
    for _ in range(2):
        assert (await page(web.get(f"/hazel/parcel?number={NUMBER}"))).css_first("#sessionExpired") is not None


async def test_hazel_forgets_a_session_after_some_time(web, clock):
    await hazel_enter(web)
    clock.seconds = 61.0
    assert (await page(web.get("/hazel/search"))).css_first("#sessionExpired") is not None


async def test_hazel_lets_nobody_in_without_the_guest_button(web):
    tree = await page(web.post("/hazel/enter", data={"user": "me", "secret": "x", "login": "1"}))
    assert tree.css_first("#loginFailed") is not None


async def test_hazel_says_at_status_200_that_it_found_nothing(web):
    await hazel_enter(web)
    assert "No records found" in text(await page(web.get(f"/hazel/parcel?number={GHOST}")), "#noResults")
