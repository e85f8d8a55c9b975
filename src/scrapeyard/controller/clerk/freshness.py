"""Items that succeeded a short while ago need no second visit: they are found, and skipped with the reason.

A skip is recorded as every outcome is, under a lease: for a moment the clerk is a worker that takes nothing but what it
skips. The skipped items come first in their list and the job runs in the order of its list, so they are the first that
are offered, and nobody can be offered them before the job is allowed to run.
"""

import secrets

import msgspec

from scrapeyard.decisions.retry import after_release, settle
from scrapeyard.model.errors import BadInput
from scrapeyard.model.figures import duration
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.states import VisitState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.ledger import Ledger

MOST = 2_000_000
"""Items that are remembered while a list is sifted."""
_MOST_JOBS = 1_000
_PAGE = 2_000
_STEP = 500
_UNTIL = 60.0


class Fresh:
    """Keys of items that need no visit, with the job in which each succeeded."""

    def __init__(self, span: float) -> None:
        self._span = span
        self._jobs: list[str] = []
        self._keys: dict[str, int] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: str, job: str) -> None:
        """One that succeeded there."""
        if not self._jobs or self._jobs[-1] != job:
            self._jobs.append(job)
        self._keys.setdefault(key, len(self._jobs) - 1)
        if len(self._keys) > MOST:
            raise BadInput(f"More than {MOST:,} items succeeded within that span: choose a shorter one.")

    def reason(self, key: str) -> str:
        """Why it is skipped."""
        return f"It succeeded less than {duration(self._span)} before, in the job {self._jobs[self._keys[key]]}."


async def fresh_items(ledger: Ledger, job: Job, span: float, due: float) -> Fresh:
    """What the same scraper has brought home since then, by all its jobs."""
    since, fresh = due - span, Fresh(span)
    for other in await ledger.jobs.find(limit=_MOST_JOBS):
        gone = other.finished is not None and other.finished < since
        if other.id == job.id or other.scraper.name != job.scraper.name or gone:
            continue
        after = -1
        while page := await ledger.items.page(other.id, after=after, limit=_PAGE):
            after = page[-1].seq
            for item in page:
                if item.state is VisitState.SUCCEEDED and item.changed >= since:
                    fresh.add(item.key, other.id)
    return fresh


class Skipping:
    """Skips items of one job that has its whole list and is not allowed to run yet."""

    def __init__(self, ledger: Ledger, clock: Clock, job: Job, fresh: Fresh) -> None:
        self._ledger = ledger
        self._clock = clock
        self._job = job
        self._fresh = fresh
        self._worker = f"clerk-{secrets.token_hex(6)}"

    async def skip(self) -> int:
        """Skip what stands at the head of the list; gives how many."""
        skipped, beats = 0, 0
        while True:
            beats += 1
            now = self._clock.now()
            await self._ledger.leases.beat(WorkerBeat(self._worker, beats, now))
            offers = await self._ledger.offers.offer(self._job.id, _STEP, now=now, until=now + _UNTIL)
            leases = await self._ledger.leases.begin(self._worker, offers, now=now)
            settled = [self._settlement(lease, now) for lease in leases]
            await self._ledger.leases.settle(settled, now=now)
            wanted = sum(lease.offer.key in self._fresh for lease in leases)
            skipped += wanted
            if wanted < _STEP:
                await self._ledger.leases.leave(self._worker)
                return skipped

    def _settlement(self, lease: Lease, now: float) -> Settlement:
        key = lease.offer.key
        back = settle(lease, after_release(lease.offer, now))
        if key not in self._fresh:
            return back
        return msgspec.structs.replace(back, state=VisitState.SKIPPED, reason=self._fresh.reason(key))
