"""What a worker says on the fleet channel, several times a second, and what it does with the answer.

Outcomes go up in the order in which they happened, long before they are committed, because a breaker that hears late
burns items. Demand for requests goes up with them, and permits come down.
"""

import os
import socket
from collections import deque
from collections.abc import Callable, Sequence

import structlog

from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import Orders, OutcomeNote, RunningNote, WorkerReport
from scrapeyard.model.item import Lease
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.worker.crew import Crew
from scrapeyard.worker.heart import Heart
from scrapeyard.worker.intake import Intake

log = structlog.get_logger(__name__)

_MOST_NOTES = 20_000
_MOST_SHOWN = 50


class Voice:
    """The reports of one worker."""

    def __init__(
        self, worker: str, lane: str, fleet: Fleet, clock: Clock, troubled: Callable[[], tuple[dict[str, int], int]]
    ) -> None:
        self._worker = worker
        self._lane = lane
        self._fleet = fleet
        self._clock = clock
        self._troubled = troubled
        self._notes: deque[OutcomeNote] = deque(maxlen=_MOST_NOTES)
        self._number = 0
        self._since: dict[tuple[str, int], float] = {}
        self._finished = 0
        self._host = socket.gethostname()
        self._lag = 0.0
        self.draining = False

    def noted(self, notes: Sequence[OutcomeNote]) -> None:
        """Outcomes that happened."""
        self._notes.extend(notes)
        self._finished += len(notes)

    async def run(
        self, crew: Crew, intake: Intake, heart: Heart, *, every: float, told: Callable[[Orders], None]
    ) -> None:
        """Report until fenced off. `told` is called when the dispatcher orders the worker to end."""
        catalogue: frozenset[str] | None = intake.digests
        due = self._clock.monotonic()
        while heart.alive():
            self._lag = max(0.0, self._clock.monotonic() - due)
            report = self._report(crew, intake, catalogue)
            try:
                orders = await self._fleet.report(report)
            except StorageError as error:
                log.warning("cannot report now", worker=self._worker, error=str(error))
                self._notes.extendleft(reversed(report.outcomes))
            else:
                catalogue = None if self._number % 40 else intake.digests
                if orders.permits:
                    crew.grant(orders.permits)
                if orders.cancel:
                    crew.cancel(orders.cancel)
                if orders.sentinels and not self.draining:
                    # of what is in no list the ledger gives no lease, and none is needed: nothing of it is recorded
                    crew.give([Lease(offer, self._worker, fence=offer.attempt) for offer in orders.sentinels])
                if orders.drain or orders.retire:
                    told(orders)
            crew.inspect()
            crew.census.measure(every, self._finished)
            due = self._clock.monotonic() + every
            await self._clock.sleep(every)

    async def last_words(self, crew: Crew, intake: Intake) -> None:
        """One more report, so that nothing noted is lost when the worker leaves."""
        await self._fleet.report(self._report(crew, intake, None))

    def _report(self, crew: Crew, intake: Intake, catalogue: frozenset[str] | None) -> WorkerReport:
        self._number += 1
        notes = tuple(self._notes)
        self._notes.clear()
        census = crew.census
        troubles, kept = self._troubled()
        return WorkerReport(
            worker=self._worker,
            number=self._number,
            lane=self._lane,
            slots=census.slots,
            free=census.free(),
            catalogue=catalogue,
            outcomes=notes,
            running=self._running(crew),
            demand=census.demand(),
            ahead=census.ahead(),
            unspent=census.unspent(),
            answers=census.answers(),
            draining=self.draining,
            refusing=intake.refusing,
            rss=census.memory(),
            host=self._host,
            pid=os.getpid(),
            lag=max(self._lag, census.lag()),
            troubles=troubles,
            kept=kept,
        )

    def _running(self, crew: Crew) -> tuple[RunningNote, ...]:
        now = self._clock.now()
        since: dict[tuple[str, int], float] = {}
        notes: list[RunningNote] = []
        for lease in crew.census.under_way()[:_MOST_SHOWN]:
            offer = lease.offer
            key = (offer.job, offer.seq)
            since[key] = self._since.get(key, now)
            notes.append(RunningNote(offer.job, offer.seq, offer.key, since[key]))
        self._since = since
        return tuple(notes)
