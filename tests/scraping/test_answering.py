"""How a site answers is told to whoever gives permits, so that it can be worked more slowly."""

from pathlib import Path

import pytest

from scrapeyard.ports.scrapers import Answer
from scraping.servers import always, answer, serving
from scraping.servers import proxy as proxy_server
from scraping.visiting import SITE, bench


async def told(folder: Path, raw: bytes, *, proxy: bool = False) -> list[Answer]:
    async with serving(always(raw)) as server, proxy_server() as way, bench(folder) as made:
        await made.visit(lambda http, visit: http.get(server.url()), proxy=way.url("") if proxy else None)
        return made.permits.answers


async def test_a_good_answer_is_told_with_its_time(tmp_path: Path) -> None:
    [one] = await told(tmp_path, answer())
    assert (one.site, one.good, one.throttled) == (SITE, True, False)
    assert 0 < one.seconds < 1


@pytest.mark.parametrize(("status", "wait"), [("429 Too Many", "17"), ("503 Busy", "17")])
async def test_a_site_that_wants_less_is_told_with_the_wait_that_it_asks_for(
    tmp_path: Path, status: str, wait: str
) -> None:
    [one] = await told(tmp_path, answer(b"", status, retry_after=wait))
    assert (one.good, one.throttled, one.retry_after) == (False, True, 17.0)


async def test_a_server_error_alone_asks_for_nothing(tmp_path: Path) -> None:
    [one] = await told(tmp_path, answer(b"", "503 Busy"))
    assert (one.good, one.throttled, one.retry_after) == (False, False, None)


async def test_a_site_that_does_not_answer_is_told_too(tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        await made.visit(lambda http, visit: http.get("http://127.0.0.1:1/"))
    [one] = made.permits.answers
    assert not one.good
    assert not one.throttled


async def test_through_a_proxy_no_trouble_is_told_but_complaints_and_these_without_their_wait(tmp_path: Path) -> None:
    [fine] = await told(tmp_path / "a", answer(), proxy=True)
    assert (fine.good, fine.proxied) == (True, True)
    assert await told(tmp_path / "c", answer(b"", "500 Oops"), proxy=True) == []
    [one] = await told(tmp_path / "b", answer(b"", "429 Too Many", retry_after="17"), proxy=True)
    assert (one.throttled, one.retry_after, one.proxied) == (True, None, True)
