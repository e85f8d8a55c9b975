"""The pages of the dashboard as a browser gets them: what they tell, what they do, and whom they let in."""

import re
from urllib.parse import quote, urlencode

import pytest

from api.conftest import Site
from dashboard.conftest import HOSTILE
from scrapeyard.model.access import Scope
from scrapeyard.model.states import JobState

FORM = {"Content_Type": "application/x-www-form-urlencoded"}


async def shown(board: Site, path: str, **headers: str) -> str:
    said = await board.call("GET", path, **headers)
    assert said.status == 200, said.body
    return said.body.decode()


async def sent(board: Site, path: str, page: str, *, cookie: str = "", **fields: str) -> int:
    """Send a form as the browser would: with the word that the page gave it."""
    word = re.search(r'name="token" value="([0-9a-f]+)"', page)
    body = urlencode({"token": word[1] if word else "", **fields}).encode()
    headers = {**FORM, **({"Cookie": cookie} if cookie else {})}
    async with board.call.http.post(
        board.call.base + path, data=body, headers={name.replace("_", "-"): said for name, said in headers.items()},
        allow_redirects=False,
    ) as answer:  # fmt: skip
        return answer.status


async def test_the_list_and_the_job_tell_how_far_it_is(board: Site) -> None:
    listed = await shown(board, "/jobs")
    assert "town" in listed
    assert "<b>0</b> of 61 items" in listed
    job = (await board.yard.service.jobs.get("town")).id
    page = await shown(board, f"/jobs/{job}")
    assert "of 61 items" in page


async def test_filters_find_and_say_when_there_is_nothing(board: Site) -> None:
    assert "town" in await shown(board, "/jobs?q=tow&state=running")
    assert "No job is like that" in await shown(board, "/jobs?state=completed")
    items = await shown(board, "/jobs/town/items?key=7")
    assert ">7</a>" in items
    assert ">8</a>" not in items


async def test_items_are_paged(board: Site) -> None:
    first = await shown(board, "/jobs/town/items")
    onward = re.search(r'href="(/jobs/[^"]*after=49[^"]*)"', first)
    assert onward is not None
    assert ">55</a>" in await shown(board, onward[1].replace("&amp;", "&"))


@pytest.mark.parametrize("path", ["/jobs/town/items?key={}", "/jobs/town/item?key={}", "/jobs?q={}"])
async def test_what_strangers_wrote_is_text_everywhere(board: Site, path: str) -> None:
    said = await board.call("GET", path.format(quote(HOSTILE, safe="")))
    page = said.body.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    policy = said.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe-inline" not in policy


async def test_a_job_is_paused_and_resumed_from_its_page(board: Site) -> None:
    job = (await board.yard.service.jobs.get("town")).id
    page = await shown(board, f"/jobs/{job}")
    assert await sent(board, f"/jobs/{job}/pause", page) == 303
    paused = await board.yard.service.jobs.get(job)
    assert paused.state is JobState.PAUSED
    assert "Paused by this machine" in (paused.reason or "")
    assert "Paused by this machine" in await shown(board, f"/jobs/{job}")  # the page says why it does not move
    assert await sent(board, f"/jobs/{job}/resume", page) == 303
    assert (await board.yard.service.jobs.get(job)).state is JobState.RUNNING


async def test_a_policy_is_changed_and_nonsense_refused(board: Site) -> None:
    page = await shown(board, "/jobs/town")
    assert await sent(board, "/jobs/town/policy", page, priority="9", rate="2.5") == 303
    policy = (await board.yard.service.jobs.get("town")).policy
    assert (policy.priority, policy.rate) == (9, 2.5)
    assert await sent(board, "/jobs/town/policy", page, priority="many") == 422
    assert await sent(board, "/jobs/town/policy", page, priority="99") == 422


async def test_a_retry_is_asked_twice(board: Site) -> None:
    page = await shown(board, "/jobs/town/items?state=failed")
    assert "No item is like that" in page
    items = await shown(board, "/jobs/town/items")
    assert await sent(board, "/jobs/town/retry", items, state="failed") == 200


async def test_a_form_from_elsewhere_does_nothing(board: Site) -> None:
    assert await sent(board, "/jobs/town/pause", "a page without the word") == 403
    page = await shown(board, "/jobs/town")
    word = re.search(r'name="token" value="([0-9a-f]+)"', page)
    assert word is not None
    body = urlencode({"token": word[1]}).encode()
    foreign = await board.call("POST", "/jobs/town/pause", body, Sec_Fetch_Site="cross-site", **FORM)
    assert foreign.status == 403
    assert (await board.yard.service.jobs.get("town")).state is JobState.RUNNING


async def test_without_a_key_only_this_machine_s_own_name_is_served(board: Site) -> None:
    rebound = await board.call.http.get(
        board.call.base + "/jobs", headers={"Host": "evil.example"}, allow_redirects=False
    )
    assert rebound.status == 303
    assert "town" not in await rebound.text()


async def test_people_log_in_with_a_key_and_out_again(board: Site) -> None:
    text = await board.key(Scope.READ)
    http, base = board.call.http, board.call.base
    async with http.get(base + "/jobs", allow_redirects=False) as asked:
        assert asked.status == 303
        assert asked.headers["Location"].startswith("/login")
    async with http.post(
        base + "/login", data={"key": "sy_wrong", "to": "//evil.example"}, allow_redirects=False
    ) as wrong:
        assert wrong.status == 401
    async with http.post(base + "/login", data={"key": text, "to": "//evil.example"}, allow_redirects=False) as right:
        assert right.status == 303
        assert right.headers["Location"] == "/jobs"
        cookie = right.cookies["scrapeyard"]
        assert cookie["httponly"]
        assert cookie["samesite"] == "lax"
        word = f"scrapeyard={cookie.value}"
    page = await shown(board, "/jobs/town", Cookie=word)
    assert "Pause" not in page  # the key only reads
    assert await sent(board, "/jobs/town/pause", page, cookie=word) == 403
    assert await sent(board, "/logout", page, cookie=word) == 303
    async with http.get(base + "/jobs", headers={"Cookie": word}, allow_redirects=False) as after:
        assert after.status == 303


async def test_a_revoked_key_ends_its_logins(board: Site) -> None:
    key, text = await board.keys.create("gone", (Scope.ADMIN,))
    async with board.call.http.post(
        board.call.base + "/login", data={"key": text, "to": "/jobs"}, allow_redirects=False
    ) as answer:
        word = f"scrapeyard={answer.cookies['scrapeyard'].value}"
    await shown(board, "/jobs", Cookie=word)
    await board.keys.revoke(key.id)
    refused = await board.call.http.get(board.call.base + "/jobs", headers={"Cookie": word}, allow_redirects=False)
    assert refused.status == 303


async def test_wrong_keys_are_slowed_down(board: Site) -> None:
    await board.key(Scope.READ)
    statuses: list[int] = []
    for _ in range(12):
        async with board.call.http.post(board.call.base + "/login", data={"key": "sy_00000000_" + "x" * 43}) as answer:
            statuses.append(answer.status)
    assert statuses[0] == 401
    assert statuses[-1] == 429


async def test_workers_scrapers_and_what_is_not_there(board: Site) -> None:
    assert "scrapeyard up" in await shown(board, "/workers")
    assert "test.parcel" in await shown(board, "/scrapers")
    assert "parcel_id" in await shown(board, "/scrapers/test.parcel")
    missing = await board.call("GET", "/jobs/nowhere")
    assert missing.status == 404
    assert b"no job" in missing.body.lower()


async def test_an_oversized_form_is_refused(board: Site) -> None:
    page = await shown(board, "/jobs/town")
    assert await sent(board, "/jobs/town/pause", page, junk="x" * 100_000) == 413
