"""The portals with forms, walked as a scraper would: Alder's view state, Birch's disclaimer, Cedar's grid."""

import re

import pytest

from demo.county_walk import GHOST, NUMBER, attribute, fields, page, rows, text, visitor
from scrapeyard.demo.county import CountyOptions, serve
from scrapeyard.demo.county.html.template import cents, day, dollars
from scrapeyard.demo.county.ledger import entries


@pytest.fixture
async def county():
    async with serve(CountyOptions(parcels=2_000)) as county:
        yield county


@pytest.fixture
async def web(county):
    async with visitor(county) as session:
        yield session


# Alder


async def alder_search(web, number, **changed):
    state = fields(await page(web.get("/alder/Search.aspx")))
    posted = {**state, "ctl00$MainContent$txtParcel": number, "ctl00$MainContent$btnSearch": "Search", **changed}
    return {name: value for name, value in posted.items() if value is not None}


async def test_alder_leads_from_the_form_over_the_hit_to_the_detail(county, web):
    tree = await page(web.post("/alder/Search.aspx", data=await alder_search(web, NUMBER)))
    link = attribute(tree, "#ctl00_MainContent_gvResults a.detail", "href")
    detail = await page(web.get(f"/alder/{link}"))
    assert text(detail, "#ctl00_MainContent_lblParcel") == NUMBER
    assert text(detail, "#ctl00_MainContent_lblTotalValue") == dollars(county.parcel(0).values[0].total)


async def test_alder_says_at_status_200_that_it_found_nothing(web):
    tree = await page(web.post("/alder/Search.aspx", data=await alder_search(web, GHOST)))
    assert "No records found" in text(tree, "#noResults")


@pytest.mark.parametrize(
    "changed",
    [
        {"__VIEWSTATE": None},
        {"__VIEWSTATE": "/wEPDwUKMTIzNDU2Nzg5MA=="},
        {"__VIEWSTATE": "not base64 §"},
        {"__VIEWSTATE": "A" * 9_000},
        {"__EVENTVALIDATION": "AAAA"},
        {"__EVENTVALIDATION": None},
    ],
)
async def test_alder_refuses_a_wrong_view_state(web, changed):
    tree = await page(web.post("/alder/Search.aspx", data=await alder_search(web, NUMBER, **changed)), 500)
    assert "Server Error in '/' Application" in tree.text()


async def test_alder_refuses_the_validation_of_another_answer(web):
    first = await alder_search(web, NUMBER)
    other = fields(await page(web.post("/alder/Search.aspx", data=first)))
    await page(web.post("/alder/Search.aspx", data={**first, "__EVENTVALIDATION": other["__EVENTVALIDATION"]}), 500)


async def test_alder_with_the_other_button_clears_the_form(web):
    data = await alder_search(
        web, NUMBER, **{"ctl00$MainContent$btnSearch": None, "ctl00$MainContent$btnClear": "Clear"}
    )
    tree = await page(web.post("/alder/Search.aspx", data=data))
    assert tree.css_first("table.data a.detail") is None


# Birch


async def birch_agree(web):
    tree = await page(web.get("/birch/search"))
    return await page(web.post("/birch/disclaimer", data={**fields(tree, "#frmDisclaimer"), "btAgree": "Agree"}))


async def test_birch_sends_who_has_not_agreed_to_the_disclaimer(web):
    for path in ("/birch/search", f"/birch/datalet?pin={NUMBER}"):
        async with web.get(path) as answer:
            assert answer.url.path == "/birch/disclaimer"


async def test_birch_lets_in_who_agreed_and_shows_owners(county, web):
    await birch_agree(web)
    tree = await page(web.post("/birch/search", data={"inpParid": NUMBER, "hdAction": "Search"}))
    assert text(tree, "#lblParcel") == NUMBER
    assert [row[0] for row in rows(tree, "#owners")] == [owner.name for owner in county.parcel(0).owners]


async def test_birch_without_the_action_shows_only_the_form_again(web):
    tree = await page(
        web.post("/birch/search", data={"inpParid": NUMBER, **fields(await birch_agree(web), "#frmMain")})
    )
    assert tree.css_first("#inpParid") is not None
    assert tree.css_first("#lblParcel") is None


async def test_birch_does_not_take_a_refusal_for_an_agreement(web):
    tree = await page(web.get("/birch/disclaimer"))
    await page(web.post("/birch/disclaimer", data={**fields(tree, "#frmDisclaimer"), "btDecline": "Disagree"}))
    async with web.get("/birch/search") as answer:
        assert answer.url.path == "/birch/disclaimer"


async def test_birch_says_at_status_200_that_it_found_nothing(web):
    await birch_agree(web)
    tree = await page(web.post("/birch/search", data={"inpParid": GHOST, "hdAction": "Search"}))
    assert "No records found" in text(tree, "#noResults")


# Cedar


async def cedar_find(web, number):
    state = fields(await page(web.get("/cedar/Ledger.aspx")))
    return await page(
        web.post("/cedar/Ledger.aspx", data={**state, "ctl00$txtAccount": number, "ctl00$btnFind": "Find"})
    )


async def cedar_leaf(web, tree, argument, status=200):
    data = {**fields(tree), "__EVENTTARGET": "ctl00$gvLedger", "__EVENTARGUMENT": argument}
    return await page(web.post("/cedar/Ledger.aspx", data=data), status)


@pytest.mark.parametrize("place", [0, 3, 11, 40])
async def test_cedar_pages_together_are_the_whole_ledger(county, web, place):
    truth = county.parcel(place)
    tree = await cedar_find(web, truth.number)
    seen = []
    while True:
        assert text(tree, "#ctl00_lblAccount") == truth.number
        seen += rows(tree, "#ctl00_gvLedger")
        here = int(text(tree, "tr.pager span"))
        onward = [link.attributes["href"] for link in tree.css("tr.pager a") if link.text() == str(here + 1)]
        if not onward:
            break
        tree = await cedar_leaf(web, tree, re.findall(r"'([^']*)'", onward[0] or "")[1])
    assert seen == [[day(line.booked), str(line.year), line.what, cents(line.amount)] for line in entries(truth)]


async def test_cedar_gives_a_new_view_state_with_every_answer(web):
    first = await cedar_find(web, NUMBER)
    second = await cedar_leaf(web, first, "Page$2")
    assert fields(first)["__VIEWSTATE"] != fields(second)["__VIEWSTATE"]


async def test_cedar_refuses_the_view_state_of_an_earlier_answer(web):
    first = await cedar_find(web, NUMBER)
    await cedar_leaf(web, first, "Page$2")
    await cedar_leaf(web, first, "Page$2", 500)


async def test_cedar_refuses_the_view_state_of_another_session(county, web):
    tree = await cedar_find(web, NUMBER)
    async with visitor(county) as other:
        await cedar_find(other, NUMBER)
        await cedar_leaf(other, tree, "Page$2", 500)


@pytest.mark.parametrize("argument", ["Page$99", "Page$0", "Page$-1", "Page$x", "", "Page$" + "9" * 5_000])
async def test_cedar_refuses_a_page_that_the_grid_does_not_have(web, argument):
    await cedar_leaf(web, await cedar_find(web, NUMBER), argument, 500)


async def test_cedar_says_at_status_200_that_it_found_nothing(web):
    assert "No records found" in text(await cedar_find(web, GHOST), "#noResults")
