"""What a visit brings home: captures, evidence, steps, and whatever its author's code raised."""

import asyncio
import gc
import sys
from pathlib import Path

import pytest

from scrapeyard import Http, Page, Visit, VisitError
from scrapeyard.model.errors import Refused
from scrapeyard.model.failures import Kind
from scrapeyard.ports.scrapers import Errand
from scrapeyard.scraping.http.client import Limits
from scraping.servers import Asked, Server, Writer, always, answer, serving
from scraping.visiting import Free, bench, flowing

PAGE = answer(b"<p>page", content_type="text/html")


@pytest.fixture
async def server():
    async with serving(always(PAGE)) as server:
        yield server


async def test_what_is_returned_is_kept_as_page(server: Server, tmp_path: Path) -> None:
    async def two(http: Http, visit: Visit) -> list[Page]:
        return [await http.get(server.url("/a")), await http.get(server.url("/b"))]

    async with bench(tmp_path) as made:
        one = await made.visit(lambda http, visit: http.get(server.url()))
        assert [kept.name for kept in one.kept] == ["page"]
        several = await made.visit(two)
        assert [(kept.name, kept.url) for kept in several.kept] == [
            ("page", server.url("/a")),
            ("page", server.url("/b")),
        ]


async def test_returning_anything_else_is_the_scrapers_bug(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> str:
        return (await http.get(server.url())).html

    async with bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert isinstance(visited.error, TypeError)
    assert "returned str" in str(visited.error)


async def test_an_expected_capture_that_was_not_kept_fails_the_visit(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        visit.keep("detail", await http.get(server.url()))

    async with bench(tmp_path) as made:
        assert (await made.visit(flow, expect=("detail",))).error is None
        visited = await made.visit(flow, expect=("detail", "bill", "owner"))
    assert isinstance(visited.error, VisitError)
    assert visited.error.failure is Kind.PARSE_EMPTY
    assert "'bill', 'owner'" in str(visited.error)
    assert [kept.name for kept in visited.kept] == ["detail"]


async def test_what_was_kept_before_an_error_is_evidence_and_so_is_the_last_page(
    server: Server, tmp_path: Path
) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        visit.keep("first", await http.get(server.url("/1")))
        await http.get(server.url("/2"))
        raise ZeroDivisionError("oops")

    async with bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert isinstance(visited.error, ZeroDivisionError)
    assert visited.error.__traceback__ is not None
    assert [(kept.name, kept.url) for kept in visited.kept] == [("first", server.url("/1")), ("last", server.url("/2"))]


async def test_the_last_page_is_not_kept_twice(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        visit.keep("first", await http.get(server.url()))
        raise KeyError("x")

    async with bench(tmp_path) as made:
        assert [kept.name for kept in (await made.visit(flow)).kept] == ["first"]


async def test_an_exit_ends_the_visit_and_not_the_process(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        sys.exit(3)

    async with bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert isinstance(visited.error, VisitError)
    assert visited.error.failure is Kind.SCRAPER_BUG


async def test_a_cancelled_visit_is_cancelled_and_leaves_no_file(tmp_path: Path) -> None:
    async def handle(asked: Asked, writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n%PDF-" + b"x" * 3_000_000)
        await writer.drain()
        arrived.set()
        await asyncio.sleep(5)

    arrived = asyncio.Event()
    async with serving(handle) as server, bench(tmp_path) as made:
        loaded = made.load(flowing(lambda http, visit: http.download(server.url(), expect="application/pdf")))
        task = asyncio.create_task(loaded.visit(Errand("job", 0, "1", b"{}"), Free()))
        await arrived.wait()
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [path for path in (tmp_path / "downloads").rglob("*") if path.is_file()] == []


async def test_steps_are_told_with_their_failure(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        async with visit.step("search"):
            await http.get(server.url())
        async with visit.step("detail"):
            raise VisitError("no")

    async with bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert [(step.name, step.failed) for step in visited.steps] == [("search", False), ("detail", True)]
    assert all(step.ms >= 0 and step.started > 1_700_000_000 for step in visited.steps)


@pytest.mark.parametrize("name", ["", "a b", "../etc/passwd", "x" * 65, "a\n", ".hidden"])
async def test_a_name_that_is_no_plain_word_is_refused(server: Server, tmp_path: Path, name: str) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        visit.keep(name, await http.get(server.url()))

    async with bench(tmp_path) as made:
        assert isinstance((await made.visit(flow)).error, Refused)


async def test_a_visit_keeps_no_more_than_its_limit(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        while True:
            visit.keep("page", await http.get(server.url()))

    async with serving(always(answer(b"x" * 10_000))) as server, bench(tmp_path, limits=Limits(kept=100_000)) as made:
        visited = await made.visit(flow)
    assert isinstance(visited.error, VisitError)
    assert visited.error.failure is Kind.TOO_LARGE
    assert [kept.name for kept in visited.kept] == ["page"] * 10 + ["last"]


async def test_inputs_that_do_not_fit_are_told(server: Server, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        loaded = made.load(flowing(lambda http, visit: http.get(server.url())))
        visited = await loaded.visit(Errand("job", 0, "1", b'{"parcel_id": [1]}'), Free())
    assert visited.error is not None
    assert visited.requests == 0


@pytest.mark.parametrize("fails", [False, True])
async def test_a_visit_that_is_over_leaves_no_page_to_the_garbage_collector(
    server: Server, tmp_path: Path, fails: bool
) -> None:
    async def flow(http: Http, visit: Visit) -> Page:
        page = await http.get(server.url())
        return page.one("#nothing") and page if fails else page

    async with bench(tmp_path) as made:
        await made.visit(flow)
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            for _ in range(3):
                visited = await made.visit(flow)
                assert (visited.error is not None) == fails
                del visited
            gc.collect()
            assert not [one for one in gc.garbage if isinstance(one, Page)]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
