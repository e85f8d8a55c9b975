"""All live jobs and the sites they visit: what the ledger said last, and what was heard since.

The ledger is asked for the list of live jobs several times a second in one question, and for the counters only of
those that move; so a thousand finished or idle jobs cost nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scrapeyard.decisions.gates import SiteFacts
from scrapeyard.decisions.pacing import Bucket, empty
from scrapeyard.decisions.repeats import Repeats
from scrapeyard.decisions.strictest import SiteLimits, limits, site_limits
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.dispatcher.paces import Paces
from scrapeyard.dispatcher.roster import Roster
from scrapeyard.model.item import Offer
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.ledger import Ledger

LIVE = (JobState.LOADING, JobState.RUNNING, JobState.PAUSED, JobState.FINALIZING)
_PAGE = 200


@dataclass(slots=True)
class Site:
    """A site that live jobs visit, and the pace of starts there."""

    name: str
    limits: SiteLimits
    paces: Paces = field(default_factory=Paces)
    starts: Bucket | None = None
    repeats: Repeats = field(default_factory=Repeats)

    def paced(self, now: float) -> None:
        """Fill the bucket of starts; an item is at least one request."""
        rate = self.paces.rate(self.name, self.limits.rate)
        if rate is None:
            self.starts = None
        elif self.starts is None:
            self.starts = empty(rate, now)
        else:
            self.starts = self.starts.filled(now).tuned(rate)

    def gave(self, offers: Sequence[Offer], now: float) -> None:
        """These were offered. What failed before in this epoch is a retry; a dearer way after a block is none."""
        if offers:
            again = sum(offer.attempt > 1 for offer in offers)
            self.repeats = self.repeats.started(now, fresh=len(offers) - again, again=again)
        if self.starts is not None:
            self.starts = self.starts.spent(len(offers))


class Board:
    """What the valve looks at."""

    def __init__(self, ledger: Ledger, roster: Roster, sites: Mapping[str, SitePolicy], paces: Paces) -> None:
        self._ledger = ledger
        self._roster = roster
        self._settings = sites
        self._paces = paces
        self.jobs: dict[JobId, LiveJob] = {}
        self.sites: dict[str, Site] = {}

    async def look(self) -> None:
        """Learn which jobs there are. One that was cancelled stays until nothing of it runs."""
        found = {job.id: job for job in await self._live_jobs()}
        for job_id in [job_id for job_id in self.jobs if job_id not in found]:
            known = self.jobs[job_id].job
            ended = known if known.state is JobState.CANCELLED else await self._ledger.jobs.get(job_id)
            if ended is not None and ended.state is not JobState.COMPLETED:
                found[job_id] = ended  # cancelled, or back to life while it was asked for
            else:
                self.jobs.pop(job_id, None)
        for job in found.values():
            self.follow(job)
        self._survey()

    def follow(self, job: Job) -> None:
        """Keep an eye on this job."""
        held = limits(job.site, self._settings.get(job.site.name), job.policy)
        known = self.jobs.get(job.id)
        if known is None:
            self.jobs[job.id] = LiveJob(job, held)
        else:
            known.revised(job, held)

    def drop(self, job: JobId) -> None:
        """Nothing of this job is left to do."""
        self.jobs.pop(job, None)

    async def count(self, live: LiveJob, now: float) -> None:
        """Learn a job's counters, and when its next item is due if there was none."""
        tally = await self._ledger.jobs.tally(live.job.id)
        live.recounted(tally, self._roster.running(live.job.id), now)
        if live.dry_until is not None and tally.count(VisitState.WAITING):
            live.dry_until = await self._ledger.offers.next_due(live.job.id)

    def site_facts(self, thirsty: Callable[[str], bool], now: float) -> dict[str, SiteFacts]:
        """Every site, for the gates."""
        held = dict.fromkeys(self.sites, 0)
        for live in self.jobs.values():
            if live.limits.site in held:
                held[live.limits.site] += live.held + live.asked
        return {
            name: SiteFacts(
                name, held[name], site.limits.concurrency, site.starts, thirsty(name),
                waits=self._paces.wait(name, now), slowed=self._paces.gate(name, site.limits.rate, now),
            )
            for name, site in self.sites.items()
        }  # fmt: skip

    def spare(self, live: LiveJob, more: int, now: float) -> bool:
        """Whether the site takes one more visit beside those under way, of which `more` are not known here yet."""
        site = self.sites.get(live.limits.site)
        if site is None or self._paces.wait(site.name, now) > 0:
            return False
        at_once = site.limits.concurrency
        held = sum(one.held + one.asked for one in self.jobs.values() if one.limits.site == site.name)
        return at_once is None or held + more < at_once

    async def _live_jobs(self) -> list[Job]:
        jobs: list[Job] = []
        before: float | None = None
        while True:
            page = await self._ledger.jobs.find(LIVE, limit=_PAGE, before=before)
            jobs.extend(page)
            if len(page) < _PAGE:
                return jobs
            before = page[-1].created

    def _survey(self) -> None:
        """Work out what each site allows to all of its jobs together."""
        visiting: dict[str, list[tuple[SitePolicy, LiveJob]]] = {}
        for live in self.jobs.values():
            visiting.setdefault(live.limits.site, []).append((live.job.site, live))
        for name, pairs in visiting.items():
            allowed = site_limits(self._settings.get(name), [(site, live.job.policy) for site, live in pairs])
            known = self.sites.get(name)
            if known is None:
                self.sites[name] = Site(name, allowed, self._paces)
            else:
                known.limits = allowed
        # a site that nobody visits any more is forgotten; should it come back, its bucket begins empty
        self.sites = {name: site for name, site in self.sites.items() if name in visiting}
