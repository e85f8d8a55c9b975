"""Http against a site of our own: what goes out, what comes back, and which error a status stands for."""

import itertools
from pathlib import Path

import orjson
import pytest

from scrapeyard import Absent, Http, RateLimited, Visit, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.http.client import Limits
from scraping.servers import Asked, Handler, Writer, always, answer, chunked, proxy, serving
from scraping.visiting import SITE, bench

HTML = {"content_type": "text/html; charset=utf-8"}
PDF = b"%PDF-1.7\n" + b"x" * 100


def site(**pages: bytes):
    """A handler that answers each path with its bytes."""

    async def handle(asked: Asked, writer: Writer) -> None:
        path = asked.target.partition("?")[0].strip("/") or "index"
        writer.write(pages.get(path.replace("/", "_").replace(".", "_"), answer(b"nothing here", "404 Not Found")))

    return handle


async def test_a_page_comes_back_with_everything_that_is_known_of_it(tmp_path: Path) -> None:
    page = answer(b"<p>caf\xc3\xa9</p>", x_served_by="b1", **HTML)
    async with serving(site(index=page)) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url()))
        (kept,) = visited.kept
        assert (kept.name, kept.status, kept.content_type, kept.url) == ("page", 200, "text/html", server.url())
        assert kept.body == b"<p>caf\xc3\xa9</p>"
        assert ("x-served-by", "b1") in kept.headers
        assert kept.fetched > 1_700_000_000
        assert (visited.error, visited.requests, visited.last_status) == (None, 1, 200)
        assert visited.body_bytes == len(kept.body) < visited.wire_bytes


async def test_a_request_says_who_we_are_and_what_the_author_adds(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        await http.get(server.url("/a?x=1#part"), params={"q": "a b", "many": ["1", "2"]}, headers={"Accept": "x/y"})
        await http.post(server.url("/b"), {"pin": "é"}, headers={"X-One": "1"})
        await http.post(server.url("/c"), b"raw", headers={"Content-Type": "text/plain"})
        return await http.get(server.url("/d"), referer=server.url("/c?private#x"))

    async with serving(always(answer())) as server, bench(tmp_path, user_agent="me/1") as made:
        assert (await made.visit(flow)).error is None
    a, b, c, d = server.asked
    assert (a.target, a.headers["accept"], a.headers["user-agent"]) == ("/a?x=1&q=a+b&many=1&many=2", "x/y", "me/1")
    assert (b.body, b.headers["content-type"]) == (b"pin=%C3%A9", "application/x-www-form-urlencoded")
    assert (b.headers["x-one"], c.body, c.headers["content-type"]) == ("1", b"raw", "text/plain")
    assert d.headers["referer"] == server.url("/c?private")


async def test_json_is_asked_for_and_given_as_a_value(tmp_path: Path) -> None:
    values: list[object] = []

    async def flow(http: Http, visit: Visit):
        values.append(await http.json(server.url("/api")))
        values.append(await http.json(server.url("/api"), {"pin": 1}))
        return await http.get(server.url("/api"))

    pages = {"api": answer(b'{"a": [1]}', content_type="application/json")}
    async with serving(site(**pages)) as server, bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert values == [{"a": [1]}, {"a": [1]}]
    assert (server.asked[0].method, server.asked[0].headers["accept"]) == ("GET", "application/json")
    assert (server.asked[1].method, orjson.loads(server.asked[1].body)) == ("POST", {"pin": 1})
    assert visited.kept[0].content_type == "application/json"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("401 No", Kind.FORBIDDEN),
        ("403 No", Kind.FORBIDDEN),
        ("404 No", Kind.HTTP_STATUS),
        ("410 Gone", Kind.HTTP_STATUS),
        ("418 Tea", Kind.HTTP_STATUS),
        ("429 Slow", Kind.RATE_LIMITED),
        ("500 Bad", Kind.SITE_5XX),
        ("503 Bad", Kind.SITE_5XX),
    ],
)
async def test_a_status_from_400_on_is_an_error_with_its_page_as_evidence(
    tmp_path: Path, status: str, kind: Kind
) -> None:
    async with serving(always(answer(b"<h1>sorry</h1>", status, **HTML))) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url("/x?secret=1")))
    assert isinstance(visited.error, VisitError)
    assert (visited.error.failure, visited.error.status) == (kind, int(status[:3]))
    assert "secret" not in str(visited.error)
    assert [(kept.name, kept.body, kept.status) for kept in visited.kept] == [
        ("last", b"<h1>sorry</h1>", int(status[:3]))
    ]


async def test_retry_after_is_told(tmp_path: Path) -> None:
    for said, seconds in (("7", 7), ("Thu, 01 Jan 2060 00:00:00 GMT", 7 * 86_400), ("soon", None)):
        async with serving(always(answer(b"", "429 Slow", retry_after=said))) as server, bench(tmp_path) as made:
            error = (await made.visit(lambda http, visit: http.get(server.url()))).error
        assert isinstance(error, RateLimited)
        assert error.retry_after == seconds
    async with serving(always(answer(b"", "503 Slow", retry_after="9"))) as server, bench(tmp_path) as made:
        error = (await made.visit(lambda http, visit: http.get(server.url()))).error
    assert isinstance(error, RateLimited)


async def test_absent_on_says_that_there_is_no_such_record(tmp_path: Path) -> None:
    async with serving(site()) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url("/none"), absent_on=(404, 410)))
        assert isinstance(visited.error, Absent)
        assert [kept.name for kept in visited.kept] == ["last"]  # what the site said, so that it can be looked at
        visited = await made.visit(lambda http, visit: http.get(server.url("/none"), absent_on=(410,)))
        assert isinstance(visited.error, VisitError)


async def test_allow_gives_the_page_all_the_same(tmp_path: Path) -> None:
    async with serving(site()) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url("/none"), allow=(404,)))
        assert (visited.error, visited.kept[0].status) == (None, 404)


async def test_redirects_are_followed_and_each_counts_and_asks_for_leave(tmp_path: Path) -> None:
    pages = {
        "index": answer(b"gone on", "302 Found", location="/b?x=1"),
        "b": answer(b"", "301 Moved", location="c"),
        "c": answer(b"here", **HTML),
    }
    async with serving(site(**pages)) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url()))
        assert (visited.requests, visited.kept[0].url, visited.kept[0].body) == (3, server.url("/c"), b"here")
        assert made.permits.given == {SITE: 3}
        assert [sent.status for sent in made.sent] == [302, 301, 200]
        assert server.connections == 1


@pytest.mark.parametrize(
    ("status", "method", "body"), [("302 F", "GET", b""), ("303 S", "GET", b""), ("307 T", "POST", b"a=b")]
)
async def test_a_redirected_post_becomes_what_browsers_make_of_it(
    tmp_path: Path, status: str, method: str, body: bytes
) -> None:
    pages = {"index": answer(b"", status, location="/to"), "to": answer()}
    async with serving(site(**pages)) as server, bench(tmp_path) as made:
        await made.visit(lambda http, visit: http.post(server.url(), {"a": "b"}))
    assert (server.asked[1].method, server.asked[1].body) == (method, body)
    assert ("content-type" in server.asked[1].headers) == bool(body)


async def test_credentials_and_cookies_stay_at_their_origin(tmp_path: Path) -> None:
    async with serving(site(index=answer())) as other:
        moved = answer(b"", "302 Found", location=other.url(), set_cookie="sid=1")
        async with serving(site(index=moved)) as server, bench(tmp_path) as made:
            headers = {"Authorization": "Bearer x", "X-Api-Key": "y", "Cookie": "mine=1", "Accept-Language": "de"}
            visited = await made.visit(lambda http, visit: http.get(server.url(), headers=headers))
            assert visited.error is None
            # another port is another origin, but cookies know no ports (RFC 6265): those of 127.0.0.1 go along
            there = other.asked[0].headers
            assert {"authorization", "x-api-key"}.isdisjoint(there)
            assert (there["accept-language"], there["cookie"]) == ("de", "sid=1")
            assert made.permits.given == {SITE: 2}


async def test_other_hosts_are_sites_of_their_own(tmp_path: Path) -> None:
    async with serving(site(index=answer())) as server, bench(tmp_path) as made:

        async def flow(http: Http, visit: Visit):
            await http.get(server.url())
            await http.get(server.url(host="localhost"))
            return await http.get(server.url())

        assert (await made.visit(flow)).error is None
        assert made.permits.given == {SITE: 2, "localhost": 1}


@pytest.mark.parametrize("location", ["/", "/again?and=again"])
async def test_circles_end(tmp_path: Path, location: str) -> None:
    async with serving(always(answer(b"", "302 Found", location=location))) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url()))
    assert isinstance(visited.error, VisitError)
    assert (visited.error.failure, visited.requests) == (Kind.HTTP_STATUS, 6)
    assert "circles" in str(visited.error)


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:169.254.169.254]/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://metadata.google.internal/",
        "http://100.100.100.200/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "http://user:password@127.0.0.1/",
    ],
)
async def test_a_redirect_to_where_nobody_may_go_is_denied(tmp_path: Path, location: str) -> None:
    async with serving(always(answer(b"", "302 Found", location=location))) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url()))
    assert isinstance(visited.error, VisitError)
    assert (visited.error.failure, visited.requests) == (Kind.DENIED, 1)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f000001", "[::1]", "10.0.0.1"])
async def test_this_machine_is_denied_unless_the_settings_allow_it(tmp_path: Path, host: str) -> None:
    async with serving(always(answer())) as server, bench(tmp_path, allow=()) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url(host=host)))
        assert isinstance(visited.error, VisitError)
        assert visited.error.failure is Kind.DENIED
        assert visited.requests == 0
        assert server.connections == 0


async def test_a_session_lasts_a_visit_and_no_longer(tmp_path: Path) -> None:
    pages = {"index": answer(b"", set_cookie="sid=1; Path=/; HttpOnly"), "in": answer()}

    async def flow(http: Http, visit: Visit):
        await http.get(server.url())
        page = await http.get(server.url("/in"))
        assert http.cookies.get("sid") == "1"
        http.cookies.clear()
        await http.get(server.url("/in"))
        return page

    async with serving(site(**pages)) as server, bench(tmp_path) as made:
        assert (await made.visit(flow)).error is None
        assert (await made.visit(flow)).error is None
    assert [asked.headers.get("cookie") for asked in server.asked] == [None, "sid=1", None] * 2


async def test_a_proxy_is_the_visits_own_unless_a_request_names_another(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        await http.get(server.url("/a"))
        await http.get(server.url("/b"), proxy=None)
        return await http.get(server.url("/c"), proxy=second.url(""))

    async with serving(always(answer())) as server, proxy() as first, proxy() as second, bench(tmp_path) as made:
        assert (await made.visit(flow, proxy=first.url(""))).error is None
        assert (len(first.asked), len(second.asked)) == (1, 1)
        assert server.connections == 3


async def test_a_proxy_that_wants_other_credentials_is_the_proxys_fault(tmp_path: Path) -> None:
    async with serving(always(answer())) as server, proxy("a", "b") as way, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.get(server.url()), proxy=way.url(""))
        assert isinstance(visited.error, VisitError)
        assert visited.error.failure is Kind.PROXY_AUTH
        assert visited.proxy == "set/one"
        assert server.connections == 0


LOST = answer(b"", "502 Bad Gateway", proxy_status="gate; error=proxy_internal_error")


def losing(*lost: int) -> Handler:
    """A proxy that has lost the exit for these requests, counted from 1, and answers the others in the site's place."""
    asked_for = itertools.count(1)

    async def handle(asked: Asked, writer: Writer) -> None:
        writer.write(LOST if next(asked_for) in lost else answer())

    return handle


@pytest.mark.parametrize(
    ("lost", "method", "asked", "good"),
    [
        ((2,), "GET", 3, True),
        ((2, 3), "GET", 4, True),
        ((2, 3, 4), "GET", 4, False),
        ((1,), "GET", 1, False),
        ((2,), "POST", 2, False),
    ],
    ids=["once", "twice", "too often", "with nothing to lose", "what may do something"],
)
async def test_an_exit_that_is_lost_in_the_middle_of_a_visit_costs_one_request_and_not_the_visit(
    tmp_path: Path, lost: tuple[int, ...], method: str, asked: int, good: bool
) -> None:
    async def flow(http: Http, visit: Visit):
        await http.get("http://site.example/search")
        ask = http.get if method == "GET" else http.post
        return await ask("http://site.example/record")

    async with serving(losing(*lost)) as way, bench(tmp_path) as made:
        visited = await made.visit(flow, proxy=way.url(""))
    assert (visited.error is None) == good
    assert len(way.asked) == visited.requests == sum(made.permits.given.values()) == asked


async def test_a_site_that_says_502_by_itself_is_not_asked_again_in_the_same_visit(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        await http.get("http://site.example/search", allow=(502,))
        return await http.get("http://site.example/record", allow=(502,))

    async with serving(always(answer(b"x", "502 Bad Gateway"))) as way, bench(tmp_path) as made:
        await made.visit(flow, proxy=way.url(""))
    assert len(way.asked) == 2


async def test_a_proxy_that_a_request_names_must_be_where_scrapers_may_go(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        return await http.get(server.url(), proxy=way.url(""))

    async with serving(always(answer())) as server, proxy() as way:
        async with bench(tmp_path, allow=(f"127.0.0.1:{server.port}",)) as made:
            visited = await made.visit(flow)
        assert isinstance(visited.error, VisitError)
        assert visited.error.failure is Kind.DENIED
        assert "SCRAPEYARD_HTTP__ALLOW" in str(visited.error)
        assert (way.asked, server.connections) == ([], 0)
        async with bench(tmp_path, allow=(f"127.0.0.1:{server.port}", f"127.0.0.1:{way.port}")) as made:
            assert (await made.visit(flow)).error is None
        assert len(way.asked) == 1


async def test_a_download_is_a_file_in_memory_or_on_disk_by_its_size(tmp_path: Path) -> None:
    large = PDF + b"y" * 3_000_000
    pages = {"small_pdf": answer(PDF, content_type="application/pdf"), "large_pdf": chunked(large)}
    async with serving(site(**pages)) as server, bench(tmp_path) as made:

        async def flow(http: Http, visit: Visit):
            small = await http.download(server.url("/small.pdf"), expect="application/pdf")
            big = await http.download(server.url("/large.pdf"), expect="application/pdf")
            await http.download(server.url("/large.pdf"), expect="application/pdf")  # not kept: it goes again
            visit.keep("bill", big)
            return small

        visited = await made.visit(flow, expect=("bill", "page"))
        assert visited.error is None
        bill, page = visited.kept
        assert (page.body, page.path, page.content_type, page.status) == (PDF, None, "application/pdf", 200)
        assert bill.path is not None
        assert bill.path.read_bytes() == large
        assert [path for path in (tmp_path / "downloads").rglob("*") if path.is_file()] == [bill.path]


@pytest.mark.parametrize(
    ("body", "content_type", "expect", "good"),
    [
        (PDF, "application/octet-stream", "application/pdf", True),
        (b"\n\n" + PDF, "application/pdf", "application/pdf", True),
        (b"<html>no bill</html>", "application/pdf", "application/pdf", False),
        (b"", "application/pdf", "application/pdf", False),
        (b"\x89PNG\r\n\x1a\n...", "image/png", "image/*", True),
        (b"<html>", "image/png", "image/*", False),
        (b"<svg/>", "image/svg+xml", "image/*", True),
        (b"a,b", "text/csv; charset=utf-8", "text/csv", True),
        (b"<html>", "text/html", "text/csv", False),
    ],
)
async def test_a_download_must_be_what_it_should_be(
    tmp_path: Path, body: bytes, content_type: str, expect: str, good: bool
) -> None:
    async with serving(always(answer(body, content_type=content_type))) as server, bench(tmp_path) as made:
        visited = await made.visit(lambda http, visit: http.download(server.url("/f"), expect=expect))
    if good:
        assert visited.error is None
        return
    assert isinstance(visited.error, VisitError)
    assert visited.error.failure is Kind.PARSE_EMPTY
    assert (visited.kept[0].name, visited.kept[0].body) == ("last", body)


async def test_a_download_with_an_error_status_is_that_error(tmp_path: Path) -> None:
    async with serving(site()) as server, bench(tmp_path) as made:
        visited = await made.visit(
            lambda http, visit: http.download(server.url("/x"), expect="application/pdf", absent_on=(404,))
        )
    assert isinstance(visited.error, Absent)


async def test_a_visit_makes_no_more_requests_than_its_limit(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        while True:
            await http.get(server.url())

    async with serving(always(answer())) as server, bench(tmp_path, limits=Limits(requests=20)) as made:
        visited = await made.visit(flow)
    assert isinstance(visited.error, VisitError)
    assert (visited.error.failure, len(server.asked)) == (Kind.TOO_LARGE, 20)


async def test_the_other_client_does_the_same(tmp_path: Path) -> None:
    pages = {"index": answer(b"", "302 Found", location="/in", set_cookie="a=b"), "in": answer(b"<p>x", **HTML)}
    async with serving(site(**pages)) as server, bench(tmp_path, client="aiohttp") as made:
        visited = await made.visit(lambda http, visit: http.get(server.url()))
    assert (visited.error, visited.kept[0].body, server.asked[1].headers["cookie"]) == (None, b"<p>x", "a=b")
