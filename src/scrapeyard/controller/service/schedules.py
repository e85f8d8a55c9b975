"""The desk of schedules: what begins by itself is made, looked at and stopped here; the clerk lets it begin.

A schedule that cannot work is refused when it is made: nobody is there to read an error at half past two at night.
"""

import hashlib

import msgspec

from scrapeyard.controller.service.naming import find_job
from scrapeyard.controller.service.notes import Notes
from scrapeyard.controller.service.policies import checked as checked_policy
from scrapeyard.decisions.schedules import checked, following, kept_waiting
from scrapeyard.model.errors import BadInput, NotFound
from scrapeyard.model.schedule import KeptList, Schedule, ScheduleView
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.results.keys import list_key

LARGEST_LIST = 64 << 20
"""Bytes of a list that is handed in; a longer one is read as a file."""


class LocalSchedules:
    """Fulfils `scrapeyard.ports.schedules.ScheduleDesk`."""

    def __init__(self, ledger: Ledger, blobs: Blobs, scrapers: Scrapers, clock: Clock) -> None:
        self._jobs = ledger.jobs
        self._notes = schedule_notes(ledger.memos)
        self._blobs = blobs
        self._scrapers = scrapers
        self._clock = clock

    async def keep_list(self, body: bytes) -> KeptList:
        """Hand a list in. The same list twice is kept once."""
        if not body or len(body) > LARGEST_LIST:
            raise BadInput(f"A list of {len(body):,} bytes is not taken: hand in 1 byte to {LARGEST_LIST >> 20} MiB.")
        name = hashlib.sha256(body).hexdigest()[:32]
        await self._blobs.put(list_key(name), body, replace=True)
        return KeptList(name, len(body))

    async def add(self, schedule: Schedule) -> ScheduleView:
        """A new schedule."""
        checked(schedule)
        checked_policy(schedule.policy)
        schedule = msgspec.structs.replace(schedule, scraper=self._scrapers.find(schedule.scraper).ref.name)
        if schedule.items is not None and schedule.items.job:
            await self._earlier(schedule.items.job)
        if schedule.list and (not schedule.list.isalnum() or await self._blobs.stat(list_key(schedule.list)) is None):
            raise NotFound(f"There is no list {schedule.list[:40]!r}: hand it in first.")
        now = self._clock.now()
        return _told(await self._notes.make(schedule.name, ScheduleView(schedule, now, now)), now)

    async def find(self) -> list[ScheduleView]:
        """All of them."""
        now = self._clock.now()
        return [_told(view, now) for view in await self._notes.all()]

    async def get(self, name: str) -> ScheduleView:
        """One of them."""
        return _told(await self._notes.get(name), self._clock.now())

    async def pause(self, name: str) -> ScheduleView:
        """Let nothing begin."""
        return await self._changed(name, paused=True)

    async def resume(self, name: str) -> ScheduleView:
        """Go on with the next due time."""
        return await self._changed(name, paused=False, seen=self._clock.now())

    async def run(self, name: str) -> ScheduleView:
        """Be due now."""
        now = self._clock.now()
        view = await self._notes.change(
            name, lambda view: msgspec.structs.replace(view, waiting=kept_waiting(view.waiting, (now,)))
        )
        return _told(view, now)

    async def delete(self, name: str) -> ScheduleView:
        """Forget it."""
        return _told(await self._notes.delete(name), self._clock.now())

    async def _earlier(self, said: str) -> None:
        """Refuse the name of something that is neither a job nor a schedule."""
        if all(said != view.schedule.name for view in await self._notes.all()):
            await find_job(self._jobs, said)

    async def _changed(self, name: str, **fields: object) -> ScheduleView:
        paused = fields["paused"]

        def change(view: ScheduleView) -> ScheduleView:
            return view if view.paused is paused else msgspec.structs.replace(view, **fields)

        return _told(await self._notes.change(name, change), self._clock.now())


def schedule_notes(memos: MemoBook) -> Notes[ScheduleView]:
    """Where schedules are kept."""
    return Notes(memos, "schedule", ScheduleView)


def _told(view: ScheduleView, now: float) -> ScheduleView:
    plan = view.schedule
    upcoming = None if view.paused else following(plan.cron, plan.timezone, now)
    return msgspec.structs.replace(view, upcoming=upcoming)
