"""The county's proxies: real ones, with passwords, that die, break and refuse as they are told."""

import asyncio
import base64

import aiohttp
import pytest

from scrapeyard.demo.county import CountyOptions, Faults, Mood, Origin, ProviderError, serve
from scrapeyard.demo.county.proxies.asked import MOST_BODY, Malformed, parsed
from scrapeyard.model.errors import VisitError
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.http.client import Request
from scrapeyard.scraping.http.wreq_client import WreqClient

PASSWORD = "s3cret-of-the-test"
PATH = "/detail?parcel=001-0001-001"
GATEWAY_USER = "brd-customer-demo-zone-residential-country-us-state-ca-session-ab12"


@pytest.fixture
async def county():
    options = CountyOptions(parcels=200, datacenter=4, residential=1, password=PASSWORD)
    async with serve(options) as county:
        yield county


def address(county, origin, place=0, user="demo", password=PASSWORD):
    return f"http://{user}:{password}@{county.pools[origin].addresses[place]}"


def datacenter(county, place=0):
    return address(county, Origin.DATACENTER, place)


def residential(county):
    return address(county, Origin.RESIDENTIAL, user=GATEWAY_USER)


@pytest.fixture
async def fetch(county):
    """Status, headers and text of a page of the county through a proxy."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as web:

        async def fetch(proxy, path=PATH, **options):
            method = "POST" if "data" in options else "GET"
            async with web.request(method, county.url(path), proxy=proxy, **options) as answer:
                return answer.status, answer.headers, await answer.text()

        yield fetch


async def until(true):
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - what happens in a pool tells nobody
            await asyncio.sleep(0.01)


async def test_a_page_comes_through_a_proxy_and_the_site_knows_where_from(county, fetch):
    for proxy, times in ((datacenter(county), 2), (residential(county), 3), (None, 1)):
        for _ in range(times):
            status, _, text = await fetch(proxy)
            assert (status, "lblParcel" in text) == (200, True)
    assert county.visitors == {"datacenter": 2, "residential": 3, "direct": 1}


async def test_the_wall_is_passed_by_those_who_come_from_a_home(county, fetch):
    county.turn(Faults(walls={Origin.DIRECT: 1, Origin.DATACENTER: 1}))
    statuses = [(await fetch(proxy))[0] for proxy in (None, datacenter(county), residential(county))]
    assert statuses == [403, 403, 200]


async def test_a_form_goes_through_with_its_body(county, fetch):
    status, headers, _ = await fetch(datacenter(county), "/birch/disclaimer", data={"btAgree": "Agree"})
    assert (status, "text/html" in headers["Content-Type"]) == (200, True)
    big = {"__VIEWSTATE": "x" * 70_000}
    assert (await fetch(datacenter(county), "/alder/Search.aspx", data=big))[0] == 413


async def test_a_tunnel_carries_both_ways_and_counts_as_its_origin(county):
    host, port = county.pools[Origin.DATACENTER].addresses[0].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    token = base64.b64encode(f"demo:{PASSWORD}".encode()).decode()
    head = f"CONNECT 127.0.0.1:{county.port} HTTP/1.1\r\nProxy-Authorization: Basic {token}\r\n\r\n"
    writer.write(head.encode())
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
    for _ in range(2):
        writer.write(f"GET {PATH} HTTP/1.1\r\nHost: county.example\r\n\r\n".encode())
        answer = await reader.readuntil(b"</html>")
        assert answer.lstrip().startswith(b"HTTP/1.1 200")
    writer.close()
    assert county.visitors == {"datacenter": 2}


@pytest.mark.parametrize(
    ("user", "password"),
    [("demo", "wrong"), ("demo", ""), ("", PASSWORD), ("Demo", PASSWORD), (GATEWAY_USER, PASSWORD)],
)
async def test_nobody_gets_through_with_other_credentials(county, fetch, user, password):
    status, headers, _ = await fetch(address(county, Origin.DATACENTER, 0, user, password))
    assert (status, headers["Proxy-Authenticate"]) == (407, 'Basic realm="proxy"')
    assert county.visitors == {}


@pytest.mark.parametrize("user", ["demo", "brd-customer-other-zone-residential", "brd-customer-demo-zone-mobile"])
async def test_the_gateway_knows_its_customer_and_zone(county, fetch, user):
    assert (await fetch(address(county, Origin.RESIDENTIAL, 0, user)))[0] == 407


async def test_the_proxies_lead_nowhere_but_to_this_machine(county, fetch):
    async with aiohttp.ClientSession() as web, web.get("http://192.0.2.1/", proxy=datacenter(county)) as answer:
        assert (answer.status, answer.headers["x-brd-err-code"]) == (403, "policy_20050")


@pytest.mark.parametrize("error", ProviderError)
async def test_a_provider_words_its_errors_as_providers_do(county, fetch, error):
    county.pools[Origin.RESIDENTIAL].turn(Mood(errors={error: 1}))
    status, headers, _ = await fetch(residential(county))
    assert status in {402, 403, 407, 502}
    assert headers["x-brd-err-code"] in headers["Proxy-Status"]
    assert county.visitors == {}


async def test_a_flaky_proxy_breaks_off_or_answers_with_a_bare_502(county, fetch):
    county.pools[Origin.DATACENTER].turn(Mood(flaky=0.5))
    endings = []
    for _ in range(40):
        try:  # a form is sent once, a page would be asked for again by this client
            status, headers, _ = await fetch(datacenter(county), "/birch/disclaimer", data={"hdToken": "x"})
            endings.append(status)
            assert "Proxy-Status" not in headers
        except aiohttp.ClientError:
            endings.append(0)
    assert set(endings) == {200, 502, 0}
    assert 10 < endings.count(200) < 30
    assert county.pools[Origin.DATACENTER].proxies[0].failed == 40 - endings.count(200)


async def test_dead_proxies_refuse_and_come_back_where_they_were(county, fetch):
    pool = county.pools[Origin.DATACENTER]
    before = pool.addresses
    pool.turn(Mood(dead=0.75))
    await until(lambda: [one.alive for one in pool.proxies] == [False, False, False, True])
    for place in range(3):
        with pytest.raises(aiohttp.ClientProxyConnectionError) as refused:
            await fetch(datacenter(county, place))
        assert isinstance(refused.value.os_error, ConnectionRefusedError)
    assert (await fetch(datacenter(county, 3)))[0] == 200
    pool.turn(Mood())
    await until(lambda: all(one.alive for one in pool.proxies))
    assert pool.addresses == before
    for place in range(4):
        assert (await fetch(datacenter(county, place)))[0] == 200


async def test_a_dying_proxy_takes_its_open_connections_along(county, fetch):
    county.turn(Faults(latency=30))
    under_way = asyncio.create_task(fetch(datacenter(county)))
    pool = county.pools[Origin.DATACENTER]
    await until(lambda: pool.proxies[0].requests)
    pool.turn(Mood(dead=1))
    with pytest.raises(aiohttp.ClientError):
        await asyncio.wait_for(under_way, 10)


async def test_our_own_client_sees_a_dead_proxy_as_the_proxy_s_failure(county):
    pool = county.pools[Origin.DATACENTER]
    pool.turn(Mood(dead=1))
    await until(lambda: not any(one.alive for one in pool.proxies))
    client = WreqClient()
    with pytest.raises(VisitError) as failed:
        await client.send(Request("GET", county.url(PATH), {}, proxy=Proxy("dc", datacenter(county))))
    await client.close()
    assert failed.value.failure == "proxy_error"


async def test_the_mood_is_turned_over_the_back_door(county, fetch):
    async with aiohttp.ClientSession(county.base_url) as web:
        change = {"residential": {"errors": {"no_peers": 1}}, "datacenter": {"latency": 0.01}}
        async with web.post("/_county/proxies", json=change) as answer:
            assert answer.status == 200
        assert (await fetch(residential(county)))[0] == 502
        async with web.post("/_county/proxies", json={"residential": {"errors": {}}}) as answer:
            told = await answer.json()
    assert told["residential"]["mood"]["errors"] == {}
    assert told["residential"]["proxies"][0]["failed"] == 1
    assert told["datacenter"]["mood"]["latency"] == 0.01
    assert [one["address"] for one in told["datacenter"]["proxies"]] == county.pools[Origin.DATACENTER].addresses
    assert PASSWORD not in str(told)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"mobile": {"dead": 1}}, "proxies: there are none of 'mobile'; there are datacenter, residential."),
        ({"datacenter": {"dead": 2}}, "dead"),
        ({"datacenter": {"alive": 1}}, "alive"),
        ({"datacenter": 5}, "datacenter: say what to change"),
        ({"datacenter": {"dead": 1}, "residential": {"errors": {"tired": 1}}}, "errors.tired"),
        ({"datacenter": {"dead": 1}, "seconds": -1}, "seconds"),
    ],
)
async def test_a_mood_that_makes_no_sense_is_refused_and_changes_nobody(county, change, says):
    async with (
        aiohttp.ClientSession(county.base_url) as web,
        web.post("/_county/proxies", json=change) as answer,
    ):
        assert answer.status == 400
        assert (await answer.json())["error"].startswith(says)
    assert [pool.mood for pool in county.pools.values()] == [Mood(), Mood()]


@pytest.mark.parametrize(
    "head",
    [
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET https://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET http://[::1 HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1:99999 HTTP/1.1\r\n\r\n",
        b"CONNECT :80 HTTP/1.1\r\n\r\n",
        b"\xff\xfe\x00 nonsense\r\n\r\n",
    ],
)
async def test_nonsense_is_answered_with_400(county, head):
    host, port = county.pools[Origin.DATACENTER].addresses[0].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(head)
    assert (await asyncio.wait_for(reader.read(), 10)).startswith(b"HTTP/1.1 400")
    writer.close()


async def test_a_head_without_an_end_is_cut_off(county):
    host, port = county.pools[Origin.DATACENTER].addresses[0].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET http://127.0.0.1/ HTTP/1.1\r\n" + b"X: " + b"y" * 200_000)
    with pytest.raises(ConnectionError):
        await asyncio.wait_for(reader.readexactly(1), 10)
    writer.close()


@pytest.mark.parametrize("length", [str(MOST_BODY + 1), "-1", "1e3", "٣"])
def test_a_body_of_no_good_length_is_refused(length):
    asked = parsed(f"POST http://127.0.0.1/ HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode())
    with pytest.raises(Malformed):
        _ = asked.length


def test_the_site_is_told_nothing_of_the_proxy():
    head = (
        b"GET http://127.0.0.1:81/a?b=c HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic YTpi\r\n"
        b"Proxy-Connection: keep-alive\r\nAccept: */*\r\n\r\n"
    )
    assert parsed(head).rewritten() == b"GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    assert parsed(head).credentials == ("a", "b")
