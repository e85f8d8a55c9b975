"""The ledger's book of jobs: what was asked for, and how far each job has come."""

from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState


class JobBook(Protocol):
    """Jobs and their counters. Every move is guarded by the states it may start from."""

    async def create(self, job: Job) -> Job:
        """Write a job down. Asking again with the same id gives the stored one, so a lost answer is harmless."""
        ...

    async def get(self, job: JobId) -> Job | None:
        """One job."""
        ...

    async def named(self, name: str) -> Job | None:
        """The newest job of that name."""
        ...

    async def find(
        self, states: Sequence[JobState] = (), *, limit: int = 100, before: float | None = None
    ) -> list[Job]:
        """Jobs in these states (or in any), newest first; `before` pages on by creation time."""
        ...

    async def advance(
        self, job: JobId, to: JobState, only_from: Sequence[JobState], *, now: float, reason: str | None = None
    ) -> Job | None:
        """Move a job, if it is in one of `only_from`; None when it is not."""
        ...

    async def revise(self, job: JobId, policy: Policy, *, scraper: ScraperRef | None = None) -> Job | None:
        """Change the policy of a live job; with `scraper`, also the version that its items run from now on."""
        ...

    async def tally(self, job: JobId) -> Tally:
        """The job's counters. As quick for a million items as for ten."""
        ...

    async def recount(self, job: JobId) -> Tally:
        """The same figures counted from the items themselves, in steps that block nobody."""
        ...
