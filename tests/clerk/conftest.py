"""A deployment with a scraper and a clerk or two in it, on a clock that stands still until a test moves it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from controller.desk import Desk
from scrapeyard.controller.clerk.clerk import ROLE, Clerk
from scrapeyard.controller.clerk.occasion import Office
from scrapeyard.controller.clerk.schedules import Schedules
from scrapeyard.controller.clerk.sources import Lists
from scrapeyard.controller.service.jobs import LocalJobs
from scrapeyard.dispatcher.leadership import Leadership
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Policy
from scrapeyard.model.schedule import Schedule, ScheduleView
from scrapeyard.model.states import VisitState
from scrapeyard.ports.ledger import Ledger

SCRAPER = """
from scrapeyard import Http, Inputs, Page, scraper


class Parcel(Inputs):
    parcel_id: str


@scraper("test.parcel", site="county", key=["parcel_id"], expect=["page"], rate=None)
async def parcel(item: Parcel, http: Http) -> Page:
    return await http.get("http://127.0.0.1:9/" + item.parcel_id)
"""


class Service(Desk):
    """A deployment in which clerks come and go."""

    def __init__(self, folder: Path, ledger: Ledger | None = None) -> None:
        (folder / "scrapers").mkdir(exist_ok=True)
        (folder / "scrapers" / "parcel.py").write_text(SCRAPER)
        super().__init__(folder, ledger)
        self.lists = folder / "lists"
        self.lists.mkdir(exist_ok=True)
        self.put("P-1", "P-2", "P-3")
        self.tasks: list[asyncio.Task[None]] = []
        self.clerks: list[Clerk] = []

    def put(self, *keys: str, name: str = "parcels.csv") -> None:
        (self.lists / name).write_text("parcel_id\n" + "".join(f"{key}\n" for key in keys))

    def office(self) -> Office:
        jobs = LocalJobs(self.ledger, self.fleet, self.blobs, self.clock)
        return Office(self.ledger, jobs, self.scrapers, Lists(self.blobs, self.lists), self.clock)

    def duty(self) -> Schedules:
        return Schedules(self.office(), every=1.0)

    def clerk(self, name: str = "a") -> Clerk:
        """A clerk at work."""
        lead = Leadership(self.ledger.leaders, self.clock, name, 20.0, ROLE)
        clerk = Clerk(lead, [self.duty()], self.clock)
        self.clerks.append(clerk)
        self.tasks.append(asyncio.create_task(clerk.run(), name=name))
        return clerk

    async def plan(self, name: str = "nightly", cron: str = "0 * * * *", **more: Any) -> ScheduleView:
        """A schedule over the list in the folder, if nothing else is said."""
        if not {"list", "items"} & set(more):
            more.setdefault("file", "parcels.csv")
        return await self.service.schedules.add(Schedule(name, cron, "test.parcel", **more))

    async def job_of_parcels(self, *keys: str) -> Job:
        """A job of the same scraper that somebody submitted by hand."""
        order = JobOrder("by-hand", self.scrapers.find("test.parcel"), Policy())
        job = (await self.service.jobs.open(order)).job
        items = [NewItem(key, b'{"parcel_id":"%b"}' % key.encode()) for key in keys]
        await self.service.jobs.load(job.id, items)
        return await self.service.jobs.seal(job.id)

    async def jobs(self) -> list[Job]:
        """All jobs, the oldest first."""
        return (await self.ledger.jobs.find())[::-1]

    async def finished(self, job: Job, *outcomes: tuple[str, VisitState, str | None]) -> Job:
        """What a worker and a dispatcher make of a job."""
        await self.settle(job, *outcomes)
        return await self.ended(job)

    async def until_hour(self, past: float = 0.0) -> None:
        """Let time pass to the next full hour, and so many seconds more."""
        await self.passes(3600 - self.clock.now() % 3600 - 1)
        for _ in range(int(past) + 1):
            await self.passes(1.0)

    async def passes(self, seconds: float) -> None:
        """Let time pass, and clerks end what they do then: lists are read in threads, which no clock of ours moves."""
        await self.clock.advance(seconds)
        for _ in range(400):
            if all(task.done() for clerk in self.clerks for task in clerk._tasks.values()):
                return
            await asyncio.sleep(0.005)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    found = Service(tmp_path)
    yield found
    for task in found.tasks:
        task.cancel()
    await asyncio.gather(*found.tasks, return_exceptions=True)
