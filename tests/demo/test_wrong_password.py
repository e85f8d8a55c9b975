"""With a wrong password a job stands behind a gate that says so; no item pays for it, and hardly any try is made."""

import asyncio

import msgspec
import pytest

from scrapeyard.demo.outside import Ground
from scrapeyard.demo.run import run_demo
from scrapeyard.demo.scene import QUICK, Ending, Scene
from scrapeyard.model.gate import GateName
from scrapeyard.model.states import JobState
from scrapeyard.settings import ListedProxies, Settings, TierSettings
from scraping.servers import socks5

PARCELS = 600
TUNNEL = """
import os

from scrapeyard import Http, Inputs, Page, scraper


class Parcel(Inputs):
    parcel_id: str


@scraper("test.tunnel", site="county.example", rate=None, expect=["page"])
async def visit(parcel: Parcel, http: Http) -> Page:
    return await http.get(os.environ["COUNTY_URL"].replace("http:", "https:") + "/detail?parcel=" + parcel.parcel_id)
"""


class Watching:
    """Follows the job to its end, whatever that is."""

    def say(self, text):
        pass

    async def follow(self, yard, job, work):
        while True:
            status = await yard.service.jobs.status(job.id)
            if status.job.state is JobState.CANCELLED:
                return status
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("scheme", ["http", "tunnel", "socks5"])
async def test_a_wrong_password_closes_a_gate_and_is_no_failure_of_any_item(tmp_path, monkeypatch, scheme):
    tunnel = tmp_path / "tunnel.py"
    tunnel.write_text(TUNNEL)
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("SCRAPEYARD_SECRET_TYPED", "wr0ng-password")
    seen = {}

    async def settings(world):
        urls = tuple(f"http://{proxy['address']}" for proxy in await world.proxies("datacenter"))
        if scheme == "socks5":
            urls = (f"socks5://127.0.0.1:{way.port}",)
        listed = ListedProxies(kind="list", urls=urls, username="demo", password="secret://typed")
        changed = {"proxies": {"mine": listed}, "tiers": {"datacenter": TierSettings(proxies="mine")}}
        return changed | ({"scrapers": (str(tunnel),)} if scheme == "tunnel" else {})

    async def script(play):
        status = await play.until(lambda status: any(gate.gate is GateName.PROXIES for gate in status.gates))
        seen["gate"] = status.gates[0]
        await play.until(lambda status: status.tally.attempts > 0)  # told on the fleet before they are recorded
        seen["items"] = await play.yard.ledger.items.page(play.job.id, after=-1, limit=1_000)
        attempts = play.yard.ledger.items.attempts
        seen["tries"] = [one for item in seen["items"] for one in await attempts(play.job.id, item.seq)]
        await play.yard.service.jobs.cancel(play.job.id, "seen enough")
        return Ending()

    policy = msgspec.structs.replace(QUICK, tiers=("datacenter",))
    scraper = "test.tunnel" if scheme == "tunnel" else "county.plain"
    scene = Scene("typed", "", scraper, Ground(PARCELS, datacenter=3), script, policy, settings=settings)
    async with socks5("demo", "another") as way:
        await run_demo(Settings(data=tmp_path), scene, Watching())
    assert "refuse our user name or password" in seen["gate"].reason
    assert seen["gate"].until is not None
    assert {attempt.kind for attempt in seen["tries"]} == {"proxy_auth"}
    assert all(item.attempts == 0 for item in seen["items"])
    print(f"{scheme}: {len(seen['tries'])} tries of {len(seen['items'])} items before the gate closed")
    assert len(seen["tries"]) <= 100
