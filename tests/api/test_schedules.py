"""Schedules over HTTP, and a controller that lets their jobs begin."""

import asyncio

import pytest


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"clerk": settings.clerk.model_copy(update={"look": 0.05})})


async def test_a_schedule_is_made_runs_and_is_deleted(site):
    listed = await site.call("POST", "/v1/lists", b"parcel_id\nP-1\nP-2\n")
    assert (listed.status, listed.json["size"]) == (201, 18)
    plan = {"name": "nightly", "cron": "0 2 * * *", "scraper": "test.parcel", "list": listed.json["list"]}
    made = await site.call("POST", "/v1/schedules", plan, Idempotency_Key="k")
    assert made.status == 201, made.body
    again = await site.call("POST", "/v1/schedules", plan, Idempotency_Key="k")
    assert again.json == made.json
    assert (await site.call("POST", "/v1/schedules", plan)).json["code"] == "conflict"
    assert [one["schedule"]["name"] for one in (await site.call("GET", "/v1/schedules")).json] == ["nightly"]
    assert (await site.call("POST", "/v1/schedules/nightly/pause")).json["upcoming"] is None
    assert (await site.call("POST", "/v1/schedules/nightly/run")).json["waiting"]
    async with asyncio.timeout(60):
        while not (shown := await site.call("GET", "/v1/schedules/nightly")).json["recent"]:  # noqa: ASYNC110 - a server is asked
            await asyncio.sleep(0.1)
    (began,) = shown.json["recent"]
    job = (await site.call("GET", f"/v1/jobs/{began['job']}")).json["job"]
    assert (job["state"], job["total"], job["source"]) == ("running", 2, "schedule nightly")
    assert (await site.call("POST", "/v1/schedules/nightly/resume")).json["paused"] is False
    assert (await site.call("DELETE", "/v1/schedules/nightly")).status == 200
    assert (await site.call("GET", "/v1/schedules/nightly")).status == 404


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cron": "soon"}, "five fields"),
        ({"timezone": "Nowhere"}, "time zone"),
        ({"scraper": "nobody"}, "nobody"),
        ({"file": ""}, "exactly one"),
        ({"name": "../x"}, "cannot be the name"),
        ({"items": {"job": "gone"}, "file": ""}, "gone"),
        ({"policy": {"priority": 77}}, "priority"),
        ({"overlap": "never"}, "overlap"),
    ],
)
async def test_a_schedule_that_cannot_work_is_refused(site, change, said):
    plan = {"name": "n", "cron": "0 2 * * *", "scraper": "test.parcel", "file": "parcels.csv"}
    answer = await site.call("POST", "/v1/schedules", plan | change)
    assert answer.status in (400, 404, 422)
    assert said in answer.json["detail"] + answer.json.get("field", "")
    assert (await site.call("GET", "/v1/schedules")).json == []
