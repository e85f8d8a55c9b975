"""The duty of watching: how jobs and workers stand, by every rule, and what of it is new.

What stands and what is on its way to people is written down with the rule, in one writing; so an alarm is raised once,
whoever looks.
"""

from collections.abc import Sequence

import msgspec

from scrapeyard.controller.clerk.course import Course
from scrapeyard.controller.service.alerts import rule_notes
from scrapeyard.decisions.alerts import LEAST, Finding, JobFacts, ended, found, gathered, heeded, meant, poor
from scrapeyard.model.alert import Alarm, Concern, Rule, RuleView
from scrapeyard.model.event import Event
from scrapeyard.model.gate import JobView
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.states import JobState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger

_UNFINISHED = (JobState.LOADING, JobState.RUNNING, JobState.PAUSED, JobState.FINALIZING)
_ENDED = (JobState.COMPLETED, JobState.CANCELLED)
_MOST_JOBS = 500
_MOST_EVENTS = 500
_SAID = 10.0
"""Seconds for which what a dispatcher said is believed."""


class Alarms:
    """Fulfils `scrapeyard.controller.clerk.clerk.Duty`."""

    def __init__(self, ledger: Ledger, fleet: Fleet, clock: Clock, *, every: float) -> None:
        self._ledger = ledger
        self._fleet = fleet
        self._clock = clock
        self._notes = rule_notes(ledger.memos)
        self._courses: dict[JobId, Course] = {}
        self.every = every

    async def look(self) -> None:
        """Every rule."""
        views = [view for view in await self._notes.all() if not view.paused]
        if not views:
            self._courses.clear()
            return
        jobs = await self._jobs(views)
        for view in views:
            await self._heed(view, jobs)

    async def _jobs(self, views: Sequence[RuleView]) -> list[tuple[Job, Tally, JobView | None]]:
        """The jobs that rules speak of, as they stand now."""
        now = self._clock.now()
        jobs = await self._ledger.jobs.find(_UNFINISHED, limit=_MOST_JOBS)
        self._courses = {job.id: self._courses.get(job.id, Course(job)) for job in jobs}
        if any(view.rule.concern is Concern.DONE for view in views):
            oldest = min(view.made for view in views)
            over = await self._ledger.jobs.find(_ENDED, limit=_MOST_JOBS)
            jobs += [job for job in over if (job.finished or job.changed) >= oldest]
        said = {view.job: view for view in await self._fleet.views() if now - view.at <= _SAID}
        tallies = [await self._ledger.jobs.tally(job.id) for job in jobs]
        for job, tally in zip(jobs, tallies, strict=True):
            if job.id in self._courses:
                self._courses[job.id].add(tally, now)
        return [(job, tally, said.get(job.id)) for job, tally in zip(jobs, tallies, strict=True)]

    async def _heed(self, view: RuleView, jobs: Sequence[tuple[Job, Tally, JobView | None]]) -> None:
        now, rule, seen = self._clock.now(), view.rule, view.seen
        findings: list[Finding] = []
        if rule.concern is Concern.WORKER:
            events = await self._ledger.events.page(after=view.seen, limit=_MOST_EVENTS)
            findings = [_lost(event) for event in events if event.name == "worker_lost"]
            seen = events[-1].id if events else seen
        else:
            for job, tally, said in jobs:
                late = rule.concern is Concern.DONE and (job.finished or job.changed) < view.made
                if meant(rule, job) and not late:
                    findings.append(found(rule, await self._facts(rule, job, tally, said), now))

        def change(current: RuleView) -> RuleView:
            if current.made != view.made or current.paused or current.seen != view.seen:
                return current
            return gathered(msgspec.structs.replace(heeded(current, findings, now), seen=seen), now)

        await self._notes.change(rule.name, change)

    async def _facts(self, rule: Rule, job: Job, tally: Tally, said: JobView | None) -> JobFacts:
        course, now = self._courses.get(job.id), self._clock.now()
        if course is None:
            return JobFacts(job, tally, said)
        usual = None
        if rule.concern is Concern.QUALITY:
            usual = course.usual(rule.within, now)
            usual = await self._before(job) if usual is None else usual
        by_hand = job.state is JobState.PAUSED and rule.concern is Concern.PERSON and await self._by_hand(job)
        return JobFacts(job, tally, said, course.still(now), course.lately(rule.within, now), usual, by_hand)

    async def _by_hand(self, job: Job) -> bool:
        """Whether a person paused it."""
        latest = await self._ledger.events.latest(job=job.id, limit=20)
        paused = next((event for event in latest if event.name == "job_paused"), None)
        return paused is not None and b'"by"' in paused.evidence

    async def _before(self, job: Job) -> float | None:
        """The share of poor items in the last completed job of the same scraper."""
        for other in await self._ledger.jobs.find((JobState.COMPLETED,), limit=_MOST_JOBS):
            if other.scraper.name == job.scraper.name:
                tally = await self._ledger.jobs.tally(other.id)
                if ended(tally) >= LEAST:
                    return poor(tally) / ended(tally)
        return None


def _lost(event: Event) -> Finding:
    return Finding(Alarm(event.id, event.at, event.words), bad=True, calm=False)
