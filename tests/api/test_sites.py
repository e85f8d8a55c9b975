"""Sites and proxies over HTTP, and files that are passed on by an address."""

from urllib.parse import urlencode, urlsplit

import msgspec

from api.work import a_job, page, worked
from scrapeyard.dispatcher.exits import Exits
from scrapeyard.model.fleet import OutcomeNote


async def test_a_site_is_shown_held_and_released(site):
    await a_job(site, "a")
    (found,) = (await site.call("GET", "/v1/sites")).json
    assert (found["name"], found["rate"], found["scrapers"]) == ("county", None, ["test.parcel"])
    assert [job["name"] for job in found["jobs"]] == ["bills"]
    held = await site.call("POST", "/v1/sites/county/hold", {"reason": "maintenance"})
    assert (held.json["hold"]["reason"], held.json["hold"]["by"]) == ("maintenance", "this machine")
    assert (await site.call("GET", "/v1/sites/county")).json["hold"] is not None
    assert (await site.call("POST", "/v1/sites/county/release")).json["hold"] is None
    missing = await site.call("POST", "/v1/sites/contry/hold", {})
    assert (missing.status, missing.json["code"]) == (404, "not_found")
    assert "county" in missing.json["detail"]
    long = await site.call("POST", "/v1/sites/county/hold", {"reason": "x" * 501})
    assert (long.status, long.json["code"]) == (422, "bad_input")


async def test_how_proxies_fared_outlives_the_dispatcher_that_heard_it(site):
    for _ in range(2):  # one leads after the other
        exits = Exits(site.yard.ledger.memos, site.yard.clock)
        exits.hear([OutcomeNote("j", n, "county", "isp", 1, "succeeded", None, 5, proxy="p1") for n in range(3)])
        exits.hear([OutcomeNote("j", 9, "county", "isp", 1, "failed", "blocked", 5, proxy="p2")])
        exits.hear([OutcomeNote("j", 10, "county", "direct", 1, "succeeded", None, 5)])
        await exits.keep()
    told = (await site.call("GET", "/v1/proxies")).json
    assert [(one["proxy"], one["tries"], one["good"], one["failed"]) for one in told] == [
        ("p1", 6, 6, {}),
        ("p2", 2, 0, {"blocked": 2}),
    ]


async def test_an_address_of_a_kept_page_is_good_for_that_page_and_not_for_long(site):
    job = await a_job(site, "a", "b")
    await worked(site, job, {"a": {"pages": [page("<p>a")]}, "b": {"pages": [page("<p>b")]}})
    key = await site.key()
    given = (await site.call.with_key(key)("GET", f"/v1/jobs/{job.id}/link?key=a")).json
    where = urlsplit(given["url"])
    fetched = await site.call("GET", f"{where.path}?{where.query}")
    assert (fetched.status, fetched.body) == (200, b"<p>a")
    assert fetched.headers["Content-Disposition"].startswith("attachment")
    assert "sandbox" in fetched.headers["Content-Security-Policy"]
    query = dict(part.split("=", 1) for part in where.query.split("&"))
    for change in ({"key": "b"}, {"until": "99999999999"}, {"proof": "0" * 64}, {"name": "other"}):
        refused = await site.call("GET", f"{where.path}?{urlencode({**query, **change})}")
        assert (refused.status, b"<p>" in refused.body) == (403, False)
    kept = await site.yard.ledger.memos.recall("link/secret")
    assert msgspec.json.encode(kept.body.hex()) not in fetched.body
