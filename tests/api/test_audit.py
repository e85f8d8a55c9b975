"""Who did what is written down, whichever door they came through, and nobody else reads it."""

import inspect
import json

import pytest

from scrapeyard.controller.audit.acting import acting, who_acts
from scrapeyard.controller.audit.audited import DEEDS
from scrapeyard.model.access import Scope
from scrapeyard.model.errors import BadInput
from scrapeyard.ports.alerts import AlertDesk
from scrapeyard.ports.retention import RetentionDesk
from scrapeyard.ports.schedules import ScheduleDesk
from scrapeyard.ports.service import ItemDesk, JobDesk, SiteDesk

ASKS = {
    "jobs": {"load", "get", "find", "status", "why", "workers"},
    "items": {"find", "story"},
    "sites": {"find", "get", "proxies"},
    "schedules": {"find", "get"},
    "retention": set(),
    "alerts": {"find", "get", "told"},
}
"""What changes nothing, or is written down with the deed that it belongs to (`load` with `seal`)."""


@pytest.mark.parametrize(
    ("name", "port"),
    [
        ("jobs", JobDesk),
        ("items", ItemDesk),
        ("sites", SiteDesk),
        ("schedules", ScheduleDesk),
        ("alerts", AlertDesk),
        ("retention", RetentionDesk),
    ],
)
def test_every_verb_of_a_desk_is_known_as_a_deed_or_as_a_question(name, port):
    verbs = {verb for verb, _ in inspect.getmembers(port, inspect.isfunction) if not verb.startswith("_")}
    assert verbs == DEEDS[name] | ASKS[name]


async def test_deeds_are_those_of_the_key_that_did_them(site):
    admin = site.call.with_key(await site.key())
    ops = site.call.with_key(await site.key(Scope.OPERATE, Scope.SUBMIT))
    job = (await ops("POST", "/v1/jobs", {"scraper": "test.parcel", "name": "bills"})).json["job"]["id"]
    assert (await ops("POST", f"/v1/jobs/{job}/pause", {"reason": "too early"})).status == 409
    assert (await ops("POST", f"/v1/jobs/{job}/cancel", {"reason": "enough"})).status == 200
    plan = {"name": "nightly", "cron": "0 2 * * *", "scraper": "test.parcel", "file": "parcels.csv"}
    assert (await ops("POST", "/v1/schedules", plan)).status == 201
    assert (await ops("GET", f"/v1/jobs/{job}")).status == 200
    deeds = (await admin("GET", "/v1/audit")).json["deeds"]
    assert [(one["verb"], one["what"]) for one in deeds[2:]] == [
        ("jobs.open", job), ("jobs.pause", job), ("jobs.cancel", job), ("schedules.add", "nightly"),
    ]  # fmt: skip
    assert [one["verb"] for one in deeds[:2]] == ["keys.create", "keys.create"]
    assert {one["who"] for one in deeds[2:]} == {f"key {deeds[1]['what']} (test)"}
    assert "still loading" in deeds[3]["trouble"]
    assert deeds[4]["details"] == {"asked": ["enough"]}
    assert deeds[5]["details"]["asked"][0]["cron"] == "0 2 * * *"
    assert (await ops("GET", "/v1/audit")).status == 403


async def test_whoever_reads_page_by_page_reads_every_deed_once_while_more_are_written(site):
    desk = site.yard.service.schedules
    for number in range(10):
        with acting(f"user {number}"), pytest.raises(BadInput):
            await desk.keep_list(b"")
    seen, after = [], ""
    while True:
        page = (await site.call("GET", f"/v1/audit?limit=3&after={after}")).json["deeds"]
        if not page:
            break
        seen += [one["who"] for one in page]
        after = page[-1]["id"]
        if len(seen) == 3:
            with pytest.raises(BadInput):
                await desk.keep_list(b"")
    assert seen == [*(f"user {number}" for number in range(10)), who_acts()]
    assert "@" in who_acts()


async def test_a_dry_run_is_no_deed_and_a_huge_one_is_cut(site):
    job = (await site.call("POST", "/v1/jobs", {"scraper": "test.parcel", "name": "bills"})).json["job"]["id"]
    await site.call("POST", f"/v1/jobs/{job}/items", b'{"parcel_id":"a"}\n')
    await site.call("POST", f"/v1/jobs/{job}/seal")
    wish = {"selection": {"keys": [f"key-{number:06}" for number in range(2_000)]}}
    assert (await site.call("POST", f"/v1/jobs/{job}/redrive", wish | {"dry_run": True})).status == 200
    assert (await site.call("POST", f"/v1/jobs/{job}/redrive", wish)).status == 200
    deeds = (await site.call("GET", "/v1/audit")).json["deeds"]
    assert [one["verb"] for one in deeds] == ["jobs.open", "jobs.seal", "items.redrive"]
    assert len(json.dumps(deeds[-1])) < 6_000
    assert deeds[-1]["who"] == "this machine"


@pytest.mark.parametrize("query", ["limit=0", "after=%0a", "after=%C3%A4", "since=soon", "after=" + "x" * 200])
async def test_a_cursor_that_is_none_is_refused(site, query):
    assert (await site.call("GET", f"/v1/audit?{query}")).status == 422
