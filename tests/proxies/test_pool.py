"""Proxies are lent by tier and place, kept for a session, put out of use when they fail, and come back."""

import asyncio
from pathlib import Path

import pytest

from scrapeyard.decisions.ejection import BAD, FIRST
from scrapeyard.model.errors import Refused, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.proxies.address import Endpoint
from scrapeyard.scraping.proxies.exits import Exits, exit_word
from scrapeyard.scraping.proxies.options import Listed, ProxyOptions
from scrapeyard.scraping.proxies.peers import ANEW, REFRESH, Peers
from scrapeyard.scraping.proxies.pool import ProxyPool, open_pool
from scrapeyard.scraping.secrets import Secrets
from scrapeyard.testing.clock import VirtualClock


class Street:
    """Doors that open, but for those that are shut; and a list that can fail."""

    def __init__(self, roll):
        self.shut = set()
        self.knocks = []
        self._roll = roll
        self.asked = 0
        self.trouble: VisitError | None = None

    async def knock(self, endpoint):
        self.knocks.append(endpoint.port)
        return endpoint.port not in self.shut

    async def roll(self):
        self.asked += 1
        if self.trouble:
            raise self.trouble
        return self._roll

    async def close(self):
        pass


def numbered(count, first=1):
    return [Endpoint("http", "10.0.0.1", port) for port in range(first, first + count)]


def pool_of(roll):
    clock, street = VirtualClock(), Street(roll)
    peers = Peers("home", street, clock, street.knock)
    return ProxyPool({"home": peers}, {"datacenter": "home"}), street, clock


async def lent(pool: ProxyPool, tier: str, session: str) -> Proxy:
    proxy = await pool.lend(tier, session)
    assert proxy is not None
    return proxy


async def ports(pool, tier, sessions):
    return {int((await lent(pool, tier, session)).url.rpartition(":")[2]) for session in sessions}


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_direct_way_needs_no_proxy():
    pool, *_ = pool_of({"": numbered(1)})
    assert await pool.lend("direct", "s") is None


async def test_a_session_keeps_its_proxy_and_another_gets_another():
    pool, *_ = pool_of({"": numbered(3)})
    assert len(await ports(pool, "datacenter", "abc")) == 3
    first = await lent(pool, "datacenter", "a")
    for _ in range(5):
        assert await lent(pool, "datacenter", "a") == first


async def test_a_tier_without_proxies_is_an_error_of_its_own():
    pool, *_ = pool_of({"": numbered(1)})
    with pytest.raises(VisitError, match=r"\[tiers.mobile\]") as raised:
        await lent(pool, "mobile", "s")
    assert raised.value.failure is Kind.NO_PROXY


async def test_a_place_is_served_by_those_that_are_there_or_by_those_that_serve_any():
    pool, *_ = pool_of({"us-ca": numbered(1, 1), "us": numbered(1, 2), "de": numbered(1, 3), "": numbered(1, 4)})
    assert await ports(pool, "datacenter:us-ca", "abcd") == {1}
    assert await ports(pool, "datacenter:us", "abcd") == {1, 2}
    assert await ports(pool, "datacenter", "abcdefgh") == {1, 2, 3, 4}
    for nowhere in ("fr", "us-ny"):
        with pytest.raises(VisitError, match="No proxy") as raised:
            await lent(pool, f"datacenter:{nowhere}", "s")
        assert raised.value.failure is Kind.NO_PROXY
    pool, *_ = pool_of({"us": numbered(1, 1), "*": numbered(1, 2)})
    assert await ports(pool, "datacenter:us", "ab") == {1}
    assert await ports(pool, "datacenter:fr", "ab") == {2}


async def test_two_faults_in_a_row_put_a_proxy_out_of_use_and_its_session_moves_on():
    pool, *_ = pool_of({"": numbered(4)})
    bad = await lent(pool, "datacenter", "s")
    pool.judged(bad.id, Kind.PROXY_ERROR)
    await settled()
    assert await lent(pool, "datacenter", "s") == bad  # its door opened: one fault is no proof
    pool.judged(bad.id, None)
    pool.judged(bad.id, Kind.PROXY_ERROR)
    assert await lent(pool, "datacenter", "s") == bad
    pool.judged(bad.id, Kind.PROXY_ERROR)
    assert (await lent(pool, "datacenter", "s")) != bad
    assert bad not in [await lent(pool, "datacenter", str(n)) for n in range(20)]


async def test_a_proxy_whose_door_is_shut_is_out_at_the_first_fault():
    pool, street, _ = pool_of({"": numbered(4)})
    bad = await lent(pool, "datacenter", "s")
    await settled()
    street.shut.add(int(bad.url.rpartition(":")[2]))
    pool.judged(bad.id, Kind.PROXY_ERROR)
    await settled()
    assert bad not in [await lent(pool, "datacenter", str(n)) for n in range(20)]


@pytest.mark.parametrize("kind", [Kind.TIMEOUT_CONNECT, Kind.CONN_RESET])
async def test_what_may_be_the_proxys_fault_makes_somebody_knock(kind):
    pool, street, _ = pool_of({"": numbered(2)})
    bad = await lent(pool, "datacenter", "s")
    await settled()
    street.shut.add(int(bad.url.rpartition(":")[2]))
    pool.judged(bad.id, kind)
    await settled()
    assert (await lent(pool, "datacenter", "s")) != bad


async def test_a_proxy_that_falls_silent_is_noticed_before_any_visit_fails():
    pool, street, clock = pool_of({"": numbered(2)})
    for session in "ab":
        pool.judged((await lent(pool, "datacenter", session)).id, None)
    bad = await lent(pool, "datacenter", "a")
    await settled()
    street.shut.add(int(bad.url.rpartition(":")[2]))
    street.knocks.clear()
    await lent(pool, "datacenter", "a")
    await settled()
    assert street.knocks == []  # it was heard of just now
    await clock.advance(3.5)
    await lent(pool, "datacenter", "a")
    await settled()
    assert await lent(pool, "datacenter", "a") != bad


async def test_a_proxy_comes_back_when_its_door_opens_after_a_time_that_grows():
    pool, street, clock = pool_of({"": numbered(2)})
    bad = await lent(pool, "datacenter", "a")
    await settled()
    port = int(bad.url.rpartition(":")[2])
    street.shut.add(port)
    waits = []
    for _ in range(4):
        pool.judged(bad.id, Kind.PROXY_ERROR)
        await settled()
        since = clock.monotonic()
        street.shut.discard(port)
        while bad.id not in {(await lent(pool, "datacenter", f"{clock.monotonic()}{n}")).id for n in range(4)}:
            await clock.advance(1.0)
        waits.append(clock.monotonic() - since)
        street.shut.add(port)
    assert waits == pytest.approx([FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST], abs=2.0)
    street.shut.discard(port)
    pool.judged(bad.id, None)  # it has proved itself: the next time is short again
    street.shut.add(port)
    pool.judged(bad.id, Kind.PROXY_ERROR)
    await settled()
    street.shut.discard(port)
    await clock.advance(FIRST + 1)
    for n in range(3):
        await lent(pool, "datacenter", f"again{n}")
        await settled()
    assert bad.id in {(await lent(pool, "datacenter", f"then{n}")).id for n in range(4)}


async def test_however_many_are_dead_nobody_goes_the_direct_way():
    pool, street, _ = pool_of({"": numbered(5)})
    street.shut = set(range(1, 6))
    for n in range(5):
        pool.judged((await lent(pool, "datacenter", f"s{n}")).id, Kind.PROXY_ERROR)
        await settled()
    with pytest.raises(VisitError, match="All 5 proxies of 'home'") as raised:
        await lent(pool, "datacenter", "another")
    assert raised.value.failure is Kind.PROXY_EXHAUSTED
    assert raised.value.retry_after == pytest.approx(FIRST, abs=1)


async def test_refused_credentials_are_told_as_such_even_when_nobody_is_asked_any_more():
    pool, *_ = pool_of({"": numbered(1)})
    proxy = await lent(pool, "datacenter", "s")
    for _ in range(2):
        pool.judged(proxy.id, Kind.PROXY_AUTH)
    with pytest.raises(VisitError, match="refused our credentials") as raised:
        await lent(pool, "datacenter", "s")
    assert raised.value.failure is Kind.PROXY_AUTH


async def test_a_list_is_renewed_behind_the_scenes_and_a_failure_to_do_so_changes_nothing():
    pool, street, clock = pool_of({"": numbered(2)})
    await ports(pool, "datacenter", "abcdef")
    assert street.asked == 1
    await clock.advance(REFRESH + 1)
    street.trouble = VisitError("no list today", kind=Kind.PROXY_ERROR)
    for _ in range(3):
        assert await ports(pool, "datacenter", "abcdef") == {1, 2}
        await settled()
    assert street.asked == 2
    street.trouble = None
    await clock.advance(ANEW + 1)
    await ports(pool, "datacenter", "a")
    await settled()
    assert street.asked == 3
    assert await ports(pool, "datacenter", "a") <= {1, 2}


async def test_on_suspicion_never_more_than_half_of_a_pool_is_out():
    pool, *_ = pool_of({"": numbered(10)})
    seen = [await lent(pool, "datacenter", str(n)) for n in range(10)]
    for proxy in seen:
        for _ in range(BAD):
            pool.judged(proxy.id, Kind.BLOCKED)
    left = {(await lent(pool, "datacenter", f"then{n}")).id for n in range(40)}
    assert len(left) == 5


async def test_those_that_are_only_suspected_serve_where_all_others_are_known_to_be_dead():
    pool, street, _ = pool_of({"": numbered(4)})
    seen = [await lent(pool, "datacenter", str(n)) for n in range(4)]
    await settled()
    for proxy in seen[:2]:
        for _ in range(BAD):
            pool.judged(proxy.id, Kind.BLOCKED)
    street.shut = {int(proxy.url.rpartition(":")[2]) for proxy in seen[2:]}
    for proxy in seen[2:]:
        pool.judged(proxy.id, Kind.PROXY_ERROR)
    await settled()
    assert {(await lent(pool, "datacenter", f"then{n}")).id for n in range(10)} == {proxy.id for proxy in seen[:2]}


async def test_two_users_of_one_address_are_two_proxies():
    twins = [Endpoint("http", "p.example", 80, "a", "one1"), Endpoint("http", "p.example", 80, "b", "two2")]
    pool, *_ = pool_of({"": twins})
    both = {(proxy.id, proxy.url) for proxy in [await lent(pool, "datacenter", session) for session in "abcd"]}
    assert len(both) == 2
    assert {name for name, _ in both} == {"home/p.example:80", "home/p.example:80#2"}


class Door:
    def exit(self, place, word):
        return f"http://user-{place}-{word}:pass@gate.example:80"


async def test_behind_one_door_each_session_has_its_own_exit_and_a_new_one_after_a_failure():
    pool = ProxyPool({"gate": Exits("gate", Door(), VirtualClock())}, {"residential": "gate"})
    first = await lent(pool, "residential:us", "a")
    assert first.id == f"gate/us.{exit_word('a', 0)}"
    assert await lent(pool, "residential:us", "a") == first
    assert await lent(pool, "residential:us", "b") != first
    for kind in (None, Kind.HTTP_STATUS, Kind.PROXY_AUTH):
        pool.judged(first.id, kind)
        assert await lent(pool, "residential:us", "a") == first
    pool.judged(first.id, Kind.BLOCKED)
    pool.judged(first.id, Kind.BLOCKED)  # another visit of the same session
    second = await lent(pool, "residential:us", "a")
    assert second.id == f"gate/us.{exit_word('a', 1)}"


def test_an_exits_word_is_letters_and_digits_and_depends_on_the_session_alone():
    words = {exit_word(str(n), 0) for n in range(2_000)}
    assert len(words) == 2_000
    assert all(len(word) == 8 and word.isalnum() and word.isascii() for word in words)
    assert exit_word("a", 0) == exit_word("a", 0) != exit_word("a", 1)


async def test_a_list_in_the_settings_takes_its_credentials_from_secrets():
    environ = {"SCRAPEYARD_SECRET_WORD": "hunter22", "SCRAPEYARD_SECRET_LINES": "# mine\n10.0.0.9:1:bob:swordfish\n\n"}
    listed = Listed(
        urls=("http://10.0.0.1:8080", "secret://lines"), places={"us": ("socks5://10.0.0.2:1080",)},
        username="me", password="secret://word",
    )  # fmt: skip
    secrets = Secrets(None, environ)
    pool = open_pool(
        ProxyOptions({"home": listed}, {"datacenter": "home"}), secrets, VirtualClock(), HttpOptions(Path())
    )
    urls = {(await lent(pool, "datacenter", str(n))).url for n in range(3)}
    assert urls == {
        "http://me:hunter22@10.0.0.1:8080", "http://bob:swordfish@10.0.0.9:1", "socks5h://me:hunter22@10.0.0.2:1080",
    }  # fmt: skip
    assert "hunter22" not in repr(await lent(pool, "datacenter:us", "x"))
    assert secrets.redaction.text("hunter22 swordfish") == "[secret] [secret]"
    await pool.close()


def test_a_missing_secret_is_told_before_anything_is_lent():
    listed = Listed(urls=("http://10.0.0.1:8080",), password="secret://word")
    with pytest.raises(Refused, match="SCRAPEYARD_SECRET_WORD"):
        open_pool(ProxyOptions({"home": listed}), Secrets(None, {}), VirtualClock(), HttpOptions(Path()))
