"""A controller with its dashboard over a yard whose one job has items of many outcomes, some of them hostile."""

import asyncio
from collections.abc import AsyncGenerator

import aiohttp
import pytest

from api.conftest import SCRAPER, Caller, Site
from scrapeyard.controller.access.keys import Keys
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.policy import Policy
from scrapeyard.settings import ApiSettings, Settings
from scrapeyard.wiring import open_yard
from scrapeyard.wiring.serving import Controller

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.fixture
async def board(tmp_path) -> AsyncGenerator[Site]:
    module = tmp_path / "scrapers" / "parcel.py"
    module.parent.mkdir()
    module.write_text(SCRAPER)
    settings = Settings(data=tmp_path / "data", scrapers=(str(module),), api=ApiSettings(port=0))
    async with open_yard(settings) as yard, aiohttp.ClientSession() as http:
        desk, card = yard.service.jobs, yard.scrapers.find("test.parcel")
        opened = await desk.open(JobOrder("town", card, Policy(), "list.csv"))
        check = yard.scrapers.load(card.ref).check_inputs
        rows = [{"parcel_id": str(place)} for place in range(60)] + [{"parcel_id": HOSTILE}]
        await desk.load(opened.job.id, [NewItem(*check(row)) for row in rows])
        await desk.seal(opened.job.id)
        server = Controller(yard)
        await server.open()
        running = asyncio.create_task(server.run())
        try:
            yield Site(yard, Caller(http, server.address), Keys(yard.ledger.memos, yard.clock))
        finally:
            server.stop()
            await running
