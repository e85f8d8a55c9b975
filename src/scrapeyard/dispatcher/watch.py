"""Are all workers alive that hold leases?

A worker whose beat has not changed for the lease's length, on this observer's own monotonic clock, is fenced off:
from then on it can record nothing. Only then is each of its leases settled as lost. A dispatcher that dies halfway
leaves fenced workers behind; asking for their leases again gives those that are still to be settled.
"""

from collections.abc import Callable, Sequence
from itertools import islice

import structlog

from scrapeyard.decisions.retry import Moment, after_loss, settle
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Settlement
from scrapeyard.model.job import Job
from scrapeyard.model.ladder import way_name
from scrapeyard.model.policy import Policy
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.ledger import Ledger

log = structlog.get_logger(__name__)

_BATCH = 200
LOST = "lost"


class Watch:
    """Watches the beats of all workers during one term of office."""

    def __init__(self, ledger: Ledger, clock: Clock, lease: float, luck: Callable[[], float]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._lease = lease
        self._luck = luck
        self._seen: dict[str, tuple[int, float]] = {}

    async def look(self) -> list[str]:
        """Look at every beat once, and bury the dead; gives their names."""
        beats = await self._ledger.leases.workers()
        now = self._clock.monotonic()
        seen = self._seen
        self._seen = {}
        for beat in beats:
            version, since = seen.get(beat.worker, (beat.version, now))
            self._seen[beat.worker] = (beat.version, now if version != beat.version else since)
        dead = [beat for beat in beats if beat.fenced or now - self._seen[beat.worker][1] >= self._lease]
        return [beat.worker for beat in dead if await self._bury(beat)]

    async def _bury(self, beat: WorkerBeat) -> bool:
        leases = await self._ledger.leases.fence(beat.worker, beat.version)
        if leases is None:
            return False  # it has beaten after all
        self._seen.pop(beat.worker, None)
        jobs = {job: await self._ledger.jobs.get(job) for job in {lease.offer.job for lease in leases}}
        left = iter(leases)
        lost = 0
        while batch := list(islice(left, _BATCH)):
            settlements = [self._lost(lease, jobs[lease.offer.job]) for lease in batch]
            lost += await self._settle(settlements)
        log.warning("worker lost", worker=beat.worker, host=beat.host, pid=beat.pid, items=lost)
        return True

    async def _settle(self, settlements: Sequence[Settlement]) -> int:
        return sum(await self._ledger.leases.settle(settlements, now=self._clock.now()))

    def _lost(self, lease: Lease, job: Job | None) -> Settlement:
        now, offer = self._clock.now(), lease.offer
        turn = after_loss(offer, job.policy if job else Policy(), Moment(now, self._luck()))
        own = job.scraper.name if job else offer.scraper.name
        attempt = Attempt(
            number=offer.attempt,
            epoch=offer.epoch,
            worker=lease.worker,
            tier=way_name(offer.tier, offer.scraper.name, own),
            started=now,
            ms=0,
            outcome=LOST,
            kind=Kind.WORKER_LOST,
            detail="The worker gave no sign of life any more.",
        )
        return settle(lease, turn, attempt, attempt.detail)
