"""Sessions at a county that counts them: opened once and not for each item, opened again when it forgets, shared."""

import asyncio
from pathlib import Path

import pytest

from politeness.site import roles
from scrapeyard.demo.county import CountyOptions, number_at, serve
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import Settings, WorkerSettings
from scrapeyard.wiring import open_yard
from scrapeyard.wiring.yard import Yard

DEMO = "scrapeyard.demo.scrapers"
PASSWORD = "correct horse battery"


async def loaded(yard: Yard, scraper: str, count: int, name: str = "") -> JobId:
    """A job over the first parcels."""
    card = yard.scrapers.find(scraper)
    job = (await yard.service.jobs.open(JobOrder(name or scraper, card, Policy()))).job
    rows = (b'{"parcel_id":"%s"}' % number_at(n).encode() for n in range(count))
    await yard.service.jobs.load(job.id, [NewItem(number_at(n), row) for n, row in enumerate(rows)])
    await yard.service.jobs.seal(job.id)
    return job.id


async def completed(yard: Yard, job: JobId, seconds: float = 60.0) -> dict[str, int]:
    """Wait until it is; gives its items by state."""
    async with asyncio.timeout(seconds):
        while (await yard.service.jobs.status(job)).job.state is not JobState.COMPLETED:  # noqa: ASYNC110 - workers set no event here
            await asyncio.sleep(0.1)
    page = await yard.ledger.items.page(job, limit=1_000)
    assert all(item.attempts == 1 for item in page), "an expired session costs no item an attempt"
    states = [item.state for item in page]
    return {state.value: states.count(state) for state in set(states)}


async def test_a_county_that_forgets_sessions_is_asked_again_and_no_item_pays(tmp_path: Path, monkeypatch) -> None:
    async with serve(CountyOptions(parcels=200, session_requests=11)) as county:
        monkeypatch.setenv("COUNTY_URL", county.base_url)
        settings = Settings(data=tmp_path / "data", scrapers=(DEMO,), worker=WorkerSettings(processes=1, concurrency=4))
        async with open_yard(settings) as yard, yard.working():
            job = await loaded(yard, "county.hazel", 120)
            assert await completed(yard, job) == {"succeeded": 120}
            logins = county.requests["/hazel/enter"]
            assert 120 / 10 <= logins <= 120 / 10 + 2 * 4
            first = await loaded(yard, "county.birch", 60)
            assert await completed(yard, first) == {"succeeded": 60}
            assert county.requests["/birch/disclaimer"] == 2, "one page, one click"
            again = await loaded(yard, "county.birch", 60, "again")
            assert await completed(yard, again) == {"succeeded": 60}
            assert county.requests["/birch/disclaimer"] == 2


async def test_four_workers_log_in_once_where_one_session_serves_all(tmp_path: Path, monkeypatch) -> None:
    async with serve(CountyOptions(parcels=400, session_requests=100_000)) as county:
        monkeypatch.setenv("COUNTY_URL", county.base_url)
        settings = Settings(data=tmp_path / "data", scrapers=(DEMO,))
        async with open_yard(settings) as yard:
            birch, hazel = await loaded(yard, "county.birch", 400), await loaded(yard, "county.hazel", 400)
            work = {"SCRAPEYARD_SCRAPERS": '["scrapeyard.demo.scrapers"]', "COUNTY_URL": county.base_url}
            work |= {"SCRAPEYARD_WORKER__PROCESSES": "1", "SCRAPEYARD_WORKER__CONCURRENCY": "4"}
            with roles(tmp_path, {"dispatcher": 1, "worker": 4}, **work):
                assert await completed(yard, birch, 90) == {"succeeded": 400}
                assert await completed(yard, hazel, 90) == {"succeeded": 400}
            tries = [one for seq in range(400) for one in await yard.ledger.items.attempts(birch, seq)]
            assert len({one.session for one in tries}) == 1, "every try tells in which session it was made"
            assert len({one.worker for one in tries}) > 1
        clicks, logins = county.requests["/birch/disclaimer"] / 2, county.requests["/hazel/enter"]
        print(f"800 items, 4 workers of 4 slots: {clicks:g} disclaimers, {logins} logins")
        assert clicks == 1
        assert logins <= 4 * 4


LOGIN = """
import os

from scrapeyard import Http, Inputs, LoginFailed, Page, Secret, scraper


class Parcel(Inputs):
    parcel_id: str


@scraper("test.login", site="login.example", expect=["page"])
async def visit(parcel: Parcel, http: Http) -> Page:
    return await http.get(os.environ["COUNTY_URL"] + "/hazel/parcel", params={"number": parcel.parcel_id})


@visit.open_session(password="secret://county-word")
async def login(http: Http, password: Secret) -> None:
    page = await http.get(os.environ["COUNTY_URL"] + "/hazel/")
    page = await page.submit("#guest", button="login", user="me", secret=password.reveal())
    if page.css("#loginFailed"):
        raise LoginFailed(f"The county says: {page.text('#loginFailed')} ({password.reveal()})")
"""


@pytest.mark.parametrize("known", [True, False])
async def test_a_login_that_fails_is_tried_seldom_and_costs_no_item_an_attempt(
    tmp_path: Path, monkeypatch, known: bool
) -> None:
    scraper = tmp_path / "login.py"
    scraper.write_text(LOGIN)
    if known:
        monkeypatch.setenv("SCRAPEYARD_SECRET_COUNTY_WORD", PASSWORD)
    async with serve(CountyOptions(parcels=200)) as county:
        monkeypatch.setenv("COUNTY_URL", county.base_url)
        settings = Settings(
            data=tmp_path / "data", scrapers=(str(scraper),), worker=WorkerSettings(processes=1, concurrency=4)
        )
        async with open_yard(settings) as yard:
            async with yard.working():
                job = await loaded(yard, "test.login", 200)
                async with asyncio.timeout(30):
                    while sum(item.losses for item in await yard.ledger.items.page(job)) < 8:  # noqa: ASYNC110 - workers set no event here
                        await asyncio.sleep(0.1)
            items = await yard.ledger.items.page(job)
            assert {item.state for item in items} <= {VisitState.WAITING, VisitState.OFFERED}
            assert all(item.attempts == 0 for item in items)
            assert sum(item.losses for item in items) <= 60, "ten in a row close the way"
            assert {item.kind for item in items} <= {None, "login_failed"}
        assert county.requests.get("/hazel/enter", 0) <= (4 if known else 0), "one for each slot at the most"
    written = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert PASSWORD.encode() not in written
