"""Who is let in, and to what."""

import pytest

from scrapeyard.model.errors import Refused
from scrapeyard.settings import ApiSettings
from scrapeyard.wiring import open_yard
from scrapeyard.wiring.serving import Controller


async def test_without_any_key_only_this_machine_is_served(site, settings):
    assert (await site.call("GET", "/v1/jobs")).status == 200
    everywhere = settings.model_copy(update={"api": ApiSettings(host="0.0.0.0", port=0)})
    async with open_yard(everywhere) as yard:
        with pytest.raises(Refused, match="keys create"):
            await Controller(yard).open()
        await site.key()
        await Controller(yard).open()


async def test_from_the_first_key_on_every_request_needs_one(site):
    key = await site.key()
    for given, status in (
        ("", 401),
        ("sy_00000000_" + "a" * 43, 401),
        ("nonsense", 401),
        (key[:-1] + "~", 401),
        (key, 200),
    ):
        said = await site.call.with_key(given)("GET", "/v1/jobs")
        assert said.status == status, given
        assert status == 200 or said.json["code"] == "no_key"
    assert (await site.call("GET", "/healthz")).status == 200


async def test_a_key_is_good_until_it_expires_or_is_revoked(site):
    admin = site.call.with_key(await site.key())
    made = await admin("POST", "/v1/keys", {"name": "nightly", "scopes": ["submit"], "lasts": 0.000001})
    assert (await admin.with_key(made.json["text"])("GET", "/v1/jobs")).status == 401
    made = await admin("POST", "/v1/keys", {"name": "nightly", "scopes": ["submit"]})
    nightly = admin.with_key(made.json["text"])
    assert (await nightly("GET", "/v1/jobs")).status == 200
    assert (await admin("DELETE", f"/v1/keys/{made.json['key']['id']}")).json["revoked"] is not None
    assert (await nightly("GET", "/v1/jobs")).status == 401
    listed = (await admin("GET", "/v1/keys")).body
    assert made.json["text"].encode() not in listed
    assert b"digest" not in listed


async def test_who_tries_wrong_keys_must_wait(site):
    good = await site.key()
    wrong = site.call.with_key("sy_00000000_" + "a" * 43)
    statuses = [(await wrong("GET", "/v1/jobs")).status for _ in range(15)]
    assert statuses[:9] == [401] * 9
    assert statuses[-1] == 429
    said = await wrong("GET", "/v1/jobs")
    assert int(said.headers["Retry-After"]) > 0
    assert (await site.call.with_key(good)("GET", "/v1/jobs")).status == 429  # the address waits, whatever it says


async def test_two_keys_live_side_by_side_until_the_old_one_is_revoked_and_each_tells_when_it_was_used(site):
    old = await site.key()
    admin = site.call.with_key(old)
    made = (await admin("POST", "/v1/keys", {"name": "next", "scopes": ["admin"]})).json
    new = site.call.with_key(made["text"])
    listed = {key["id"]: key for key in (await new("GET", "/v1/keys")).json}
    (other,) = set(listed) - {made["key"]["id"]}
    assert listed[other]["used"] is not None
    itself = await new("DELETE", f"/v1/keys/{made['key']['id']}")
    assert (itself.status, itself.json["code"]) == (409, "conflict")
    assert (await admin("GET", "/v1/jobs")).status == 200
    assert (await new("DELETE", f"/v1/keys/{other}")).status == 200
    assert (await admin("GET", "/v1/jobs")).status == 401
    assert {key["id"]: key["used"] is not None for key in (await new("GET", "/v1/keys")).json}[made["key"]["id"]]
