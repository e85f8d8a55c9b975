"""Each provider, against a local server that answers as the provider documents; or by the addresses that it makes."""

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec
import pytest

from proxies.provider import interface, pages
from scrapeyard.model.errors import Refused, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.place import ANYWHERE, place_of
from scrapeyard.scraping.http.client import Request, Timeouts
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.proxies.address import endpoint
from scrapeyard.scraping.proxies.asking import MOST
from scrapeyard.scraping.proxies.brightdata import BrightData
from scrapeyard.scraping.proxies.iproyal import IpRoyal
from scrapeyard.scraping.proxies.options import (
    BrightDataUnlocker,
    BrightDataZone,
    IpRoyalGateway,
    IpRoyalStatic,
    ProxyOptions,
    ProxyScrapeList,
    WebshareList,
)
from scrapeyard.scraping.proxies.peers import ANEW
from scrapeyard.scraping.proxies.pool import open_pool
from scrapeyard.scraping.secrets import Secrets
from scrapeyard.testing.clock import VirtualClock
from scraping.servers import always, answer, proxy, serving

KEY = "k3y-of-mine"
QUICK = Timeouts(connect=0.5, idle=0.5, total=2.0)


HTTP = HttpOptions(Path(), timeouts=QUICK, allow=("127.0.0.1",))


def known(**words):
    return Secrets(None, {f"SCRAPEYARD_SECRET_{name.upper()}": word for name, word in {"key": KEY, **words}.items()})


def pool_of(options, tier="datacenter", secrets=None, clock=None, http=HTTP):
    sets = ProxyOptions({"set": options}, {tier: "set"})
    return open_pool(sets, secrets or known(), clock or VirtualClock(), http)


async def urls(pool, tier, many=8):
    return {proxy.url for n in range(many) if (proxy := await pool.lend(tier, str(n))) is not None}


async def lent(pool, tier, session):
    proxy = await pool.lend(tier, session)
    assert proxy is not None
    return proxy


async def kind_of(pool, tier):
    with pytest.raises(VisitError) as raised:
        await pool.lend(tier, "s")
    return raised.value.failure, str(raised.value)


def zone(**changed):
    return msgspec.structs.replace(BrightDataZone("hl_1a2b", "resi", "secret://key"), **changed)


@pytest.mark.parametrize(
    ("changed", "place", "user"),
    [
        ({}, "", "zone-resi-session-w0rd1234-route_err-block"),
        ({}, "us", "zone-resi-country-us-session-w0rd1234-route_err-block"),
        ({}, "us-ca", "zone-resi-country-us-state-ca-session-w0rd1234-route_err-block"),
        ({}, "us-ca-san_francisco", "zone-resi-country-us-state-ca-city-sanfrancisco-session-w0rd1234-route_err-block"),
        ({}, "us-ca-94601", "zone-resi-country-us-zip-94601-session-w0rd1234-route_err-block"),
        ({"route_err": "pass_dyn"}, "de", "zone-resi-country-de-session-w0rd1234-route_err-pass_dyn"),
        ({"product": "datacenter", "zone": "dc"}, "us", "zone-dc-country-us-session-w0rd1234"),
        ({"dns": "remote", "const": True}, "", "zone-resi-dns-remote-session-w0rd1234-route_err-block-const"),
    ],
)  # fmt: skip
def test_brightdata_is_told_in_the_user_name_what_is_wanted(changed, place, user):
    url = urlsplit(BrightData(zone(**changed), known()).exit(place_of(place) if place else ANYWHERE, "w0rd1234"))
    assert (url.scheme, url.hostname, url.port) == ("http", "brd.superproxy.io", 44445)
    assert (url.username, url.password) == (f"brd-customer-hl_1a2b-{user}", KEY)


def test_brightdata_may_be_spoken_to_at_another_port_and_by_socks():
    url = BrightData(zone(host="old.example", port=22228, scheme="socks5"), known()).exit(ANYWHERE, "w")
    assert url.startswith("socks5h://brd-customer-hl_1a2b-zone-resi-")
    assert url.endswith("@old.example:22228")


@pytest.mark.parametrize("place", ["us-ca", "us-94601", "us-ca-oakland"])
async def test_a_zone_that_is_chosen_by_country_never_silently_ignores_the_rest(place):
    pool = pool_of(zone(product="datacenter"))
    kind, said = await kind_of(pool, f"datacenter:{place}")
    assert kind is Kind.NO_PROXY
    assert "by country only" in said
    assert await pool.lend("datacenter:us", "s") is not None


def test_neither_password_nor_customer_of_brightdata_is_shown():
    secrets = known()
    url = BrightData(zone(), secrets).exit(ANYWHERE, "w")
    shown = secrets.redaction.text(f"{url} brd-customer-hl_1a2b-zone-resi {KEY}")
    assert KEY not in shown
    assert "hl_1a2b" not in shown


async def test_a_provider_that_refuses_us_is_left_alone_and_asked_again_later():
    clock = VirtualClock()
    pool = pool_of(zone(), "residential", clock=clock)
    for n in range(2):
        pool.judged((await lent(pool, "residential:us", str(n))).id, Kind.PROXY_AUTH)
    kind, said = await kind_of(pool, "residential:us")
    assert kind is Kind.PROXY_AUTH
    assert "refused our credentials" in said
    await clock.advance(11)
    again = await lent(pool, "residential:us", "again")  # one visit sees whether it has been mended
    pool.judged(again.id, Kind.PROXY_AUTH)
    assert (await kind_of(pool, "residential:us"))[0] is Kind.PROXY_AUTH
    await clock.advance(21)
    pool.judged((await lent(pool, "residential:us", "mended")).id, None)
    for n in range(5):
        assert await pool.lend("residential:us", f"then{n}") is not None


async def test_a_place_where_a_provider_has_nobody_does_not_close_the_others():
    pool = pool_of(zone(), "residential")
    for n in range(2):
        pool.judged((await lent(pool, "residential:us-ca", str(n))).id, Kind.PROXY_EXHAUSTED)
    assert (await kind_of(pool, "residential:us-ca"))[0] is Kind.PROXY_EXHAUSTED
    assert await pool.lend("residential:us-ny", "s") is not None


async def asked_of(unlocked, method="GET", body=None):
    """What a client gets that asks through an unlocker whose interface answers so."""
    status, headers, page = unlocked
    async with serving(always(answer(page, f"{status} Any", **headers))) as server:
        options = BrightDataUnlocker("unl", "secret://key", server.url("/request"))
        way = await lent(pool_of(options, "unlocker"), "unlocker:us", "s")
        one = HTTP.connected()
        try:
            request = Request(method, "https://site.example/a?b=c", {}, body, way)
            reply = await one.send(request)
            return server.asked, reply, await reply.whole()
        finally:
            await one.close()


async def test_brightdatas_unlocker_is_asked_by_a_request_of_its_own_and_gives_the_sites_answer():
    (asked,), reply, body = await asked_of((200, {"x_brd_status_code": "404", "content_type": "text/html"}, b"<p>no"))
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(asked.body) == {
        "zone": "unl",
        "url": "https://site.example/a?b=c",
        "format": "raw",
        "country": "us",
    }
    assert (reply.status, body) == (404, b"<p>no")


async def test_a_form_goes_through_the_unlocker_as_its_body():
    (asked,), reply, _ = await asked_of((200, {}, b"x"), method="POST", body=b"q=1")
    assert (json.loads(asked.body)["method"], json.loads(asked.body)["body"]) == ("POST", "q=1")
    assert reply.status == 200


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Kind.PROXY_AUTH), (400, Kind.PROXY_AUTH), (402, Kind.PROXY_EXHAUSTED), (429, Kind.PROXY_EXHAUSTED),
     (500, Kind.PROXY_ERROR)],
)  # fmt: skip
async def test_what_the_unlocker_refuses_to_take_is_never_the_sites_fault(status, kind):
    with pytest.raises(VisitError) as raised:
        await asked_of((status, {}, b"no"))
    assert raised.value.failure is kind
    assert KEY not in str(raised.value)


async def test_an_unlocker_that_is_gone_is_never_the_sites_fault():
    way = await lent(pool_of(BrightDataUnlocker("unl", "secret://key", "http://127.0.0.1:9/request"), "u"), "u", "s")
    one = HTTP.connected()
    with pytest.raises(VisitError) as raised:
        await one.send(Request("GET", "https://site.example/", {}, proxy=way))
    assert raised.value.failure is Kind.PROXY_ERROR
    await one.close()


@pytest.mark.parametrize(
    ("place", "options"),
    [
        ("", ""),
        ("de", "_country-de"),
        ("us-ca", "_country-us_state-california"),
        ("us-nj", "_country-us_state-newjersey"),
        ("us-ca-los_angeles", "_country-us_state-california_city-losangeles"),
    ],
)
def test_iproyal_is_told_in_the_password_what_is_wanted(place, options):
    made = IpRoyal(IpRoyalGateway("me", "secret://key"), known()).exit(
        place_of(place) if place else ANYWHERE, "abcd1234"
    )
    url = urlsplit(made)
    assert (url.hostname, url.port, url.username) == ("geo.iproyal.com", 12321, "me")
    assert unquote(url.password or "") == f"{KEY}{options}_session-abcd1234_lifetime-30m"


@pytest.mark.parametrize("place", ["us-94601", "us-zz", "de-by"])
async def test_iproyal_never_silently_ignores_a_place_that_it_does_not_know(place):
    kind, _ = await kind_of(pool_of(IpRoyalGateway("me", "secret://key"), "residential"), f"residential:{place}")
    assert kind is Kind.NO_PROXY


def webshare(number, **changed):
    return {
        "id": f"d-{number}", "username": f"u{number}", "password": f"pw-{number}", "proxy_address": f"10.0.0.{number}",
        "port": 8000 + number, "valid": True, "country_code": "US", "city_name": "Los Angeles", **changed,
    }  # fmt: skip


async def test_webshares_list_by_a_server_that_answers_as_documented_is_read_to_its_last_page():
    given = [
        webshare(1), webshare(2, country_code="DE", city_name="Köln"), webshare(3, valid=False),
        webshare(4, country_code=None), webshare(5, port=None, ports={"http": 81, "socks5": 1081}),
        webshare(6, port=99_999), {"id": "broken"},
        webshare(7, city_name=""),
    ]  # fmt: skip
    base = ""
    async with interface(pages(given, KEY, 3, lambda: base)) as server:
        base = server.url("")
        secrets = known()
        pool = pool_of(WebshareList("secret://key", endpoint=server.url("/api/v2/proxy/list/")), secrets=secrets)
        everyone = {
            f"http://u{n}:pw-{n}@10.0.0.{n}:{port}" for n, port in ((1, 8001), (2, 8002), (4, 8004), (5, 81), (7, 8007))
        }
        assert await urls(pool, "datacenter", 20) == everyone
        assert await urls(pool, "datacenter:de") == {"http://u2:pw-2@10.0.0.2:8002"}
        assert len(await urls(pool, "datacenter:us", 20)) == 3
        assert len(await urls(pool, "datacenter:us-los_angeles", 20)) == 2
        assert (await kind_of(pool, "datacenter:fr"))[0] is Kind.NO_PROXY
        assert secrets.redaction.text("pw-2") == "[secret]"
        assert len(server.asked) == 3
        await pool.close()


async def test_webshares_proxies_without_an_address_are_reached_through_its_own():
    async with interface(pages([webshare(1, proxy_address=None), webshare(2)], KEY, 9, str)) as server:
        direct = pool_of(WebshareList("secret://key", endpoint=server.url("/")))
        assert await urls(direct, "datacenter") == {"http://u1:pw-1@p.webshare.io:80", "http://u2:pw-2@10.0.0.2:8002"}
        backbone = pool_of(WebshareList("secret://key", mode="backbone", countries=("us",), endpoint=server.url("/")))
        assert {urlsplit(url).hostname for url in await urls(backbone, "datacenter")} == {"p.webshare.io"}
        assert "country_code__in=US" in server.asked[-1].target
        await direct.close()
        await backbone.close()


@pytest.mark.parametrize(
    ("answered", "kind"),
    [
        ((401, {"detail": "Invalid token."}), Kind.PROXY_AUTH),
        ((429, {"detail": "throttled"}), Kind.PROXY_EXHAUSTED),
        ((500, "oops"), Kind.PROXY_ERROR),
        ((200, "<html>maintenance"), Kind.PROXY_ERROR),
        ((200, {"next": "http://127.0.0.1:1/steal?page=2", "results": []}), Kind.PROXY_ERROR),
        ((200, " " * (MOST.wire + 1)), Kind.PROXY_ERROR),
        ((302, ""), Kind.PROXY_ERROR),
    ],
)
async def test_a_list_that_cannot_be_had_is_the_providers_fault_and_asked_for_again_later(answered, kind):
    clock = VirtualClock()
    async with interface(lambda *_: answered) as server:
        pool = pool_of(WebshareList("secret://key", endpoint=server.url("/")), clock=clock)
        for _ in range(20):
            found, said = await kind_of(pool, "datacenter")
            assert found is kind, said
            assert KEY not in said
        assert len(server.asked) == 1  # not once for each visit
        await clock.advance(ANEW + 1)
        await kind_of(pool, "datacenter")
        assert len(server.asked) == 2
        await pool.close()


async def test_a_list_that_leads_in_a_circle_comes_to_an_end(monkeypatch):
    monkeypatch.setattr("scrapeyard.scraping.proxies.webshare._PAGES", 5)
    async with interface(lambda path, _, __: (200, {"next": server.url(path), "results": []})) as server:
        pool = pool_of(WebshareList("secret://key", endpoint=server.url("/")))
        kind, said = await kind_of(pool, "datacenter")
        assert (kind, "more than 5 pages" in said) == (Kind.PROXY_ERROR, True)
        assert len(server.asked) == 5
        await pool.close()


def order(number, location, **changed):
    machines = [{"ip": f"10.1.{number}.1", "username": f"u{number}", "password": f"word{number}"}]
    bought = {"ports": {"http|https": 12323, "socks5": 12324}, "proxies": machines}
    return {"id": number, "status": "confirmed", "location": location, "proxy_data": {**bought, **changed}}


async def test_iproyals_orders_by_a_server_that_answers_as_documented_are_read_to_the_last_page():
    sixth = {"address": "10.1.6.6", "username": "u6", "password": "word6"}
    orders = [
        [order(1, "Germany"), order(2, "New York, United States"), {**order(3, "Germany"), "status": "expired"}],
        [order(4, "Atlantis", ports={}), {"id": 5, "proxy_data": "?"}, order(6, "Germany", proxies=[sixth])],
    ]

    def answers(path, query, asked):
        if asked.headers.get("x-access-token") != KEY:
            return 401, {"message": "Unauthorized"}
        return 200, {"data": orders[int(query["page"]) - 1], "meta": {"last_page": 2}} if path == "/v1/orders" else {}

    async with interface(answers) as server:
        pool = pool_of(IpRoyalStatic("secret://key", endpoint=server.url("/v1")), "isp")
        assert await urls(pool, "isp:de") == {"http://u1:word1@10.1.1.1:12323", "http://u6:word6@10.1.6.6:12323"}
        assert await urls(pool, "isp:us") == {"http://u2:word2@10.1.2.1:12323"}
        assert len(await urls(pool, "isp")) == 4
        await pool.close()
        socks = pool_of(IpRoyalStatic("secret://key", scheme="socks5", product=3, endpoint=server.url("/v1")), "isp")
        assert await urls(socks, "isp:us") == {"socks5h://u2:word2@10.1.2.1:12324"}
        assert "product_id=3" in server.asked[-1].target
        await socks.close()


@pytest.mark.parametrize("form", ["json", "text"])
async def test_of_proxyscrapes_list_only_those_are_used_through_which_a_page_comes_unchanged(form):
    async def altered(asked, writer):
        writer.write(answer(b"<p>the page<script>steal()</script>"))

    async with (
        serving(always(answer(b"<p>the page"))) as site,
        proxy() as honest,
        serving(altered) as liar,
        interface(lambda *_: (200, listed())) as server,
    ):

        def listed():
            lines = [f"http://127.0.0.1:{port}" for port in (honest.port, liar.port, 9)]
            if form == "text":
                return "\r\n".join([*lines, "<html>an error page</html>", ""])
            given = [{"proxy": line, "alive": True, "ip_data": {"countryCode": "US"}} for line in lines]
            return {"shown_records": 3, "proxies": [*given, {"proxy": "nonsense"}, {"proxy": lines[0], "alive": False}]}

        options = ProxyScrapeList(enabled=True, check_url=site.url("/"), endpoint=server.url("/get"))
        pool = pool_of(options, "free")
        assert await urls(pool, "free") == {f"http://127.0.0.1:{honest.port}"}
        if form == "json":
            assert await urls(pool, "free:us") == {f"http://127.0.0.1:{honest.port}"}
        assert (await kind_of(pool, "free:de"))[0] is Kind.NO_PROXY
        await pool.close()


async def test_free_proxies_are_off_and_a_list_without_any_good_one_says_so():
    kind, said = await kind_of(pool_of(ProxyScrapeList(), "free"), "free")
    assert (kind, "enabled = true" in said) == (Kind.NO_PROXY, True)
    async with serving(always(answer(b"page"))) as site, interface(lambda *_: (200, "127.0.0.1:9\r\n")) as server:
        options = ProxyScrapeList(enabled=True, check_url=site.url("/"), endpoint=server.url("/get"))
        kind, said = await kind_of(pool_of(options, "free"), "free")
        assert (kind, "none of 1" in said) == (Kind.PROXY_EXHAUSTED, True)


async def test_a_strangers_list_leads_nobody_home():
    async with (
        serving(always(answer(b"page"))) as site,
        proxy() as home,
        interface(
            lambda *_: (200, f"127.0.0.1:{home.port}\r\n169.254.169.254:80\r\n999.1.1.1:80\r\n10.0.0.1:80")
        ) as server,
    ):
        options = ProxyScrapeList(enabled=True, check_url=site.url("/"), endpoint=server.url("/get"))
        pool = pool_of(options, "free", http=HttpOptions(Path(), timeouts=QUICK))
        kind, said = await kind_of(pool, "free")
        assert (kind, "the list is empty" in said) == (Kind.PROXY_EXHAUSTED, True)
        assert home.asked == []
        await pool.close()


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://u:p%40ss@p.example:80", "http://u:p%40ss@p.example:80"),
        ("https://p.example:443", "https://p.example:443"),
        ("socks5://u:p@p.example:1080", "socks5h://u:p@p.example:1080"),
        ("p.example:80", "http://p.example:80"),
        ("p.example:80:me:p:a@ss", "http://me:p%3Aa%40ss@p.example:80"),
        ("http://[::1]:80", "http://[::1]:80"),
    ],
)
def test_an_address_is_read_in_every_spelling_in_which_it_is_sold(text, url):
    assert endpoint(text).url == url


def test_every_kind_needs_its_secret_before_anything_is_lent():
    for options in (zone(), BrightDataUnlocker("z", "secret://key"), WebshareList("secret://key"),
                    IpRoyalGateway("me", "secret://key"), IpRoyalStatic("secret://key")):  # fmt: skip
        with pytest.raises(Refused, match="SCRAPEYARD_SECRET_KEY"):
            pool_of(options, secrets=Secrets(None, {}))
