"""From what happened to what the ledger is told, many at a time.

A child says what came of a visit; here it is decided what that means for the item (done, again later, given up),
and the decisions go to the ledger in one commit for a whole batch; of a sentinel nothing is recorded. A commit that
fails is tried again until this worker may no longer record; after that the results are dropped, and others run the
items anew.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import msgspec
import structlog

from scrapeyard.decisions.pooled import is_ours
from scrapeyard.decisions.retry import Asked, Moment, after_crash, after_failure, after_release, settle
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.errors import StorageError
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Lease, Settlement
from scrapeyard.model.states import VisitState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.leases import LeaseBook
from scrapeyard.worker.hand import Crash
from scrapeyard.worker.heart import Heart
from scrapeyard.worker.messages import Ended
from scrapeyard.worker.policies import Terms

log = structlog.get_logger(__name__)

_ONE_COMMIT = 4


class Settler:
    """The settlements of one worker on their way to the ledger."""

    def __init__(
        self,
        worker: str,
        leases: LeaseBook,
        terms: Callable[[str], Terms],
        moment: Callable[[], Moment],
        clock: Clock,
    ) -> None:
        self._worker = worker
        self._leases = leases
        self._terms = terms
        self._moment = moment
        self._clock = clock
        self._ready: list[Settlement] = []
        self._turn = asyncio.Lock()
        self.pending = asyncio.Event()
        self.recorded = 0
        self._troubles: Counter[str] = Counter()
        self._kept = 0
        self.late = 0
        self.settled: Callable[[Sequence[Settlement]], Awaitable[None]] | None = None

    def ended(self, pairs: Sequence[tuple[Lease, Ended]]) -> None:
        """Visits that ended, well or not."""
        self._ready.extend(self._settlement(lease, ended) for lease, ended in pairs if not lease.offer.sentinel)
        self._tell([ended.kind for _, ended in pairs])
        self._ring()

    def released(self, leases: Sequence[Lease]) -> None:
        """Items that go back unharmed: no attempt is spent, nothing is written down of the try."""
        now = self._moment().now
        self._ready.extend(
            settle(lease, after_release(lease.offer, now)) for lease in leases if not lease.offer.sentinel
        )
        self._ring()

    def crashed(self, crash: Crash) -> None:
        """A child died: suspects are marked, the innocent are released."""
        self.released(crash.innocent)
        self._troubles[Kind.WORKER_LOST] += bool(crash.suspects)
        for lease in crash.suspects:
            if lease.offer.sentinel:
                continue
            moment = self._moment()
            turn = after_crash(lease.offer, self._terms(lease.offer.job).policy, moment, alone=crash.alone)
            attempt = self._attempt(lease, "lost", Kind.WORKER_LOST, moment.now, detail=crash.cause)
            reason = crash.cause if turn.state is VisitState.FAILED else None
            self._ready.append(settle(lease, turn, attempt, reason))
        self._ring()

    async def run(self, heart: Heart, *, batch: int, pause: float) -> None:
        """Commit what is ready, until the worker is fenced off."""
        while heart.alive():
            await self.pending.wait()
            await self._clock.sleep(pause)  # a moment's wait makes one commit of many
            await self.commit(heart, batch)

    async def commit(self, heart: Heart, batch: int) -> None:
        """Commit everything that is ready now. One at a time: two would take the same settlements."""
        async with self._turn:
            await self._commit(heart, batch)

    async def _commit(self, heart: Heart, batch: int) -> None:
        self.pending.clear()
        while self._ready and heart.alive():
            some = self._ready[:batch]
            try:
                accepted = await self._leases.settle(some, now=self._clock.now())
            except StorageError as error:
                log.warning("cannot record yet", worker=self._worker, items=len(some), error=str(error))
                if error.final:
                    raise
                await self._clock.sleep(0.5)
                continue
            del self._ready[: len(some)]
            self.recorded += sum(accepted)
            self.late += len(accepted) - sum(accepted)
            if self.settled is not None:
                await self.settled(some)

    def troubled(self) -> tuple[dict[str, int], int]:
        """What was our own fault since this was asked last, by kind, and what was not."""
        found, self._troubles = dict(self._troubles), Counter()
        kept, self._kept = self._kept, 0
        return found, kept

    def waiting(self) -> int:
        """Settlements that are not yet in the ledger."""
        return len(self._ready)

    def _tell(self, kinds: Sequence[str | None]) -> None:
        """One commit that fails takes many items with it, and is still one failure; so it counts as a few at most."""
        ours = Counter(kind for kind in kinds if kind is not None and is_ours(kind))
        self._troubles.update({kind: min(count, _ONE_COMMIT) for kind, count in ours.items()})
        self._kept += min(len(kinds) - ours.total(), _ONE_COMMIT)

    def _ring(self) -> None:
        if self._ready:
            self.pending.set()

    def _settlement(self, lease: Lease, ended: Ended) -> Settlement:
        offer, terms = lease.offer, self._terms(lease.offer.job)
        outcome = ended.state.value
        attempt = Attempt(
            number=offer.attempt,
            epoch=offer.epoch,
            worker=self._worker,
            tier=terms.way(offer),
            started=ended.started,
            ms=ended.ms,
            outcome=outcome,
            kind=ended.kind,
            status=ended.status,
            detail=ended.detail,
            rule=ended.rule,
            requests=ended.requests,
            wire_bytes=ended.wire_bytes,
            body_bytes=ended.body_bytes,
            cost_micros=ended.cost_micros,
            steps=ended.steps,
            probe=offer.probe,
            proxy=ended.proxy,
            session=ended.session,
        )
        if ended.kind is None:
            return Settlement(
                offer.job, offer.seq, offer.epoch, lease.fence, ended.state, offer.attempt, 0, offer.losses,
                attempt=attempt, captures=ended.captures, records=ended.records, reading=ended.reading,
                reason=ended.reason, rung=offer.rung, strikes=offer.strikes,
            )  # fmt: skip
        asked = Asked(ended.retry_after, terms.rungs)
        turn = after_failure(offer, Kind(ended.kind), terms.policy, self._moment(), asked)
        settlement = settle(lease, turn, attempt, ended.detail)
        return msgspec.structs.replace(settlement, captures=ended.captures)

    def _attempt(self, lease: Lease, outcome: str, kind: Kind, now: float, *, detail: str) -> Attempt:
        offer = lease.offer
        tier = self._terms(offer.job).way(offer)
        return Attempt(offer.attempt, offer.epoch, self._worker, tier, now, 0, outcome, kind, detail=detail)
