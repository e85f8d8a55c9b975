"""The book of jobs, in memory."""

from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_revision, starts
from scrapeyard.backends.counting import Counting, tally_of, untold
from scrapeyard.backends.memory.state import Book, State
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState

_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})


class MemoryJobs:
    """Fulfils `scrapeyard.ports.jobs.JobBook`."""

    def __init__(self, state: State) -> None:
        self._state = state

    async def create(self, job: Job) -> Job:
        """Write a job down, or give the one that is there."""
        book = self._state.books.setdefault(job.id, Book(job, number=len(self._state.books)))
        return book.job

    async def get(self, job: JobId) -> Job | None:
        """One job."""
        book = self._state.books.get(job)
        return book.job if book else None

    async def named(self, name: str) -> Job | None:
        """The newest job of that name."""
        return next((book.job for book in self._newest() if book.job.name == name), None)

    async def find(
        self, states: Sequence[JobState] = (), *, limit: int = 100, before: float | None = None
    ) -> list[Job]:
        """Jobs, newest first."""
        found = (
            book.job
            for book in self._newest()
            if (not states or book.job.state in states) and (before is None or book.job.created < before)
        )
        return [job for job, _ in zip(found, range(limit), strict=False)]

    async def advance(
        self, job: JobId, to: JobState, only_from: Sequence[JobState], *, now: float, reason: str | None = None
    ) -> Job | None:
        """Move a job, if it stands where it may be moved from."""
        book = self._state.books.get(job)
        if book is None or book.job.state not in starts(to, only_from):
            return None
        finished = now if to in _ENDED else None
        book.job = msgspec.structs.replace(book.job, state=to, reason=reason, changed=now, finished=finished)
        return book.job

    async def revise(self, job: JobId, policy: Policy, *, scraper: ScraperRef | None = None) -> Job | None:
        """Change the policy of a live job."""
        book = self._state.books.get(job)
        if book is None or book.job.state in _ENDED:
            return None
        check_revision(book.job, policy, begun=book.cursor > 0)
        book.job = msgspec.structs.replace(book.job, policy=policy, scraper=scraper or book.job.scraper)
        return book.job

    async def tally(self, job: JobId) -> Tally:
        """The counters."""
        book = self._state.book(job)
        return tally_of(book.counters, cancelled=book.cancelled)

    async def recount(self, job: JobId) -> Tally:
        """The same from the rows themselves."""
        book = self._state.book(job)
        counting = Counting()
        for row in book.rows:
            counting.counted(row.standing(), 1)
            counting.tried(*row.tries)
        counting.changes["loaded"] = len(book.rows)
        for name, value in untold(book.counters).items():
            counting.changes[name] = value
        return tally_of(counting.changes, cancelled=book.cancelled)

    def _newest(self) -> list[Book]:
        return sorted(self._state.books.values(), key=lambda book: (book.job.created, book.number), reverse=True)
