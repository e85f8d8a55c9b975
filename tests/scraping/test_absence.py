"""A site's own way to say that it has no such record, and what its pages mean, declared once for a scraper."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scrapeyard import Absent, Ambiguous, File, Http, Inputs, Page, Record, SiteRule, Visit, scraper
from scrapeyard.model.failures import Kind
from scrapeyard.model.states import VisitState
from scrapeyard.ports.scrapers import Errand, Visited
from scrapeyard.scraping.author.sayings import Sign
from scrapeyard.testing.trial import Workbench
from scraping.servers import Asked, Server, Writer, answer, serving
from scraping.visiting import Free, bench, options

PAGES = {
    "/none": b"<title>Results</title><p>No  records were found.</p>",
    "/hit": b"<title>Results</title><p class=hit>1 record</p><a class=detail href=/detail>more</a>",
    "/detail": b"<title>Detail</title><h1>Parcel 7</h1><b id=owner>J. DOE</b>",
    "/bills": b"<title>Bills</title><p>No records were found.</p>",
    "/redesigned": b"<title>Results</title><p>Welcome to our new site</p>",
    "/several": b"<title>Results</title><p>3 parcels at 12 Main St</p>",
    "/shell": b"<title>Parcel viewer</title><div class=locked></div>",
}


class Parcel(Inputs):
    parcel_id: str


class Owner(Record):
    owner: str


@pytest.fixture
async def server():
    async def serve(asked: Asked, writer: Writer) -> None:
        body = PAGES.get(asked.target)
        status = "404 Not Found" if body is None else "200 OK"
        writer.write(answer(body or b"<p>There is no such parcel.</p>", status=status, content_type="text/html"))

    async with serving(serve) as server:
        yield server


def declared(flow: Callable[[Http, Visit], Any], **given: Any) -> Any:
    settings: Any = {"site": "x.example", "expect": ["page"], **given}

    @scraper("us.test.absence", **settings)
    async def visit(parcel: Parcel, http: Http, visit: Visit) -> Page | None:
        return await flow(http, visit)

    return visit


async def visited(tmp_path: Path, flow: Callable[[Http, Visit], Any], *signs: Sign, **given: Any) -> Visited:
    async with bench(tmp_path) as made:
        loaded = made.load(declared(flow, absent_when=signs, **given))
        return await loaded.visit(Errand("job", 0, "1", b'{"parcel_id":"1"}'), Free())


def following(server: Server, path: str) -> Callable[[Http, Visit], Any]:
    async def flow(http: Http, visit: Visit) -> Page:
        return await (await http.get(server.url(path))).follow("a.detail")

    return flow


@pytest.mark.parametrize(
    "sign",
    ["no records were found", "css:p:not(.hit)", lambda page: "No  records" in page.html],
    ids=["words", "selector", "function"],
)
async def test_a_page_that_says_so_means_absent_although_the_visit_could_not_go_on(
    server: Server, tmp_path: Path, sign: Sign
) -> None:
    found = await visited(tmp_path, following(server, "/none"), sign)
    assert isinstance(found.error, Absent)
    assert [kept.name for kept in found.kept] == ["last"]
    assert (await visited(tmp_path, following(server, "/hit"), sign)).error is None


async def test_a_page_that_does_not_say_so_stays_what_it_was(server: Server, tmp_path: Path) -> None:
    found = await visited(tmp_path, following(server, "/redesigned"), "no records were found")
    assert getattr(found.error, "failure", None) is Kind.PARSE_EMPTY


async def test_the_only_page_that_was_kept_may_say_so(server: Server, tmp_path: Path) -> None:
    found = await visited(tmp_path, lambda http, _: http.get(server.url("/none")), "no records were found")
    assert isinstance(found.error, Absent)
    assert str(found.error) == "The page says so: 'no records were found'."


async def test_one_page_of_several_that_has_nothing_does_not_make_the_item_absent(
    server: Server, tmp_path: Path
) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        visit.keep("detail", await http.get(server.url("/detail")))
        visit.keep("bills", await http.get(server.url("/bills")))

    found = await visited(tmp_path, flow, "no records were found", expect=["detail", "bills"])
    assert found.error is None


async def test_a_page_at_404_may_say_so(server: Server, tmp_path: Path) -> None:
    found = await visited(tmp_path, lambda http, _: http.get(server.url("/gone")), "there is no such parcel")
    assert isinstance(found.error, Absent)


async def test_what_a_page_says_does_not_hide_another_failure(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> Page:
        await http.get(server.url("/none"))
        raise KeyError("owner")

    found = await visited(tmp_path, flow, "no records were found")
    assert isinstance(found.error, KeyError)


async def test_a_sign_with_a_mistake_in_it_is_the_scrapers_bug(server: Server, tmp_path: Path) -> None:
    found = await visited(tmp_path, following(server, "/none"), "css:p[[")
    assert getattr(found.error, "failure", None) is Kind.SCRAPER_BUG
    found = await visited(tmp_path, following(server, "/none"), lambda page: page.headers["x-none"] == "1")
    assert isinstance(found.error, KeyError)


async def trial(tmp_path: Path, made: Any) -> tuple[VisitState, str | None]:
    made.extractor(read)
    work = Workbench(made, options(tmp_path))
    try:
        found = await work.visit({"parcel_id": "7"})
    finally:
        await work.close()
    return found.state, found.kind


def read(parcel: Parcel, page: Page, extra: File | None) -> Owner:
    return Owner(owner=page.text("#owner"))


async def test_several_hits_are_told_by_the_author(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> Page:
        page = await http.get(server.url("/several"))
        if page.says("3 parcels"):
            raise Ambiguous("3 parcels answer to this address.")
        return page

    assert await trial(tmp_path, declared(flow)) == (VisitState.FAILED, "ambiguous")


async def test_an_authors_rule_says_what_a_page_of_the_site_means(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> Page:
        return await http.get(server.url("/shell"))

    rule = SiteRule("locked_viewer", Kind.SESSION_EXPIRED, title="parcel viewer", text=("class=locked",))
    assert await trial(tmp_path, declared(flow)) == (VisitState.FAILED, "parse_empty")
    assert await trial(tmp_path, declared(flow, rules=[rule])) == (VisitState.FAILED, "session_expired")
