"""A browser's profile: other handshakes and other headers than a plain client's, seen by the server."""

import asyncio
import gzip
from pathlib import Path

import pytest

from scrapeyard import Http, Page, scraper
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.scrapers import Errand, Visited
from scrapeyard.scraping.author.binding import Misdeclared
from scrapeyard.scraping.http.client import Profile
from scrapeyard.scraping.http.options import HttpOptions
from scraping.servers import always, answer, serving
from scraping.visiting import SITE, Parcel, bench


async def visited(folder: Path, url: str, profile: Profile, **options: str) -> Visited:
    async with bench(folder, **options) as made:

        @scraper("test.profile", site=SITE, expect=["page"], profile=profile)
        async def looks(parcel: Parcel, http: Http) -> Page:
            return await http.get(url, headers={"x-own": "1"})

        return await made.load(looks).visit(Errand("job", 0, "1", b"{}"), made.permits)


class Hello:
    """What a ClientHello offers: cipher suites and the kinds of its extensions, in their order."""

    def __init__(self, record: bytes) -> None:
        at = 5 + 4 + 2 + 32
        at += 1 + record[at]
        length = int.from_bytes(record[at : at + 2], "big")
        self.suites = _numbers(record[at + 2 : at + 2 + length])
        at += 2 + length
        at += 1 + record[at]
        end = at + 2 + int.from_bytes(record[at : at + 2], "big")
        at += 2
        self.extensions: list[int] = []
        while at < end:
            self.extensions.append(int.from_bytes(record[at : at + 2], "big"))
            at += 4 + int.from_bytes(record[at + 2 : at + 4], "big")


def _numbers(raw: bytes) -> list[int]:
    return [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]


async def hello(folder: Path, profile: Profile) -> Hello:
    """The first thing that a client says to a TLS server."""
    said: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readexactly(5)
        record = head + await reader.readexactly(int.from_bytes(head[3:5], "big"))
        if not said.done():
            said.set_result(record)
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    try:
        await visited(folder, f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", profile)
        return Hello(await said)
    finally:
        server.close()


async def test_each_profile_shakes_hands_in_its_own_way(tmp_path: Path) -> None:
    names: tuple[Profile, ...] = ("", "chrome", "firefox", "safari")
    hellos = {name: await hello(tmp_path / (name or "plain"), name) for name in names}
    suites = {name: tuple(suite for suite in one.suites if suite & 0x0F0F != 0x0A0A) for name, one in hellos.items()}
    assert len(set(suites.values())) == len(names)
    shapes = {name: frozenset(one.extensions) for name, one in hellos.items()}
    assert shapes[""] != shapes["chrome"] != shapes["firefox"]


async def test_headers_are_those_of_the_browser_and_the_author(tmp_path: Path) -> None:
    async with serving(always(answer())) as server:
        assert (await visited(tmp_path / "plain", server.url(), "")).error is None
        assert (await visited(tmp_path / "chrome", server.url(), "chrome")).error is None
    plain, chrome = (asked.headers for asked in server.asked)
    assert plain["user-agent"].startswith("scrapeyard/")
    assert "sec-ch-ua" not in plain
    assert "Chrome/" in chrome["user-agent"]
    assert "scrapeyard" not in chrome["user-agent"]
    assert "sec-ch-ua" in chrome
    assert plain["x-own"] == chrome["x-own"] == "1"


async def test_bodies_are_still_unpacked_by_us(tmp_path: Path) -> None:
    packed = answer(gzip.compress(b"<h1>hello</h1>"), content_encoding="gzip")
    async with serving(always(packed)) as server:
        came = await visited(tmp_path, server.url(), "firefox")
    assert came.kept[0].body == b"<h1>hello</h1>"


async def test_a_client_that_cannot_says_so(tmp_path: Path) -> None:
    async with serving(always(answer())) as server:
        came = await visited(tmp_path, server.url(), "chrome", client="aiohttp")
        assert server.asked == []
    assert isinstance(came.error, VisitError)
    assert came.error.failure is Kind.SCRAPER_BUG
    assert "use wreq" in str(came.error)


def test_a_browser_that_there_is_not_is_refused() -> None:
    with pytest.raises(Misdeclared, match="chrome, edge, firefox, safari"):
        scraper("test.profile", site=SITE, profile="netscape")  # pyright: ignore[reportArgumentType] - what is tested


def test_we_say_who_we_are_and_how_to_reach_us(tmp_path: Path) -> None:
    assert HttpOptions(tmp_path).headers()["user-agent"].startswith("scrapeyard")
    told = HttpOptions(tmp_path, contact="bots@briar.example").headers()["user-agent"]
    assert told.startswith("scrapeyard/")
    assert told.endswith(" (+bots@briar.example)")
    assert HttpOptions(tmp_path, user_agent="me", contact="x").headers()["user-agent"] == "me"
