"""Who is let in, and to what."""

import pytest

from scrapeyard.model.access import Scope
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


@pytest.mark.parametrize("scope", list(Scope))
async def test_each_operation_wants_its_scope_and_gives_nothing_without(site, scope):
    admin = await site.key()
    call = site.call.with_key(await site.key(scope))
    job = (await site.call.with_key(admin)("POST", "/v1/jobs", {"scraper": "test.parcel"})).json["job"]["id"]
    described = (await site.call("GET", "/openapi.json")).json
    tried = 0
    for path, verbs in described["paths"].items():
        for verb, operation in verbs.items():
            if "security" not in operation:
                continue
            wanted = Scope(operation["description"].split("Scope: `")[1].split("`")[0])
            said = await call(verb.upper(), path.replace("{job}", job).replace("{", "").replace("}", ""), {})
            allowed = scope is Scope.ADMIN or scope is wanted or wanted is Scope.READ
            assert (said.status == 403) is not allowed, (verb, path, said.body)
            assert allowed or said.json["code"] == "not_allowed"
            tried += 1
    assert tried >= 20


async def test_who_tries_wrong_keys_must_wait(site):
    good = await site.key()
    wrong = site.call.with_key("sy_00000000_" + "a" * 43)
    statuses = [(await wrong("GET", "/v1/jobs")).status for _ in range(15)]
    assert statuses[:9] == [401] * 9
    assert statuses[-1] == 429
    said = await wrong("GET", "/v1/jobs")
    assert int(said.headers["Retry-After"]) > 0
    assert (await site.call.with_key(good)("GET", "/v1/jobs")).status == 429  # the address waits, whatever it says
