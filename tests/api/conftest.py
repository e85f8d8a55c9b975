"""A real server over a real ledger, on a free port of this machine, and a caller who may or may not have a key."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp
import pytest

from scrapeyard.controller.access.keys import Keys
from scrapeyard.model.access import Scope
from scrapeyard.settings import ApiSettings, Settings
from scrapeyard.wiring import Yard, open_yard
from scrapeyard.wiring.serving import Controller

SCRAPER = """
from scrapeyard import Http, Inputs, Page, scraper


class Parcel(Inputs):
    parcel_id: str
    year: int = 2024


@scraper("test.parcel", site="county", key=["parcel_id"], expect=["page"], rate=None)
async def parcel(item: Parcel, http: Http) -> Page:
    return await http.get("http://127.0.0.1:9/" + item.parcel_id)
"""


class Said(NamedTuple):
    """What came back."""

    status: int
    json: Any
    headers: Any
    body: bytes


class Caller:
    """Calls one server, with a key or without."""

    def __init__(self, http: aiohttp.ClientSession, base: str, key: str = "") -> None:
        self.http = http
        self.base = base
        self.key = key

    def with_key(self, key: str) -> "Caller":
        return Caller(self.http, self.base, key)

    async def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Said:
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        async with self.http.request(method, self.base + path, data=data, headers=headers) as answer:
            found = await answer.read()
            kind = answer.headers.get("Content-Type", "")
            return Said(answer.status, json.loads(found) if "json" in kind and found else None, answer.headers, found)


class Site(NamedTuple):
    """One server with what is behind it."""

    yard: Yard
    call: Caller
    keys: Keys
    app: Any = None

    async def key(self, *scopes: Scope, **more: Any) -> str:
        """The text of a new key."""
        return (await self.keys.create("test", scopes or (Scope.ADMIN,), **more))[1]


@asynccontextmanager
async def served(settings: Settings) -> AsyncGenerator[Site]:
    async with open_yard(settings) as yard, aiohttp.ClientSession() as http:
        server = Controller(yard)
        await server.open()
        running = asyncio.create_task(server.run())
        try:
            assert server._server is not None
            app = server._server.config.app
            yield Site(yard, Caller(http, server.address), Keys(yard.ledger.memos, yard.clock), app)
        finally:
            server.stop()
            await running


@pytest.fixture
def settings(tmp_path) -> Settings:
    module = tmp_path / "scrapers" / "parcel.py"
    module.parent.mkdir()
    module.write_text(SCRAPER)
    return Settings(data=tmp_path / "data", scrapers=(str(module),), api=ApiSettings(port=0))


@pytest.fixture
async def site(settings) -> AsyncGenerator[Site]:
    async with served(settings) as found:
        yield found
