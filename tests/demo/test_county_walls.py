"""Whom the site lets in: walls by where a visitor comes from, a limit in requests a second, trouble that passes."""

import aiohttp
import pytest

from scrapeyard.demo.county import CountyOptions, Fault, Faults, FaultsRefused, Origin, number_at, serve
from scrapeyard.demo.county.dial import Dial
from scrapeyard.demo.county.setting import Setting
from scrapeyard.demo.county.visitors import Visitors

PAGE = "/detail?parcel=001-0001-001"


class Hands:
    """A clock that is moved by hand."""

    def __init__(self):
        self.at = 100.0

    def __call__(self):
        return self.at


@pytest.fixture
def hands():
    return Hands()


@pytest.fixture
async def county(hands):
    async with serve(CountyOptions(parcels=500), hands) as county:
        yield county


@pytest.fixture
async def web(county):
    async with aiohttp.ClientSession(county.base_url) as session:
        yield session


@pytest.mark.parametrize("status", [200, 403])
async def test_a_whole_wall_stands_before_every_page(county, web, status):
    county.turn(Faults(walls={Origin.DIRECT: 1}, wall_status=status))
    for path in (PAGE, "/", "/alder/Search.aspx", "/birch/search", "/no/such/page"):
        async with web.get(path) as answer:
            assert answer.status == status
            assert "lblParcel" not in await answer.text()
    assert county.served == {"walled": 5}
    assert county.visitors == {"direct": 5}


async def test_the_back_door_is_open_to_those_before_the_wall(county, web):
    county.turn(Faults(walls={Origin.DIRECT: 1}, limit=0.001))
    for _ in range(3):
        async with web.get("/_county/faults") as answer:
            assert answer.status == 200
    assert county.visitors == {}


async def test_a_wall_for_some_stands_before_the_same_parcels_on_every_visit(county, web):
    county.turn(Faults(walls={Origin.DIRECT: 0.25}))

    async def walled():
        statuses = [(await web.get(f"/detail?parcel={number_at(place)}")).status for place in range(200)]
        return [place for place, status in enumerate(statuses) if status == 403]

    first = await walled()
    assert 30 < len(first) < 70
    assert await walled() == first
    async with web.get("/list") as answer:
        assert answer.status == 200


async def test_a_wall_for_others_is_none_for_us(county, web):
    county.turn(Faults(walls={Origin.DATACENTER: 1}))
    async with web.get(PAGE) as answer:
        assert answer.status == 200


async def test_more_requests_than_the_site_bears_are_told_when_to_come_back(county, web, hands):
    county.turn(Faults(limit=5, retry_after=7))

    async def statuses(count):
        return [(await web.get(PAGE)).status for _ in range(count)]

    assert await statuses(8) == [200] * 5 + [429] * 3
    hands.at += 0.4
    assert await statuses(3) == [200] * 2 + [429]
    async with web.get("/") as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (429, "7")
    assert county.served == {"over_limit": 5}


def test_a_limit_below_one_a_second_still_lets_one_through(hands):
    dial = Dial(7, Faults(limit=0.5), hands)
    assert [dial.bears(), dial.bears()] == [True, False]
    hands.at += 2
    assert dial.bears()


def test_what_is_set_for_a_while_passes_and_what_was_before_comes_back(hands):
    setting = Setting("calm", hands)
    setting.turn("closed", 20)
    hands.at += 19.9
    assert setting.value == "closed"
    hands.at += 0.2
    assert setting.value == "calm"


def test_what_is_set_for_good_ends_what_was_set_for_a_while(hands):
    setting = Setting("calm", hands)
    setting.turn("closed", 20)
    setting.turn("mild")
    assert setting.value == "mild"
    setting.turn("closed", 20)
    setting.turn("worse", 5)
    hands.at += 6
    assert setting.value == "mild"


async def test_maintenance_ends_by_itself(county, web, hands):
    async with web.post("/_county/faults", json={"rates": {"maintenance": 1}, "seconds": 20}) as answer:
        assert answer.status == 200
    async with web.get(PAGE) as answer:
        assert "maintenanceNotice" in await answer.text()
    hands.at += 21
    async with web.get(PAGE) as answer:
        assert "lblParcel" in await answer.text()


@pytest.mark.parametrize("seconds", [0, -1, 3_601, "soon", [5]])
async def test_a_while_that_makes_no_sense_is_refused(county, web, seconds):
    async with web.post("/_county/faults", json={"rates": {"slow": 1}, "seconds": seconds}) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"].startswith("seconds: ")
    async with web.get("/_county/faults") as answer:
        assert (await answer.json())["rates"] == {}


@pytest.mark.parametrize(
    "change", [{"walls": {"mobile": 1}}, {"walls": {"direct": 2}}, {"wall_status": 500}, {"limit": 0}]
)
def test_walls_and_limits_that_make_no_sense_are_refused(change):
    with pytest.raises(FaultsRefused):
        Faults().changed(change)


def test_a_visitor_is_known_by_the_connection_only_while_it_is_open():
    visitors, home = Visitors(), ("127.0.0.1", 4_001)
    with visitors.leaving(home, Origin.RESIDENTIAL):
        assert visitors.origin(home) is Origin.RESIDENTIAL
        assert visitors.origin(("127.0.0.1", 4_002)) is Origin.DIRECT
    assert visitors.origin(home) is Origin.DIRECT


async def test_a_redesign_in_mid_run_is_for_everybody_until_it_is_taken_back(county, web):
    county.turn(Faults(rates={Fault.REDESIGN: 1}, after={Fault.REDESIGN: 10}))

    async def old_pages(places):
        texts = [await (await web.get(f"/detail?parcel={number_at(place)}")).text() for place in places]
        return sum("lblParcel" in text for text in texts)

    assert await old_pages(range(10)) == 10
    assert await old_pages(range(30)) == 0
    async with web.post("/_county/faults", json={"rates": {}}) as answer:
        assert answer.status == 200
    assert await old_pages(range(10)) == 10
