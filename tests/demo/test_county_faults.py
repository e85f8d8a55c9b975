"""Faults as a visitor meets them on the wire."""

import time

import aiohttp
import pytest

from scrapeyard.demo.county import CountyOptions, Fault, Faults, number_at, serve

PAGE = "/detail?parcel=001-0001-001"


@pytest.fixture
async def county():
    async with serve(CountyOptions(parcels=500)) as county:
        yield county


@pytest.fixture
async def web(county):
    async with aiohttp.ClientSession(county.base_url) as session:
        yield session


def always(fault, **settings):
    return Faults(rates={fault: 1}, **settings)


async def test_a_calm_county_serves_the_parcel(county, web):
    async with web.get(PAGE) as answer:
        assert answer.status == 200
        assert '<span id="lblParcel">001-0001-001</span>' in await answer.text()


async def test_an_error_of_the_server_has_a_5xx_status(county, web):
    county.turn(always(Fault.ERROR_5XX))
    statuses: set[int] = set()
    for place in range(40):
        async with web.get(f"/detail?parcel={number_at(place)}") as answer:
            statuses.add(answer.status)
            assert "Server Error" in await answer.text()
    assert statuses == {500, 502, 503, 504}


async def test_a_throttled_visit_is_told_when_to_come_back(county, web):
    county.turn(always(Fault.THROTTLED, retry_after=3))
    async with web.get(PAGE) as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (429, "3")


async def test_a_block_page_comes_at_status_200_and_in_several_looks(county, web):
    county.turn(always(Fault.BLOCKED))
    looks: set[str] = set()
    for place in range(40):
        async with web.get(f"/detail?parcel={number_at(place)}") as answer:
            assert answer.status == 200
            text = await answer.text()
            assert "lblParcel" not in text
            assert "{" + "mark" not in text
            looks.add(text.lower().split("</title>", 1)[0].split("<title>")[1])
    assert looks == {"just a moment...", "access denied", "please verify you are a human", "request unsuccessful"}


@pytest.mark.parametrize("status", [200, 503])
async def test_maintenance_is_a_notice_at_the_chosen_status(county, web, status):
    county.turn(always(Fault.MAINTENANCE, maintenance_status=status))
    async with web.get(PAGE) as answer:
        assert answer.status == status
        assert 'id="maintenanceNotice"' in await answer.text()


async def test_the_wrong_parcel_is_a_whole_page_about_another(county, web):
    county.turn(always(Fault.WRONG_PARCEL))
    async with web.get(PAGE) as answer:
        text = await answer.text()
    assert answer.status == 200
    assert '<span id="lblParcel">002-0001-001</span>' in text
    assert "001-0001-001" not in text


async def test_a_truncated_body_is_shorter_than_announced(county, web):
    county.turn(always(Fault.TRUNCATED))
    with pytest.raises(aiohttp.ClientPayloadError):
        async with web.get(PAGE) as answer:
            await answer.read()


@pytest.mark.parametrize("path", ["/", "/list", "/ginkgo/", "/alder/Search.aspx", "/birch/disclaimer", "/elm/"])
async def test_pages_that_are_about_no_parcel_never_go_wrong(county, web, path):
    county.turn(Faults(rates={Fault.ERROR_5XX: 1, Fault.ABSENT: 1}))
    async with web.get(path) as answer:
        assert answer.status == 200
    assert county.served == {}


@pytest.mark.parametrize(
    "path",
    ["/dogwood/search?q=001-0001-001", "/elm/result?book=001&page=0001&lot=001", "/fir/account/001-0001-001"],
)
async def test_portals_are_under_the_same_dial_as_the_plain_page(county, web, path):
    county.turn(Faults(rates={Fault.ABSENT: 1}))
    async with web.get(path) as answer:
        assert "No records found" in await answer.text()
    assert county.served == {"absent": 1}


async def test_a_reset_connection_gives_no_answer_at_all(county):
    county.turn(always(Fault.RESET))
    async with aiohttp.ClientSession(county.base_url, connector=aiohttp.TCPConnector(force_close=True)) as web:
        with pytest.raises(aiohttp.ClientOSError) as error:
            await web.get(PAGE)
    assert isinstance(error.value.__cause__ or error.value, ConnectionResetError)


async def test_a_slow_answer_takes_its_time_and_is_whole(county, web):
    county.turn(always(Fault.SLOW, slow_seconds=0.15))
    began = time.monotonic()
    async with web.get(PAGE) as answer:
        assert "lblParcel" in await answer.text()
    assert time.monotonic() - began >= 0.15


async def test_after_the_redesign_the_same_facts_stand_elsewhere(county, web):
    county.turn(always(Fault.REDESIGN))
    async with web.get(PAGE) as answer:
        text = await answer.text()
    assert county.parcel(0).situs in text
    assert [one for one in ("lblParcel", "lblOwner", "taxBills", "Owner Name", "valuation") if one in text] == []


async def test_an_absent_parcel_is_not_found_on_any_try(county, web):
    county.turn(always(Fault.ABSENT))
    for _ in range(3):
        async with web.get(PAGE) as answer:
            assert answer.status == 404
            assert "No records found" in await answer.text()


async def test_a_number_that_does_not_exist_is_never_a_fault(county, web):
    county.turn(always(Fault.ERROR_5XX))
    async with web.get("/detail?parcel=001-0001-900") as answer:
        assert answer.status == 404
    assert county.served == {}


async def test_the_same_run_meets_the_same_faults(county, web):
    county.turn(Faults(rates={Fault.ERROR_5XX: 0.3, Fault.THROTTLED: 0.2, Fault.ABSENT: 0.1}))

    async def run():
        statuses = []
        for place in range(60):
            async with web.get(f"/detail?parcel={number_at(place)}") as answer:
                statuses.append(answer.status)
        return statuses

    first = await run()
    async with web.post("/_county/reset") as answer:
        assert answer.status == 200
    assert await run() == first
    assert len(set(first)) > 2


async def test_what_a_visitor_typed_is_shown_as_text(county, web):
    async with web.get("/detail", params={"parcel": "<script>alert(1)</script>"}) as answer:
        text = await answer.text()
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert(1)" not in text
