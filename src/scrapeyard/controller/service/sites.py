"""The desk where people ask about sites and the proxies to them, and hold a site shut or let it go."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

import msgspec

from scrapeyard.controller.service.gates import view_of
from scrapeyard.decisions.strictest import site_policy, strictest
from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.gate import JobView
from scrapeyard.model.job import Job
from scrapeyard.model.memo import Memo
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.site import SAID, SEEN, Hold, ProxyView, SiteJob, SiteView, hold_place, release_place, said_of
from scrapeyard.model.states import JobState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.scrapers import Scrapers

_LIVE = (JobState.LOADING, JobState.RUNNING, JobState.PAUSED, JobState.FINALIZING)
_MOST = 1_000
_LONGEST = 500


class LocalSites:
    """Fulfils `scrapeyard.ports.service.SiteDesk`. `own` are the limits that the settings name."""

    def __init__(
        self, ledger: Ledger, fleet: Fleet, scrapers: Scrapers, clock: Clock, own: Mapping[str, SitePolicy]
    ) -> None:
        self._ledger = ledger
        self._fleet = fleet
        self._scrapers = scrapers
        self._clock = clock
        self._own = own

    async def find(self) -> list[SiteView]:
        """Every site that a scraper, a live job or the settings name, by name."""
        jobs = await self._ledger.jobs.find(_LIVE, limit=_MOST)
        views, holds = await self._fleet.views(), await self._holds()
        cards = self._scrapers.catalogue()
        said: dict[str, list[SitePolicy]] = {name: [policy] for name, policy in self._own.items()}
        for site in [*(card.site for card in cards), *(job.site for job in jobs)]:
            said.setdefault(site.name, []).append(site)
        return [
            self._view(
                name,
                said[name],
                tuple(sorted(card.ref.name for card in cards if card.site.name == name)),
                self._jobs([job for job in jobs if job.site.name == name], views),
                holds.get(name),
            )
            for name in sorted(said)
        ]

    async def get(self, site: str) -> SiteView:
        """One site."""
        found = {view.name: view for view in await self.find()}
        if site in found:
            return found[site]
        near = get_close_matches(site[:200], found, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {len(found)}."
        raise NotFound(f"No scraper and no job visits a site {site[:60]!r}; {hint}")

    async def hold(self, site: str, reason: str, by: str) -> SiteView:
        """Let nothing start at the site, whichever job it is of."""
        if len(reason) > _LONGEST or not all(char.isprintable() or char.isspace() for char in reason):
            raise BadInput(f"A reason has at most {_LONGEST} visible characters.")
        found = await self.get(site)
        hold = msgspec.json.encode(Hold(reason, by, self._clock.now()))
        await self._say(hold_place(found.name), hold)
        return await self.get(site)

    async def release(self, site: str) -> SiteView:
        """Let the site go, and have it probed at once by ways that a breaker has closed."""
        found = await self.get(site)
        await self._say(release_place(found.name), msgspec.json.encode(self._clock.now()))
        await self._say(hold_place(found.name), b"")
        return await self.get(site)

    async def proxies(self) -> list[ProxyView]:
        """How proxies have fared, the most used first."""
        memo = await self._ledger.memos.recall(SEEN)
        found = [] if memo is None else msgspec.json.decode(memo.body, type=list[ProxyView])
        return sorted(found, key=lambda one: (-one.tries, one.proxy))

    async def _holds(self) -> dict[str, Hold]:
        memos = await self._ledger.memos.under(SAID, limit=_MOST)
        return {said_of(memo.name)[1]: _hold(memo) for memo in memos if said_of(memo.name)[0] == "hold"}

    async def _say(self, place: str, body: bytes) -> None:
        for _ in range(10):
            seen = await self._ledger.memos.recall(place)
            if seen is None and not body:
                return
            if await self._ledger.memos.keep(place, body, seen=seen) is not None or not body:
                return
        raise Conflict("Several people steer this site at this moment: look at it and try again.")

    def _view(
        self,
        name: str,
        said: Sequence[SitePolicy],
        scrapers: tuple[str, ...],
        jobs: tuple[SiteJob, ...],
        hold: Hold | None,
    ) -> SiteView:
        sites = [site_policy(each, self._own.get(name)) for each in said]
        return SiteView(
            name,
            strictest(*(site.rate for site in sites)),
            strictest(*(site.concurrency for site in sites)),
            next((site.window for site in sites if site.window is not None), None),
            scrapers,
            jobs,
            hold,
        )

    def _jobs(self, jobs: Sequence[Job], views: Sequence[JobView]) -> tuple[SiteJob, ...]:
        now = self._clock.now()
        found: list[SiteJob] = []
        for job in jobs:
            view = view_of(job, views, now)
            found.append(SiteJob(job.id, job.name, job.state, () if view is None else view.ways))
        return tuple(found)


def _hold(memo: Memo) -> Hold:
    return msgspec.json.decode(memo.body, type=Hold)
