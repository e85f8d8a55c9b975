"""What a site asks of robots is asked for once, and kept to."""

import asyncio
import gzip
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from scrapeyard import Http, Page, scraper
from scrapeyard.model.errors import Disallowed, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.scrapers import Errand, Visited
from scrapeyard.scraping.robots import keeper
from scraping.servers import Asked, Server, Writer, answer, serving
from scraping.visiting import SITE, Bench, Parcel, bench

RULES = b"User-agent: *\nDisallow: /private\n"


@asynccontextmanager
async def asking(
    folder: Path,
    text: bytes = RULES,
    status: str = "200 OK",
    *,
    headers: dict[str, str] | None = None,
    **options: Any,
) -> AsyncGenerator[tuple[Server, Bench]]:
    """A site with this robots.txt, and visitors who ask for it."""

    async def handle(asked: Asked, writer: Writer) -> None:
        if asked.target == "/robots.txt":
            writer.write(answer(text, status, **(headers or {})))
        elif asked.target == "/moved":
            writer.write(answer(b"", "302 Found", location="/private/x"))
        else:
            writer.write(answer())

    async with serving(handle) as server, bench(folder, **({"robots": {}} | options)) as made:
        yield server, made


async def visit(made: Bench, server: Server, path: str) -> Visited:
    return await made.visit(lambda http, visit: http.get(server.url(path)))


def targets(server: Server) -> list[str]:
    return [asked.target for asked in server.asked]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch):
    """Moves the clock of the keeper."""
    now = [1000.0]

    class Time:
        @staticmethod
        def monotonic() -> float:
            return now[0]

    def move(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(keeper, "time", Time)
    return move


@pytest.mark.parametrize("client", ["wreq", "aiohttp"])
async def test_what_is_disallowed_is_not_asked_for_and_the_rest_is(tmp_path: Path, client: str) -> None:
    async with asking(tmp_path, client=client) as (server, made):
        refused = await visit(made, server, "/private/x?q=1")
        assert isinstance(refused.error, Disallowed)
        for words in ("/private/x", "Disallow: /private", "robots=False", f'[sites."{SITE}"]'):
            assert words in str(refused.error)
        assert refused.requests == 0
        assert (await visit(made, server, "/public")).error is None
    assert targets(server) == ["/robots.txt", "/public"]


async def test_many_visits_at_once_ask_once_for_a_day(tmp_path: Path, later) -> None:
    async with asking(tmp_path) as (server, made):
        await asyncio.gather(*(visit(made, server, f"/{one}") for one in range(20)))
        later(keeper.LASTS - 1)
        await visit(made, server, "/a")
        assert targets(server).count("/robots.txt") == 1
        later(2)
        await visit(made, server, "/a")
        assert targets(server).count("/robots.txt") == 2


async def test_a_redirect_leads_nowhere_where_robots_may_not_go(tmp_path: Path) -> None:
    async with asking(tmp_path) as (server, made):
        visited = await visit(made, server, "/moved")
    assert isinstance(visited.error, Disallowed)
    assert targets(server) == ["/robots.txt", "/moved"]


@pytest.mark.parametrize("status", ["400 Bad", "401 Who", "403 No", "404 Not Found", "410 Gone", "451 Law"])
async def test_a_site_that_has_none_may_be_visited(tmp_path: Path, status: str) -> None:
    async with asking(tmp_path, b"User-agent: *\nDisallow: /", status) as (server, made):
        assert (await visit(made, server, "/a")).error is None


@pytest.mark.parametrize(
    ("status", "kind"), [("500 Oops", Kind.SITE_5XX), ("503 Busy", Kind.SITE_5XX), ("429 Easy", Kind.RATE_LIMITED)]
)
async def test_one_that_cannot_be_read_is_no_leave(tmp_path: Path, later, status: str, kind: Kind) -> None:
    async with asking(tmp_path, b"", status) as (server, made):
        for _ in range(2):
            visited = await visit(made, server, "/a")
            assert isinstance(visited.error, VisitError)
            assert visited.error.failure is kind
            assert "robots.txt" in str(visited.error)
        assert targets(server) == ["/robots.txt"]
        later(keeper.AGAIN + 1)
        await visit(made, server, "/a")
        assert targets(server) == ["/robots.txt"] * 2
        later(keeper.PATIENCE)
        assert (await visit(made, server, "/a")).error is None
    assert targets(server) == ["/robots.txt"] * 3 + ["/a"]


async def test_an_endless_one_is_read_to_its_limit(tmp_path: Path) -> None:
    endless = RULES + b"#" * (3 << 20) + b"\nDisallow: /late\n"
    async with asking(tmp_path, endless) as (server, made):
        assert isinstance((await visit(made, server, "/private")).error, Disallowed)
        assert (await visit(made, server, "/late")).error is None


async def test_a_packed_one_is_unpacked_within_the_limits(tmp_path: Path) -> None:
    packed = gzip.compress(RULES + b"\n" * (8 << 20))
    async with asking(tmp_path, packed, headers={"content_encoding": "gzip"}) as (server, made):
        visited = await visit(made, server, "/private")
    assert isinstance(visited.error, Disallowed | VisitError)
    assert targets(server) == ["/robots.txt"]


async def test_rules_are_those_for_the_name_that_we_go_by(tmp_path: Path) -> None:
    rules = b"User-agent: briarbot\nDisallow: /b\n\nUser-agent: scrapeyard\nDisallow: /s\n"
    for agent, refused in (("", "/s"), ("BriarBot/2.0 (+https://briar.example)", "/b")):
        async with asking(tmp_path / refused[1:], rules, user_agent=agent) as (server, made):
            for path in ("/b", "/s"):
                assert ((await visit(made, server, path)).error is None) is (path != refused)


async def test_a_delay_is_told_to_whoever_gives_permits(tmp_path: Path) -> None:
    async with asking(tmp_path, b"User-agent: *\nCrawl-delay: 7\n") as (server, made):
        await visit(made, server, "/a")
    assert made.permits.delays == {SITE: 7.0}
    assert made.permits.given[SITE] == 2


@pytest.mark.parametrize(("said", "asks"), [({}, False), ({SITE: True}, True)])
async def test_an_author_can_do_without_and_the_settings_decide(
    tmp_path: Path, said: dict[str, bool], asks: bool
) -> None:
    async with asking(tmp_path, robots=said) as (server, made):

        @scraper("test.careless", site=SITE, expect=["page"], robots=False)
        async def careless(parcel: Parcel, http: Http) -> Page:
            return await http.get(server.url("/private"))

        visited = await made.load(careless).visit(Errand("job", 0, "1", b"{}"), made.permits)
    assert isinstance(visited.error, Disallowed) is asks
    assert targets(server) == (["/robots.txt"] if asks else ["/private"])


async def test_the_settings_can_do_without_it_for_a_site(tmp_path: Path) -> None:
    async with asking(tmp_path, robots={SITE: False}) as (server, made):
        assert (await visit(made, server, "/private")).error is None
    assert targets(server) == ["/private"]
