"""Jobs over HTTP: begun, loaded, steered, asked about."""

import asyncio
import zlib

from api.work import a_job, worked
from scrapeyard.model import wire
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.states import JobState, VisitState


def ndjson(first: int, last: int) -> bytes:
    return b"".join(b'{"parcel_id":"P-%06d"}\n' % number for number in range(first, last))


async def begun(site, **more):
    said = await site.call("POST", "/v1/jobs", {"scraper": "test.parcel", "name": "bills", **more})
    assert said.status == 201, said.body
    return said.json["job"]["id"]


async def upload(site, job, **how):
    said = await site.call("POST", f"/v1/jobs/{job}/uploads", how)
    assert said.status == 201, said.body
    return "/v1/uploads/" + said.json["id"]


async def test_a_job_is_begun_loaded_and_shown(site):
    job = await begun(site)
    way = await upload(site, job)
    said = await site.call("PATCH", way, ndjson(0, 2_000), Upload_Offset="0", Upload_Complete="?1")
    assert said.status == 200, said.body
    assert (said.json["rows"], said.json["accepted"], said.json["done"]) == (2_000, 2_000, True)
    shown = await site.call("GET", f"/v1/jobs/{job}")
    status = wire.read(shown.body, JobStatus)
    assert (status.job.state, status.job.total) == (JobState.RUNNING, 2_000)
    assert status.tally.count(VisitState.WAITING) == 2_000
    assert [each["id"] for each in (await site.call("GET", "/v1/jobs?state=running")).json] == [job]
    assert (await site.call("GET", "/v1/jobs?state=completed")).json == []


async def test_an_upload_that_broke_off_goes_on_where_its_last_whole_line_ended(site):
    job = await begun(site)
    way = await upload(site, job)
    whole = ndjson(0, 30_000)
    cut = len(whole) // 2 + 7
    first = await site.call("PATCH", way, whole[:cut], Upload_Offset="0")
    offset = first.json["offset"]
    assert whole[:offset].endswith(b"}\n")
    assert cut - 30 < offset <= cut
    wrong = await site.call("PATCH", way, whole[cut:], Upload_Offset=str(cut))
    assert (wrong.status, wrong.json["code"], wrong.headers["Upload-Offset"]) == (409, "gone_on", str(offset))
    assert (await site.call("GET", way)).json["offset"] == offset
    last = await site.call(
        "PATCH",
        way,
        whole[offset:],
        Upload_Offset=str(offset),
        Upload_Complete="?1",
        Upload_Crc32=str(zlib.crc32(whole)),
    )
    assert (last.status, last.json["accepted"], last.json["duplicates"]) == (200, 30_000, 0)


async def test_a_list_that_arrived_otherwise_than_it_was_sent_is_not_sealed(site):
    job = await begun(site)
    way = await upload(site, job)
    said = await site.call("PATCH", way, ndjson(0, 3), Upload_Offset="0", Upload_Complete="?1", Upload_Crc32="1")
    assert (said.status, said.json["code"]) == (460, "checksum")
    assert (await site.call("GET", f"/v1/jobs/{job}")).json["job"]["state"] == "loading"


async def test_csv_with_line_ends_in_its_cells_and_columns_of_other_names(site):
    job = await begun(site)
    way = await upload(site, job, format="csv", columns={"parcel_id": "Parcel No"})
    body = b"Parcel No,Remark\r\n" + b"".join(
        b'%05d,"two\r\nlines, ""quoted"""\r\n' % number for number in range(60_000)
    )
    said = await site.call("PATCH", way, body, Upload_Offset="0", Upload_Complete="?1")
    assert (said.status, said.json["rows"], said.json["accepted"]) == (200, 60_000, 60_000), said.body
    shown = await site.call("GET", f"/v1/jobs/{job}/item?key=00042")
    assert shown.json["item"]["inputs"]["parcel_id"] == "00042"


async def test_bad_rows_are_refused_or_told_with_their_lines(site):
    body = b'{"parcel_id":"a"}\n{"parcel_id":"b","year":"soon"}\nnonsense\n{"parcel_id":"c"}\n'
    strict = await upload(site, await begun(site))
    said = await site.call("PATCH", strict, body, Upload_Offset="0", Upload_Complete="?1")
    assert (said.status, said.json["code"]) == (422, "bad_input")
    assert "Line 2" in said.json["detail"]
    lenient = await upload(site, await begun(site, name="other"), on_bad_row="skip")
    said = await site.call("PATCH", lenient, body, Upload_Offset="0", Upload_Complete="?1")
    assert (said.json["accepted"], said.json["rejected"]) == (2, 2)
    assert [bad["number"] for bad in said.json["bad"]] == [2, 3]


async def test_the_same_wish_twice_is_one_job(site):
    wish = {"scraper": "test.parcel", "name": "once", "fresh": True}
    first, second = [await site.call("POST", "/v1/jobs", wish, Idempotency_Key="k1") for _ in range(2)]
    assert first.json == second.json
    other = await site.call("POST", "/v1/jobs", {**wish, "name": "else"}, Idempotency_Key="k1")
    assert (other.status, other.json["code"]) == (409, "key_reused")
    assert len((await site.call("GET", "/v1/jobs")).json) == 1


async def test_a_job_is_steered_and_its_policy_changed_field_by_field(site):
    job = await begun(site, policy={"priority": 7})
    way = await upload(site, job)
    await site.call("PATCH", way, ndjson(0, 5), Upload_Complete="?1")
    paused = await site.call("POST", f"/v1/jobs/{job}/pause", {"reason": "the county called"})
    assert (paused.json["state"], paused.json["reason"]) == ("paused", "the county called")
    changed = await site.call("PATCH", f"/v1/jobs/{job}/policy", {"rate": 0.5})
    assert (changed.json["policy"]["rate"], changed.json["policy"]["priority"]) == (0.5, 7)
    assert (await site.call("POST", f"/v1/jobs/{job}/resume")).json["state"] == "running"
    assert (await site.call("POST", f"/v1/jobs/{job}/cancel", {})).json["state"] == "cancelled"
    late = await site.call("POST", f"/v1/jobs/{job}/resume")
    assert (late.status, late.json["code"]) == (409, "conflict")


async def test_items_are_listed_in_pages(site):
    job = await begun(site)
    await site.call("PATCH", await upload(site, job), ndjson(0, 25), Upload_Complete="?1")
    seen, after = [], -1
    while after is not None:
        page = (await site.call("GET", f"/v1/jobs/{job}/items?limit=10&after={after}")).json
        seen += [item["key"] for item in page["items"]]
        after = page["after"]
    assert seen == [f"P-{number:06}" for number in range(25)]
    one = await site.call("GET", f"/v1/jobs/{job}/items?key=P-000003&state=waiting")
    assert [item["seq"] for item in one.json["items"]] == [3]


async def test_what_is_wrong_is_said_as_a_problem_with_its_field(site):
    for method, path, body, status, code, field in [
        ("POST", "/v1/jobs", {"scraper": 7}, 400, "bad_json", "scraper"),
        ("POST", "/v1/jobs", b"{", 400, "bad_json", ""),
        ("POST", "/v1/jobs", {"scraper": "nobody"}, 404, "not_found", ""),
        ("POST", "/v1/jobs", {"scraper": "test.parcel", "policy": {"priority": 99}}, 422, "bad_input", ""),
        ("POST", "/v1/jobs", b" " * (2 << 20), 413, "too_large", ""),
        ("GET", "/v1/jobs/nobody", None, 404, "not_found", ""),
        ("GET", "/v1/jobs?limit=many", None, 422, "bad_input", "limit"),
        ("GET", "/v1/jobs?lemon=1", None, 422, "bad_input", "lemon"),
        ("GET", "/v1/uploads/..%2f", None, 404, "not_found", ""),
        ("PUT", "/v1/jobs", None, 405, "method", ""),
        ("GET", "/v1/lemons", None, 404, "not_found", ""),
    ]:
        said = await site.call(method, path, body)
        assert (said.status, said.json["code"]) == (status, code), (path, said.body)
        assert said.json.get("field", "") == field, said.body
        assert said.headers["Content-Type"] == "application/problem+json"


async def test_many_callers_at_once_get_each_their_own(site):
    jobs = await asyncio.gather(*(begun(site, name=f"job {number}") for number in range(12)))
    assert len(set(jobs)) == 12


async def test_a_job_is_cloned_whole_or_in_part_and_once_for_each_wish(site):
    job = await a_job(site, *(f"P{number}" for number in range(2_500)))
    await worked(site, job, {"P7": {"state": VisitState.FAILED, "kind": "blocked"}, "P8": {}})
    whole = await site.call("POST", f"/v1/jobs/{job.id}/clone", {"name": "again", "policy": {"priority": 9}})
    assert (whole.status, whole.json["items"]) == (201, 2_500)
    assert (whole.json["job"]["state"], whole.json["job"]["policy"]["priority"]) == ("running", 9)
    part = {"name": "the bad ones", "selection": {"states": ["failed"]}}
    twice = [await site.call("POST", f"/v1/jobs/{job.id}/clone", part, Idempotency_Key="k") for _ in range(2)]
    assert twice[0].json == twice[1].json
    assert twice[0].json["items"] == 1
    found = await site.call("GET", f"/v1/jobs/{twice[0].json['job']['id']}/items")
    assert [item["key"] for item in found.json["items"]] == ["P7"]
    assert len((await site.call("GET", "/v1/jobs")).json) == 3
    none = await site.call("POST", f"/v1/jobs/{job.id}/clone", {"selection": {"kinds": ["timeout"]}})
    assert (none.status, none.json["code"]) == (422, "bad_input")


async def test_a_wish_that_was_fulfilled_but_not_answered_is_not_fulfilled_twice(site):
    wish = {"scraper": "test.parcel", "name": "once", "fresh": True}
    first = await site.call("POST", "/v1/jobs", wish, Idempotency_Key="k1")
    for memo in await site.yard.ledger.memos.under("once/"):  # as if the controller had died before it wrote that down
        await site.yard.ledger.memos.keep(memo.name, b"", seen=memo)
    again = await site.call("POST", "/v1/jobs", wish, Idempotency_Key="k1")
    assert again.json["job"]["id"] == first.json["job"]["id"]
    assert len((await site.call("GET", "/v1/jobs")).json) == 1


async def test_a_key_s_text_is_told_once(site):
    admin = site.call.with_key(await site.key())
    asked = {"name": "nightly", "scopes": ["submit"]}
    made = await admin("POST", "/v1/keys", asked, Idempotency_Key="k")
    again = await admin("POST", "/v1/keys", asked, Idempotency_Key="k")
    assert (made.status, again.status, again.json["code"]) == (201, 409, "conflict")
    assert made.json["key"]["id"] in again.json["detail"]


async def test_a_slip_of_the_pen_in_a_wish_is_refused(site):
    said = await site.call("POST", "/v1/jobs", {"scraper": "test.parcel", "polcy": {"rate": 1}})
    assert (said.status, said.json["code"]) == (400, "bad_json")
    assert "polcy" in said.json["detail"]
