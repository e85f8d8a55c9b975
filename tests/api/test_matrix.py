"""Every way in, tried by everybody who must not come in: made from the routes of the application itself."""

import pytest

from api.conftest import served
from api.work import a_job, page, worked
from scrapeyard.controller.api.examples import BODIES
from scrapeyard.model.access import Scope
from scrapeyard.settings import ApiSettings

OPEN = {"GET /healthz", "GET /readyz", "GET /v1/linked", "GET /metrics"}
"""Ways in for everybody; the third wants a signature instead of a key."""
DOORS = {"GET /openapi.json", "GET /login", "POST /login", "POST /logout", "GET /"}
"""Pages and forms that lead to the login, and the description, which holds no data."""
SECRET = "the-parcel-that-nobody-may-see"
NAMES = {
    "job": "bills",
    "upload": "none",
    "key": "none",
    "scraper": "test.parcel",
    "site": "county",
    "schedule": "none",
}
QUERY = "?key=" + SECRET + "&seconds=0"
ALLOWS = {
    Scope.READ: {Scope.READ},
    Scope.SUBMIT: {Scope.READ, Scope.SUBMIT},
    Scope.OPERATE: {Scope.READ, Scope.OPERATE},
    Scope.ADMIN: set(Scope),
}


def filled(path, names):
    for name, value in names.items():
        path = path.replace("{" + name + "}", value)
    return path


def query_of(operation):
    known = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
    asked = {"key": SECRET, "seconds": "0"}
    return "&".join(f"{name}={value}" for name, value in asked.items() if name in known)


@pytest.fixture
async def guarded(settings):
    """A controller with something to hide, and its described operations."""
    settings = settings.model_copy(update={"api": ApiSettings(port=0, wrong_keys=1_000_000)})
    async with served(settings) as site:
        job = await a_job(site, SECRET, "other")
        await worked(site, job, {SECRET: {"pages": [page(SECRET)]}})
        described = site.app.openapi()["paths"]
        operations = {
            f"{verb.upper()} {path}": each for path, verbs in described.items() for verb, each in verbs.items()
        }
        yield site, operations


async def test_examples_belong_to_operations(guarded):
    _, operations = guarded
    assert set(BODIES) <= set(operations)


async def test_every_route_is_in_the_matrix(guarded):
    site, operations = guarded
    assert {name for name, each in operations.items() if "security" not in each} <= OPEN
    known = set(operations) | DOORS | OPEN
    pages = set()
    for route in site.app.routes:
        for method in getattr(route, "methods", None) or ():
            if method not in ("HEAD", "OPTIONS") and f"{method} {route.path}" not in known:
                pages.add((method, route.path))
    assert not [path for _, path in pages if path.startswith("/v1")], "an operation that is not described"
    await site.key()
    for method, path in sorted(pages):
        if path.startswith(("/docs", "/redoc")):
            raise AssertionError("a page of the framework is served")
        said = await site.call.http.request(method, site.call.base + filled(path, NAMES) + QUERY, allow_redirects=False)
        assert said.status == 303, (method, path, said.status)
        assert SECRET not in (await said.text())


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_key_opens_what_its_scope_allows_and_nothing_else(guarded, scope):
    site, operations = guarded
    call = site.call.with_key(await site.key(scope))
    tried = 0
    for name, operation in operations.items():
        if "security" not in operation:
            continue
        wanted = Scope(operation["description"].rpartition("Scope: `")[2].partition("`")[0])
        if wanted in ALLOWS[scope] and wanted is not Scope.READ:
            continue  # what it may do is done by other tests
        method, path = name.split(" ")
        said = await call(method, f"{filled(path, NAMES)}?{query_of(operation)}", BODIES.get(name, {}))
        assert (said.status == 403) is (wanted not in ALLOWS[scope]), (name, said.body)
        if wanted not in ALLOWS[scope]:
            assert said.json["code"] == "not_allowed"
            assert SECRET.encode() not in said.body
        tried += 1
    assert tried >= 20


@pytest.mark.parametrize("kind", ["none", "nonsense", "wrong", "expired", "revoked"])
async def test_a_key_that_is_none_opens_nothing(guarded, kind):
    site, operations = guarded
    key, text = await site.keys.create("old", (Scope.ADMIN,), lasts=0.000001 if kind == "expired" else None)
    if kind == "revoked":
        await site.keys.revoke(key.id)
    given = {"none": "", "nonsense": "let me in", "wrong": text[:-4] + "0000"}.get(kind, text)
    call = site.call.with_key(given)
    for name, operation in operations.items():
        if "security" in operation:
            method, path = name.split(" ")
            said = await call(method, f"{filled(path, NAMES)}?{query_of(operation)}", BODIES.get(name, {}))
            assert (said.status, said.json["code"]) == (401, "no_key"), (name, said.body)
            assert SECRET.encode() not in said.body


async def test_the_name_of_a_thing_that_is_not_there_is_not_found(guarded):
    site, operations = guarded
    call = site.call.with_key(await site.key(Scope.ADMIN))
    foreign = dict.fromkeys(NAMES, "zzzzzzzzzzzz")
    tried = 0
    for name, operation in operations.items():
        method, path = name.split(" ")
        if "security" in operation and "{" in path:
            said = await call(method, f"{filled(path, foreign)}?{query_of(operation)}", BODIES.get(name, {}))
            assert (said.status, said.json["code"]) == (404, "not_found"), (name, said.body)
            assert SECRET.encode() not in said.body
            tried += 1
    assert tried >= 20
