"""Pages from which a visit goes on, against the make-believe county and small pages of our own."""

from pathlib import Path

import pytest

from scrapeyard import Absent, Http, Missing, Visit
from scrapeyard.demo.county import County, CountyOptions, serve
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scraping.servers import Asked, Writer, always, answer, serving
from scraping.visiting import bench

HTML = {"content_type": "text/html; charset=utf-8"}


@pytest.fixture
async def county():
    async with serve(CountyOptions(parcels=200)) as county:
        yield county


def alder(county: County, number: str):
    async def flow(http: Http, visit: Visit):
        search = await http.get(county.url("/alder/Search.aspx"))
        found = await search.submit("#aspnetForm", {"ctl00$MainContent$txtParcel": number}, button="Search")
        if found.says("no records found"):
            raise Absent
        return await found.follow("a.detail")

    return flow


async def test_a_webforms_search_carries_its_hidden_state(county: County, tmp_path: Path) -> None:
    async with bench(tmp_path) as made:
        visited = await made.visit(alder(county, county.parcel(7).number))
        assert (visited.error, visited.requests) == (None, 3)
        assert county.parcel(7).number.encode() in visited.kept[0].body
        visited = await made.visit(alder(county, "001-0001-999"))
        assert isinstance(visited.error, Absent)


async def test_a_disclaimer_is_agreed_to_and_remembered(county: County, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        page = await http.get(county.url("/birch/search"))
        assert page.url.endswith("/birch/disclaimer")
        page = await page.submit("#frmDisclaimer", button="Agree")
        assert http.cookies.get("BIRCHSESSION")
        return await page.submit("#frmMain", inpParid=county.parcel(3).number, hdAction="Search")

    async with bench(tmp_path) as made:
        visited = await made.visit(flow)
        assert visited.error is None
        assert visited.kept[0].url == county.url(f"/birch/datalet?pin={county.parcel(3).number}")


async def test_a_grid_is_paged_by_postback_or_by_following_its_links(county: County, tmp_path: Path) -> None:
    def flow(by_link: bool):
        async def turning(http: Http, visit: Visit) -> None:
            page = await http.get(county.url("/cedar/Ledger.aspx"))
            page = await page.submit("#aspnetForm", {"ctl00$txtAccount": county.parcel(5).number}, button="Find")
            visit.keep("page", page)
            for number in range(2, 5):
                if str(number) not in page.texts("tr.pager a"):
                    break
                if by_link:
                    page = await page.follow(str(number))
                else:
                    page = await page.postback("ctl00$gvLedger", f"Page${number}")
                visit.keep("page", page)

        return turning

    async with bench(tmp_path) as made:
        ways = [await made.visit(flow(by_link)) for by_link in (True, False)]
    for visited in ways:
        assert visited.error is None
        assert 2 <= len(visited.kept) <= 4
        assert len({kept.body for kept in visited.kept}) == len(visited.kept)
        assert all(kept.method == "POST" for kept in visited.kept)
    assert len(ways[0].kept) == len(ways[1].kept)


async def test_a_bill_is_downloaded_from_its_link(county: County, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> None:
        account = await http.get(county.url(f"/fir/account/{county.parcel(2).number}"))
        visit.keep("bill", await account.download("a#latestBill", expect="application/pdf"))

    async with bench(tmp_path) as made:
        visited = await made.visit(flow, expect=("bill",))
    assert visited.error is None
    assert visited.kept[0].body.startswith(b"%PDF-")


async def test_json_behind_a_page_is_reached_with_its_token(county: County, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        front = await http.get(county.url("/ginkgo/"))
        headers = {"X-CSRF-Token": front.attr("meta[name=csrf-token]", "content"), "X-Requested-With": "XMLHttpRequest"}
        return await http.get(county.url("/ginkgo/api/parcels"), params={"number": "nobody"}, headers=headers)

    async with bench(tmp_path) as made:
        visited = await made.visit(flow)
        assert visited.kept[0].body == b'{"count":0,"results":[]}'
        visited = await made.visit(lambda http, visit: http.json(county.url("/ginkgo/api/parcels?number=1")))
        assert isinstance(visited.error, VisitError)
        assert visited.error.failure is Kind.FORBIDDEN


async def test_each_visit_has_a_session_of_its_own(county: County, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        page = await http.get(county.url("/hazel/"))
        page = await page.submit("#guest", button="guest")
        visit.keep(http.cookies.get("HZSESSION", "none") or "none", page)
        return await page.submit("#search", number=county.parcel(1).number)

    async with bench(tmp_path) as made:
        visits = [await made.visit(flow) for _ in range(3)]
    assert all(visited.error is None for visited in visits)
    assert len({visited.kept[0].name for visited in visits}) == 3


FORM = b"""<form id=other action=/other><input name=q></form>
<form id=f action="/to?x=1" method=post><input type=hidden name=state value="a&amp;b"><input name=pin>
<input type=checkbox name=old checked><select name=year><option value=1>One<option value=2>Two</select>
<button name=go value=s>Search</button><button name=go value=c>Clear</button></form>
<a class=next href="/next#here">Next page</a><a id=odd href="mailto:x@y">Mail</a>"""


async def test_a_form_sends_what_a_browser_would(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        page = await http.get(server.url("/form"))
        await page.submit("#f", pin="12 é", year="Two")
        await page.submit("#f", {"pin": "1", "old": False}, button="Clear")
        await http.submit(page.form("#f").fill(pin="2"), headers={"X-One": "1"})
        return await page.follow("Next page")

    async with serving(always(answer(FORM, **HTML))) as server, bench(tmp_path) as made:
        assert (await made.visit(flow)).error is None
    _, first, second, third, followed = server.asked
    assert first.body == b"state=a%26b&pin=12+%C3%A9&old=on&year=2&go=s"
    assert second.body == b"state=a%26b&pin=1&year=1&go=c"
    assert third.body == b"state=a%26b&pin=2&old=on&year=1"
    assert third.headers["x-one"] == "1"
    assert (first.target, first.headers["content-type"]) == ("/to?x=1", "application/x-www-form-urlencoded")
    assert (followed.method, followed.target) == ("GET", "/next")
    assert {asked.headers["referer"] for asked in server.asked[1:]} == {server.url("/form")}


@pytest.mark.parametrize(
    ("do", "told"),
    [
        (lambda page: page.submit("#f", nothing="1"), "pin"),
        (lambda page: page.submit("#f", button="Delete"), "Clear"),
        (lambda page: page.submit("#gone"), "#gone"),
        (lambda page: page.follow("a.gone"), "a.gone"),
        (lambda page: page.follow("#odd"), "mailto"),
        (lambda page: page.download("a.gone", expect="application/pdf"), "a.gone"),
    ],
)
async def test_what_a_page_does_not_have_is_told_by_name(tmp_path: Path, do, told: str) -> None:
    async def flow(http: Http, visit: Visit):
        return await do(await http.get(server.url()))

    async with serving(always(answer(FORM, **HTML))) as server, bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert isinstance(visited.error, VisitError)
    assert told in str(visited.error)
    assert visited.requests == 1


async def test_a_page_in_another_character_set_is_read_and_answered_in_it(tmp_path: Path) -> None:
    body = '<form method=post><input name=q value="Müller"></form><p>Öffnen</p>'.encode("windows-1252")

    async def flow(http: Http, visit: Visit):
        page = await http.get(server.url())
        assert page.says("öffnen")
        return await page.submit(q="Größe")

    page = answer(body, content_type="text/html; charset=iso-8859-1")
    async with serving(always(page)) as server, bench(tmp_path) as made:
        assert (await made.visit(flow)).error is None
    assert server.asked[1].body == b"q=Gr%F6%DFe"


async def test_a_redirect_after_a_post_is_the_base_of_what_follows(tmp_path: Path) -> None:
    async def handle(asked: Asked, writer: Writer) -> None:
        if asked.method == "POST":
            writer.write(answer(b"", "303 See Other", location="/deep/result"))
        else:
            writer.write(answer(b'<form method=post></form><a class=d href="detail?id=1">x</a>', **HTML))

    async def flow(http: Http, visit: Visit):
        page = await (await http.get(server.url())).submit()
        return await page.follow("a.d")

    async with serving(handle) as server, bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert visited.kept[0].url == server.url("/deep/detail?id=1")


async def test_a_required_part_that_is_missing_raises_with_the_page_as_evidence(tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit):
        return (await http.get(server.url())).text("#owner")

    async with serving(always(answer(FORM, **HTML))) as server, bench(tmp_path) as made:
        visited = await made.visit(flow)
    assert isinstance(visited.error, Missing)
    assert [kept.name for kept in visited.kept] == ["last"]
