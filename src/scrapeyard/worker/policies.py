"""What a worker has to know of the jobs whose items it holds: policy, scraper, and the length of the ladder.

A policy may change on a live job, so what is known is asked for again now and then.
"""

from collections.abc import Iterable

import msgspec

from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.ladder import way_name
from scrapeyard.model.policy import Policy
from scrapeyard.ports.jobs import JobBook


class Terms(msgspec.Struct, frozen=True):
    """As much of a job as bears on what becomes of its items. `rungs` is the length of its ladder."""

    policy: Policy = Policy()
    scraper: str = ""
    rungs: int = 1

    def way(self, offer: Offer) -> str:
        """The name of the way that a try took."""
        return way_name(offer.tier, offer.scraper.name, self.scraper or offer.scraper.name)


class Policies:
    """A small copy of the ledger's jobs."""

    def __init__(self, jobs: JobBook) -> None:
        self._jobs = jobs
        self._known: dict[str, Terms] = {}

    def of(self, job: str) -> Terms:
        """The job's terms as last learned."""
        return self._known.get(job, _UNKNOWN)

    async def learn(self, jobs: Iterable[str]) -> None:
        """Ask for those that are not known yet."""
        for job in sorted(set(jobs) - self._known.keys()):
            terms = await self._terms(job)
            if terms is not None:
                self._known[job] = terms

    async def refresh(self, jobs: Iterable[str]) -> None:
        """Ask again for these, and forget all others. If the answers fail to come, what was known stays known."""
        found = {job: await self._terms(job) for job in sorted(set(jobs))}
        self._known = {job: terms for job, terms in found.items() if terms is not None}

    async def _terms(self, job: str) -> Terms | None:
        found = await self._jobs.get(JobId(job))
        return Terms(found.policy, found.scraper.name, len(found.ladder)) if found is not None else None


_UNKNOWN = Terms()
