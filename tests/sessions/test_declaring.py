"""What an author can say of sessions, and how mistakes in it are told; opening and forgetting at a real server."""

from pathlib import Path
from typing import Any

import pytest

from scrapeyard import Absent, Http, Inputs, LoginFailed, Page, Secret, SessionExpired, SessionTerms, Visit, scraper
from scrapeyard.model.errors import Refused, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.session import Session
from scrapeyard.ports.scrapers import Errand
from scrapeyard.scraping.author.binding import Misdeclared
from scrapeyard.scraping.author.card import card_of
from scrapeyard.scraping.scrapers import equip
from scrapeyard.testing.trial import Workbench
from scraping.servers import Asked, Server, Writer, answer, serving
from scraping.visiting import Free, options


class Parcel(Inputs):
    parcel_id: str = "1"


def declared(flow: Any = None, **given: Any) -> Any:
    settings: Any = {"site": "x.example", "expect": ["page"], **given}

    @scraper("us.test.sessions", **settings)
    async def visit(parcel: Parcel, http: Http, visit: Visit) -> Page | None:
        return await flow(http, visit)

    return visit


async def no_http(password: Secret) -> None: ...


async def an_item(http: Http, parcel: Parcel) -> None: ...


async def login(http: Http, password: Secret) -> None: ...


def not_async(http: Http) -> None: ...


@pytest.mark.parametrize(
    ("function", "secrets", "told"),
    [
        (no_http, {"password": "secret://word"}, "no parameter annotated as Http"),
        (an_item, {}, "'parcel' of an_item is annotated as Parcel; a session is opened for many items"),
        (not_async, {}, "not_async is not async"),
        (login, {}, "say which secret 'password' is"),
        (login, {"password": "hunter2-the-word"}, "never the word itself"),
        (login, {"password": "secret://word", "user": "secret://user"}, "no parameter 'user' annotated as Secret"),
    ],
)
def test_a_mistake_is_told_when_it_is_declared(function: Any, secrets: dict[str, str], told: str) -> None:
    with pytest.raises(Misdeclared, match=told) as error:
        declared().open_session(**secrets)(function)
    assert "hunter2" not in str(error.value)


def test_a_scraper_opens_its_sessions_in_one_way() -> None:
    made = declared()
    assert made.open_session(password="secret://word")(login) is login
    with pytest.raises(Misdeclared, match="open_session already"):
        made.open_session(password="secret://word")(login)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"sessions": SessionTerms(uses=0)}, "take uses and most of 1 and more"),
        ({"sessions": SessionTerms(name="x" * 81)}, "a name of up to 80"),
        ({"sessions": True}, "sessions takes SessionTerms"),
        ({"expired_when": "gone"}, r"expired_when=\['gone'\]"),
        ({"expired_when": [7]}, "expired_when takes words"),
    ],
)
def test_terms_that_make_no_sense_are_refused(given: Any, told: str) -> None:
    with pytest.raises(Misdeclared, match=told):
        declared(**given)


def test_the_card_says_how_sessions_are_kept() -> None:
    plain, opening, reusing = declared(), declared(), declared(sessions=SessionTerms(uses=7))
    opening.open_session(password="secret://word")(login)
    cards = [card_of(one, "d", "s") for one in (plain, opening, reusing)]
    assert [one.sessions for one in cards] == [None, SessionTerms(), SessionTerms(uses=7)]
    assert [one.opens for one in cards] == [False, True, False]
    assert cards[1].secrets == ("secret://word",)


@pytest.fixture
async def server():
    async def serve(asked: Asked, writer: Writer) -> None:
        cookie = asked.headers.get("cookie", "")
        match asked.target:
            case "/login":
                good = b"word=open+sesame" in asked.body
                said = b"<h1>Welcome</h1>" if good else b"<p id=wrong>Wrong password</p>"
                writer.write(answer(said, content_type="text/html", set_cookie="sid=7; Path=/" if good else "x=1"))
            case "/closed":
                writer.write(answer(b"<p>no</p>", status="401 Unauthorized", content_type="text/html"))
            case _:
                lost = b"<p class=gone>Who are you? No records found.</p>"
                writer.write(answer(b"<h1>Parcel 1</h1>" if cookie == "sid=7" else lost, content_type="text/html"))

    async with serving(serve) as server:
        yield server


def known(reference: str) -> Secret:
    if reference != "secret://word":
        raise Refused(f"The secret {reference} is not known here.")
    return Secret("open sesame")


async def run(tmp_path: Path, made: Any, session: Session, *, opening: bool) -> Any:
    loaded = equip(options(tmp_path), secret=known)(made, "d", "s")
    errand = Errand("job", 0, "1", b'{"parcel_id":"1"}', session=session)
    try:
        return await (loaded.open if opening else loaded.visit)(errand, Free())
    finally:
        await loaded.close()


async def test_what_the_opening_earns_the_visits_have(server: Server, tmp_path: Path) -> None:
    async def flow(http: Http, visit: Visit) -> Page:
        return await http.get(server.url("/parcel"), headers={"X-Token": visit.session.get("token", "-")})

    made = declared(flow)

    @made.open_session(word="secret://word")
    async def enter(http: Http, word: Secret) -> dict[str, str]:
        await http.post(server.url("/login"), {"word": word.reveal()})
        return {"token": "t1"}

    opened = await run(tmp_path, made, Session("a"), opening=True)
    assert opened.error is None
    assert [step.name for step in opened.steps] == ["open session"]
    assert (opened.requests, opened.session.notes) == (1, {"token": "t1"})
    visited = await run(tmp_path, made, opened.session, opening=False)
    assert visited.kept[0].body == b"<h1>Parcel 1</h1>"
    assert server.asked[-1].headers["x-token"] == "t1"
    assert visited.session.cookies == opened.session.cookies


@pytest.mark.parametrize(
    "sign", ["who are you?", "css:.gone", lambda page: "Who" in page.html], ids=["words", "css", "own"]
)
async def test_forgetting_is_looked_for_before_absence(server: Server, tmp_path: Path, sign: Any) -> None:
    async def absent(http: Http, visit: Visit) -> Page:
        if (await http.get(server.url("/parcel"))).says("no records found"):
            raise Absent
        raise AssertionError

    async def lost(http: Http, visit: Visit) -> Page:
        return await (await http.get(server.url("/parcel"))).follow("a.detail")

    async def broken(http: Http, visit: Visit) -> Page:
        page = await http.get(server.url("/parcel"))
        return await http.get(page.css("table a")[0].link())

    for flow in (absent, lost, broken):
        made = declared(flow, expired_when=[sign], absent_when=["no records found"])
        assert isinstance((await run(tmp_path, made, Session("a"), opening=False)).error, SessionExpired)

    async def throttled(http: Http, visit: Visit) -> Page:
        await http.get(server.url("/parcel"))
        raise VisitError("slow down", kind=Kind.RATE_LIMITED)

    made = declared(throttled, expired_when=[sign])
    assert (await run(tmp_path, made, Session("a"), opening=False)).error.failure is Kind.RATE_LIMITED


@pytest.mark.parametrize(
    ("what", "kind"),
    [("closed", Kind.LOGIN_FAILED), ("absent", Kind.SCRAPER_BUG), ("own", Kind.LOGIN_FAILED), ("notes", None)],
)
async def test_an_opening_that_fails_says_nothing_of_an_item(
    server: Server, tmp_path: Path, what: str, kind: Kind | None
) -> None:
    made = declared()

    @made.open_session
    async def enter(http: Http) -> Any:
        if what == "closed":
            await http.get(server.url("/closed"))
        if what == "own":
            page = await http.post(server.url("/login"), {"word": "guess"})
            raise LoginFailed(page.text("#wrong"))
        if what == "absent":
            raise Absent
        return {"token": 7} if what == "notes" else None

    opened = await run(tmp_path, made, Session("a"), opening=True)
    if kind is None:
        assert isinstance(opened.error, TypeError)
    else:
        assert opened.error.failure is kind
    assert [kept.name for kept in opened.kept] == (["last"] if what in {"closed", "own"} else [])


async def test_a_secret_that_is_not_known_is_told_as_a_failed_login(tmp_path: Path) -> None:
    made = declared()
    made.open_session(password="secret://other")(login)
    opened = await run(tmp_path, made, Session("a"), opening=True)
    assert isinstance(opened.error, LoginFailed)
    assert "secret://other is not known here" in str(opened.error)


async def test_a_trial_opens_a_session_and_records_none_of_it(server: Server) -> None:
    async def flow(http: Http, visit: Visit) -> Page:
        return await http.get(server.url("/parcel"))

    made = declared(flow)

    @made.open_session(word="secret://word")
    async def enter(http: Http, word: Secret) -> None:
        await http.post(server.url("/login"), {"word": word.reveal()})

    bench = Workbench(made, secret=known)
    trial = await bench.visit({})
    await bench.close()
    assert trial.good
    assert [one.url.rpartition("/")[2] for one in trial.sent] == ["login", "parcel"]
    assert [one.url.rpartition("/")[2] for one in trial.exchanges] == ["parcel"]
    again = Workbench(made, replay=trial.exchanges)
    assert (await again.visit({})).good
    await again.close()
