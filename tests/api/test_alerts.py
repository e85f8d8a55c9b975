"""Alerts from a controller to a real mail server and a real receiver of webhooks, and rules over HTTP."""

import asyncio
import json
import re

import pytest

from notify.sinks import HookSink, MailSink
from scrapeyard.backends.webhook.channel import signature
from scrapeyard.model.states import JobState

SECRET = "correct horse battery"


@pytest.fixture
async def sinks(monkeypatch):
    mails, hooks = MailSink(), HookSink()
    port = mails.start()
    monkeypatch.setenv("SCRAPEYARD_SECRET_MAIL", f"mailto://127.0.0.1:{port}/?from=yard@example.com&to=ops@example.com")
    monkeypatch.setenv("SCRAPEYARD_SECRET_HOOK", SECRET)
    yield mails, hooks, await hooks.start()
    mails.stop()
    await hooks.stop()


@pytest.fixture
def settings(settings, sinks):
    channels = {
        "ops": {"kind": "apprise", "url": "secret://mail"},
        "pager": {"kind": "webhook", "url": f"http://127.0.0.1:{sinks[2]}/hook", "secret": "secret://hook"},
    }
    return type(settings)(
        data=settings.data, scrapers=settings.scrapers, api=settings.api, clerk={"look": 0.05}, channels=channels
    )


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - a server elsewhere is waited for
            await asyncio.sleep(0.05)


async def test_an_alert_arrives_once_by_mail_and_by_webhook_with_a_link_that_opens(site, sinks):
    mails, hooks, _ = sinks
    rule = {"name": "done", "concern": "done", "to": ["ops", "pager"], "group": 0.0}
    assert (await site.call("POST", "/v1/alerts", rule)).status == 201
    job = (await site.call("POST", "/v1/jobs", {"scraper": "test.parcel", "name": "bills"})).json["job"]["id"]
    assert (await site.call("POST", f"/v1/jobs/{job}/cancel", {"reason": "enough"})).status == 200
    await until(lambda: mails.mails and hooks.got)
    for _ in range(3):  # whoever looks again finds it told
        async with asyncio.timeout(60):
            while (await site.call("GET", "/v1/alerts/done")).json["messages"]:  # noqa: ASYNC110 - a server is asked
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)
    assert (len(mails.mails), len(hooks.got)) == (1, 1)
    headers, body = hooks.got[0]
    assert headers["Scrapeyard-Signature"] == signature(SECRET, headers["Scrapeyard-Timestamp"], body)
    (link,) = re.findall(r"http://\S+", mails.texts()[0])
    assert link == json.loads(body)["alarms"][0]["link"] == f"{site.call.base}/jobs/{job}"
    opened = await site.call("GET", link.removeprefix(site.call.base))
    assert opened.status == 200
    assert b"bills" in opened.body
    told = (await site.call("GET", "/v1/alert-log")).json["told"]
    assert sorted((one["channel"], one["state"], one["job"]) for one in told) == [
        ("ops", "sent", job),
        ("pager", "sent", job),
    ]
    found = await site.yard.service.jobs.get(job)
    assert found.state is JobState.CANCELLED


async def test_rules_are_made_tested_paused_and_deleted(site, sinks):
    mails, hooks, _ = sinks
    rule = {"name": "failing", "concern": "errors", "to": ["ops"], "over": 0.3, "job": "nightly-*"}
    assert (await site.call("POST", "/v1/alerts", rule)).status == 201
    assert (await site.call("POST", "/v1/alerts", rule)).json["code"] == "conflict"
    assert (await site.call("POST", "/v1/alerts/failing/test")).json == [{"channel": "ops", "trouble": ""}]
    assert "a test" in mails.texts()[0]
    hooks.status = 500
    (tested,) = (await site.call("POST", "/v1/alerts/pager/test")).json
    assert "500" in tested["trouble"]
    assert (await site.call("POST", "/v1/alerts/failing/pause")).json["paused"] is True
    assert (await site.call("POST", "/v1/alerts/failing/resume")).json["paused"] is False
    shown = await site.call("GET", "/v1/alerts")
    assert [one["rule"]["name"] for one in shown.json] == ["failing"]
    assert SECRET.encode() not in shown.body
    assert (await site.call("DELETE", "/v1/alerts/failing")).status == 200
    assert (await site.call("GET", "/v1/alerts/failing")).status == 404


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"to": ["nobody"]}, 404, "channels.nobody"),
        ({"to": []}, 422, "whom to tell"),
        ({"concern": "weather"}, 400, "concern"),
        ({"name": "a/b"}, 422, "cannot be the name"),
        ({"within": -1}, 422, "span"),
    ],
)
async def test_a_rule_that_cannot_work_is_refused(site, change, status, said):
    rule = {"name": "r", "concern": "done", "to": ["ops"]}
    answer = await site.call("POST", "/v1/alerts", rule | change)
    assert answer.status == status
    assert said in answer.json["detail"] + answer.json.get("field", "")
    assert (await site.call("GET", "/v1/alert-log?after=%0a")).status == 422
