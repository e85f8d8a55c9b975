"""A due time becomes a job: exactly one, however often and by whomever it is tried.

The job's id follows from the schedule and the due time, so a clerk that takes over finds what its predecessor began and
goes on with it. The list is sealed only when it is whole, and only a sealed job runs.
"""

import datetime
from collections.abc import Sequence

import msgspec

from scrapeyard.controller.clerk.freshness import Fresh, Skipping, fresh_items
from scrapeyard.controller.clerk.sources import Lists, items_again
from scrapeyard.controller.intake.load import load
from scrapeyard.controller.intake.options import IntakeOptions
from scrapeyard.controller.service.naming import find_job, told_id
from scrapeyard.controller.service.schedules import schedule_notes
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.errors import BadInput, NotFound
from scrapeyard.model.item import Added, NewItem
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import Order
from scrapeyard.model.schedule import ItemsOf, Schedule, ScheduleView
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import JobState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.scrapers import Scrapers, fallback_of
from scrapeyard.ports.service import JobDesk


def job_of(view: ScheduleView, due: float) -> JobId:
    """The id of the job that a due time begins."""
    return told_id("schedule", view.schedule.name, view.made, due)


class Office(msgspec.Struct, frozen=True):
    """What a clerk works with."""

    ledger: Ledger
    jobs: JobDesk
    scrapers: Scrapers
    lists: Lists
    clock: Clock


class Occasion:
    """One due time of one schedule."""

    def __init__(self, office: Office, view: ScheduleView, due: float) -> None:
        self._office = office
        self._view = view
        self._due = due

    async def begin(self) -> Job:
        """The job, whole and allowed to run. A list that is refused ends its job, with the reason."""
        plan, scrapers = self._view.schedule, self._office.scrapers
        card = scrapers.find(plan.scraper)
        order = JobOrder(
            name=_name(plan, self._due),
            card=card,
            policy=plan.policy if plan.fresh is None else msgspec.structs.replace(plan.policy, order=Order.LIST),
            source=f"schedule {plan.name}",
            fallback=fallback_of(card, scrapers),
            id=job_of(self._view, self._due),
        )
        job = (await self._office.jobs.open(order)).job
        if job.state is not JobState.LOADING:
            return job
        try:
            return await self._filled(job, card)
        except (BadInput, NotFound) as refused:
            await self._office.jobs.cancel(job.id, f"its list was refused: {refused}")
            raise

    async def _filled(self, job: Job, card: ScraperCard) -> Job:
        plan, ledger = self._view.schedule, self._office.ledger
        fresh = None if plan.fresh is None else await fresh_items(ledger, job, plan.fresh, self._due)
        if job.total is None:
            if fresh:
                await self._loaded(job, card, _Sieved(self._office.jobs, fresh, wanted=True))
            await self._loaded(job, card, _Sieved(self._office.jobs, fresh, wanted=False))
            await ledger.items.seal(job.id)
        if fresh:
            await Skipping(ledger, self._office.clock, job, fresh).skip()
        return await self._office.jobs.seal(job.id)

    async def _loaded(self, job: Job, card: ScraperCard, into: "_Sieved") -> None:
        plan = self._view.schedule
        if plan.items is not None:
            earlier = await self._earlier(plan.items)
            if earlier.scraper.name != job.scraper.name:
                raise BadInput(f"The job {earlier.name!r} is one of {earlier.scraper.name}, whose inputs differ.")
            async for items in items_again(self._office.ledger.items, earlier, plan.items, self._due):
                await into.load(job.id, items)
            return
        lists = self._office.lists
        scraper = self._office.scrapers.load(card.ref)
        try:
            async with lists.handed_in(plan.list) if plan.list else lists.filed(plan.file) as path:
                options = IntakeOptions(schema=card.input_schema, columns=plan.columns)
                await load(into, job, path, options, scraper.check_inputs)
        finally:
            await scraper.close()

    async def _earlier(self, wanted: ItemsOf) -> Job:
        """The job that is meant; a schedule stands for the job that it began last."""
        jobs = self._office.ledger.jobs
        views = await schedule_notes(self._office.ledger.memos).all() if wanted.job else [self._view]
        named = next((view for view in views if view.schedule.name == (wanted.job or self._view.schedule.name)), None)
        if named is None:
            return await find_job(jobs, wanted.job)
        if named.last_job is None:
            raise NotFound(f"The schedule {named.schedule.name} has begun no job yet whose items could run again.")
        return await find_job(jobs, named.last_job)


class _Sieved:
    """Takes in the part of a list that needs no visit, or the other one. See `intake.sending.Taking`."""

    def __init__(self, jobs: JobDesk, fresh: Fresh | None, *, wanted: bool) -> None:
        self._jobs = jobs
        self._fresh = fresh
        self._wanted = wanted

    async def load(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Add those of a chunk that belong to this part."""
        fresh = self._fresh
        picked = items if not fresh else [item for item in items if (item.key in fresh) is self._wanted]
        return await self._jobs.load(job, picked) if picked else Added(0, 0)

    async def seal(self, job: JobId) -> Job:
        """Not yet: the other part may come."""
        return await self._jobs.get(job)


def _name(plan: Schedule, due: float) -> str:
    return f"{plan.name}-{datetime.datetime.fromtimestamp(due, datetime.UTC):%Y%m%dT%H%M%SZ}"
