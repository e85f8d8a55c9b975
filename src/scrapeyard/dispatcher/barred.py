"""Holds a job whose site does not want it at all, before all of its items are skipped one by one.

Whether a robots.txt allows what a scraper visits is known when its first item comes to an address, not before. So
when the first items of a job are skipped and none has an answer, the job is paused, once, and says what to change.
"""

from collections.abc import Mapping, Sequence

import structlog

from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.jobs import JobBook

log = structlog.get_logger(__name__)


class Barred:
    """Jobs of which items were skipped."""

    def __init__(self, jobs: JobBook, clock: Clock) -> None:
        self._jobs = jobs
        self._clock = clock
        self._barred: set[JobId] = set()
        self._settled: set[JobId] = set()

    def hear(self, notes: Sequence[OutcomeNote]) -> None:
        """Outcomes, as workers told them."""
        for note in notes:
            if note.state == VisitState.SKIPPED:
                self._barred.add(JobId(note.job))
            elif note.state in (VisitState.SUCCEEDED, VisitState.ABSENT):
                self._settled.add(JobId(note.job))

    async def look(self, live: Mapping[JobId, LiveJob]) -> list[Job]:
        """Pause those that are turned away from the start; gives them as they are now."""
        paused: list[Job] = []
        for job in self._barred - self._settled:
            known = live.get(job)
            if known is None or known.job.state is not JobState.RUNNING or known.tally is None:
                continue
            self._settled.add(job)
            if known.tally.answered:
                continue
            moved = await self._jobs.advance(
                job, JobState.PAUSED, (JobState.RUNNING,), now=self._clock.now(), reason=_reason(known.job)
            )
            if moved is not None:
                log.warning("a site's robots.txt turns a job away", job=job, site=known.job.site.name)
                paused.append(moved)
        self._barred &= live.keys()
        self._settled &= live.keys()
        return paused


def _reason(job: Job) -> str:
    site = job.site.name
    return (
        f"the robots.txt of {site} asks not to visit what {job.scraper.name} visits. If you may do so all the same, "
        f'set robots = false under [sites."{site}"] and start the workers again, or declare robots=False in the '
        "scraper; then resume it and retry what was skipped"
    )
