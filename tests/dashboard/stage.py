"""A bad day, as the dashboard shows it: one job that a wall has stopped, one that is done; and a browser."""

import random
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from playwright.async_api import Browser, async_playwright

from api.conftest import Site
from api.work import a_job, page, worked
from scrapeyard.model.breaker import Cause, Phase
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.evidence import Evidence, Exhibit, Witness
from scrapeyard.model.fleet import RunningNote, WorkerReport
from scrapeyard.model.gate import ClosedGate, GateName, JobView, WayView
from scrapeyard.model.job import Job
from scrapeyard.model.pace import Pace
from scrapeyard.model.series import Series, series_place
from scrapeyard.model.site import SEEN, ProxyView
from scrapeyard.model.states import JobState, VisitState

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".tools" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
BILL = "<!doctype html><title>Bill</title><h1>Tax bill {key}</h1><p>Owner: A. Miller<p>Due: $1,204.50"
WALL = "<!doctype html><title>Access denied</title><h1>Access denied</h1><p>Your request looks automated."


@asynccontextmanager
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        found = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield found
        finally:
            await found.close()


async def bad_day(site: Site, *, items: int = 60) -> Job:
    """A job that was done yesterday, and one that a wall has stopped today."""
    keys = [f"12-{number:04}-001" for number in range(items)]
    earlier = await a_job(site, *keys[:10], name="Leon tax bills, October")
    await worked(site, earlier, {key: _good(key, "1,150.00") for key in keys[:10]})
    for to, came in ((JobState.FINALIZING, JobState.RUNNING), (JobState.COMPLETED, JobState.FINALIZING)):
        await site.yard.ledger.jobs.advance(earlier.id, to, (came,), now=site.yard.clock.now())
    job = await a_job(site, *keys, name="Leon tax bills")
    ends: dict[str, dict[str, Any]] = {key: _good(key, "1,204.50") for key in keys[: items // 2]}
    for place, key in enumerate(keys[items // 2 : items - items // 6]):
        if place % 5 == 4:
            ends[key] = {"state": VisitState.ABSENT}
        else:
            reason = "A wall of the kind Imperva asks whether we are a person."
            ends[key] = {
                "state": VisitState.FAILED,
                "kind": "blocked",
                "reason": reason,
                "pages": [page(WALL, "search")],
            }
    await worked(site, job, ends)
    await _story(site, job, [key for key, end in ends.items() if end.get("kind")])
    return job


def _good(key: str, amount: str) -> dict[str, Any]:
    record = msgspec.json.encode({"parcel_id": key, "owner": "A. Miller", "amount": amount, "year": 2026})
    return {"pages": [page(BILL.format(key=key))], "records": [("Bill", record)]}


async def _story(site: Site, job: Job, failed: list[str]) -> None:
    memos, now, dice = site.yard.ledger.memos, site.yard.clock.now(), random.Random(7)
    series = Series(now - 1_200, 20.0)
    for stretch in range(60):
        good = dice.randint(30, 44) if stretch < 44 else dice.randint(0, 3)
        bad = dice.randint(0, 3) if stretch < 42 else dice.randint(18, 30) if stretch < 46 else 0
        counts = {"succeeded": good, "absent": good // 8, "failed": bad, "retried": bad // 2}
        series = series.heard(now - 1_200 + stretch * 20, {name: count for name, count in counts.items() if count})
    await memos.keep(series_place(job.id), msgspec.json.encode(series), seen=None)
    proxies = [ProxyView("home-7", 640, 611, {"blocked": 29}, now), ProxyView("office-2", 88, 9, {"blocked": 79}, now)]
    await memos.keep(SEEN, msgspec.json.encode(proxies), seen=None)
    await tripped(site, job, failed)
    why = "22 of 24 first tries were blocked"
    gate = ClosedGate(GateName.BREAKER, f"County is closed because {why}. 20 probes try it in 60 s.", now + 60)
    way = WayView("direct", Phase.OPEN, now, now + 60, why)
    view = JobView(job.id, now + 3_600, (gate,), running=1, pace=Pace(workers=1, slots=16), ways=(way,))
    await site.yard.fleet.show([view])
    notes = (RunningNote(job.id, 3, "12-0003-001", now - 4),)
    await site.yard.fleet.report(
        WorkerReport(worker="w1", number=1, lane="http", slots=16, free=15, running=notes, rss=210 << 20)
    )


async def tripped(site: Site, job: Job, failed: list[str]) -> None:
    """A breaker has closed the way to the job's site."""
    now = site.yard.clock.now()
    seen = tuple(
        Witness(n, now - 40 + n, "blocked" if n > 9 else "succeeded", 900, 1, "w1", failed=n > 9) for n in range(32)
    )
    exhibits = tuple(Exhibit(key, "blocked", "A wall asks whether we are a person.", ("search",)) for key in failed[:3])
    found = Evidence(
        Cause.FAILURES, "direct", 22, 24, {"blocked": 22}, 399_210,
        "Going on would have brought about 380,000 blocked items.", seen, exhibits, now + 60,
    )  # fmt: skip
    words = f"{job.site.name} is closed because 22 of 24 first tries were blocked. 20 probes try it in 60 s."
    event = Event(event_id(now, 0.5), now, "breaker_tripped", words, job.id, job.site.name, msgspec.json.encode(found))
    await site.yard.ledger.events.add([event])
