"""The duty of schedules: sees which are due and lets their jobs begin, each due time once.

A due time is first written down as waiting, and only then acted upon; what came of it is written down in the same
writing that ends its wait. Whoever takes over in between finds it waiting and gets the same job.
"""

import msgspec
import structlog

from scrapeyard.controller.audit.acting import acting
from scrapeyard.controller.clerk.occasion import Occasion, Office, job_of
from scrapeyard.controller.service.schedules import schedule_notes
from scrapeyard.decisions.schedules import due, kept_waiting
from scrapeyard.model.errors import Refused
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.job import Job
from scrapeyard.model.schedule import Firing, Overlap, ScheduleView
from scrapeyard.model.states import JobState

log = structlog.get_logger(__name__)

_RECENT = 20
_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})


class Schedules:
    """Fulfils `scrapeyard.controller.clerk.clerk.Duty`."""

    def __init__(self, office: Office, *, every: float) -> None:
        self._office = office
        self._notes = schedule_notes(office.ledger.memos)
        self.every = every

    async def look(self) -> None:
        """Every schedule that is due."""
        for view in await self._notes.all():
            now = self._office.clock.now()
            if not view.paused and (more := due(view, now)):
                view = await self._waits(view, more, now)  # noqa: PLW2901 - the same schedule, as it is now
            for moment in view.waiting:
                view = await self._turn(view, moment)  # noqa: PLW2901

    async def _waits(self, seen: ScheduleView, more: tuple[float, ...], now: float) -> ScheduleView:
        """Write down what is due, unless somebody has done so meanwhile."""

        def change(view: ScheduleView) -> ScheduleView:
            if view.seen != seen.seen or view.paused or view.made != seen.made:
                return view
            return msgspec.structs.replace(view, seen=now, waiting=kept_waiting(view.waiting, more))

        return await self._notes.change(seen.schedule.name, change)

    async def _turn(self, view: ScheduleView, moment: float) -> ScheduleView:
        """One due time: its job begins, or it waits on, or it is written down why none does."""
        plan = view.schedule
        busy = None if plan.overlap is Overlap.BOTH else await self._unfinished(view, moment)
        if busy is not None and plan.overlap is Overlap.QUEUE:
            return view
        at = self._office.clock.now()
        if busy is not None:
            words = f"It was left out, because the job {busy.name} was not finished."
            return await self._told(view, Firing(moment, at, None, words), "schedule_skipped")
        try:
            with acting(f"schedule {plan.name}"):
                job = await Occasion(self._office, view, moment).begin()
        except Refused as refused:
            return await self._told(view, Firing(moment, at, None, str(refused)), "schedule_failed")
        words = f"The job {job.name} began with {job.total or 0:,} items."
        return await self._told(view, Firing(moment, at, job.id, words), "schedule_fired")

    async def _unfinished(self, view: ScheduleView, moment: float) -> Job | None:
        """The job that it began last, if that goes on still. One that it began for this very time is not in its way."""
        last = view.last_job
        if last is None or last == job_of(view, moment):
            return None
        job = await self._office.ledger.jobs.get(last)
        return job if job is not None and job.state not in _ENDED else None

    async def _told(self, seen: ScheduleView, fired: Firing, name: str) -> ScheduleView:
        """Write down what came of a due time. The event comes first: told twice it is one event all the same."""
        luck = int(job_of(seen, fired.due).encode().hex(), 16) % (1 << 40) / (1 << 40)
        words = f"The schedule {seen.schedule.name} was due. {fired.words}"
        await self._office.ledger.events.add(
            [Event(event_id(fired.due, luck), fired.at, name, words, str(fired.job or ""))]
        )
        log.info(name, schedule=seen.schedule.name, due=fired.due, job=fired.job, words=fired.words)

        def change(view: ScheduleView) -> ScheduleView:
            if view.made != seen.made or fired.due not in view.waiting:
                return view
            waiting = tuple(moment for moment in view.waiting if moment != fired.due)
            return msgspec.structs.replace(view, waiting=waiting, recent=(*view.recent, fired)[-_RECENT:])

        return await self._notes.change(seen.schedule.name, change)
