"""How work comes in: offers from the queue, made real as leases, and handed to the children.

Only what the children can start soon is taken, because what lies here is withheld from other workers. Deliveries
are kept alive in the queue while their items run, and ticked off once the ledger has the outcome, in this order:
a message that outlives its item is harmless, an item that outlives its message waits for the sweep.

A question for leases whose answer was lost is asked again until it is answered: the ledger may have given them, and
nobody takes them from a worker that lives.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence

import structlog

from scrapeyard.model.errors import StorageError
from scrapeyard.model.item import Lease, Settlement
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.leases import LeaseBook
from scrapeyard.ports.queue import Delivery, Queue, Wants
from scrapeyard.worker.crew import Crew
from scrapeyard.worker.heart import Heart

log = structlog.get_logger(__name__)

_REST = 0.25
"""The longest pause between two looks into an empty queue."""
_EXPECTING = 1.0
"""Seconds after a taking in which more is expected, so that looks stay frequent: a job that begins hands out a few
items and waits for their outcomes before it hands out more."""


class Intake:
    """Takes offers for one crew."""

    def __init__(
        self,
        worker: str,
        wants: Wants,
        leases: LeaseBook,
        queue: Queue,
        clock: Clock,
        refusal: Callable[[], str | None],
    ) -> None:
        self._worker = worker
        self._wants = wants
        self._leases = leases
        self._queue = queue
        self._clock = clock
        self._refusal = refusal
        self._deliveries: dict[tuple[str, int], Delivery] = {}
        self._asked: list[Delivery] = []
        self.refusing: str | None = None
        self.arriving: Callable[[Iterable[str]], Awaitable[None]] | None = None
        self.open = True

    async def run(self, crew: Crew, heart: Heart, *, tick: float, batch: int) -> None:
        """Take while there is room, until told to stop and nothing that was asked for is unanswered."""
        pause, last = tick, self._clock.monotonic()
        while (self.open or self._asked) and heart.alive():
            taken = 0
            try:
                self.refusing = self._refusal()
                room = min(crew.census.room(), batch)
                if room and self.refusing is None and not self._asked:
                    self._asked = await self._received(room)
                if self._asked:
                    leases = await self._begun()
                    taken = len(leases)
                    crew.give(leases)
            except StorageError as error:
                log.warning("cannot take offers now", worker=self._worker, error=str(error))
                if error.final:
                    raise
            now = self._clock.monotonic()
            last = now if taken else last
            pause = tick if now - last < _EXPECTING else min(_REST, max(tick, pause * 1.5))
            await self._clock.sleep(pause if taken < batch else 0)  # a full batch says that there is more

    @property
    def digests(self) -> frozenset[str] | None:
        """The scraper versions that can be run here."""
        return self._wants.digests

    async def settled(self, settlements: Sequence[Settlement]) -> None:
        """Tick off the deliveries of items whose outcome is in the ledger."""
        done = [self._deliveries.pop((one.job, one.seq), None) for one in settlements]
        await self._told(self._queue.done([delivery for delivery in done if delivery is not None]))

    async def keep(self, seconds: float) -> None:
        """Keep what runs hidden from other workers."""
        if self._deliveries:
            await self._told(self._queue.keep(tuple(self._deliveries.values()), seconds=seconds))

    async def _told(self, telling: Awaitable[None]) -> None:
        """Tell the queue something. If it does not hear, others get to see what they cannot take."""
        try:
            await telling
        except StorageError as error:
            log.warning("the queue does not hear", worker=self._worker, error=str(error))
            if error.final:
                raise

    async def _received(self, room: int) -> list[Delivery]:
        """Offers that can be run here, and are not run here already: a queue may deliver twice."""
        deliveries = await self._queue.take(self._worker, self._wants, room, now=self._clock.now())
        fresh: dict[tuple[str, int], Delivery] = {}
        strange: list[Delivery] = []
        double: list[Delivery] = []
        for delivery in deliveries:
            key = (delivery.offer.job, delivery.offer.seq)
            if not _suits(delivery, self._wants):
                strange.append(delivery)
            elif (known := self._deliveries.get(key) or fresh.get(key)) and known.offer == delivery.offer:
                double.append(delivery)
            else:
                fresh[key] = delivery
        if strange:
            await self._told(self._queue.back(strange))
        if double:
            await self._told(self._queue.done(double))
        return list(fresh.values())

    async def _begun(self) -> list[Lease]:
        """The leases of what was received. What the ledger does not give is void."""
        if self.arriving is not None:
            await self.arriving({one.offer.job for one in self._asked})
        offers = [one.offer for one in self._asked]
        leases = await self._leases.begin(self._worker, offers, now=self._clock.now())
        asked, self._asked = self._asked, []
        got = {(lease.offer.job, lease.offer.seq) for lease in leases}
        void: list[Delivery] = []
        for delivery in asked:
            key = (delivery.offer.job, delivery.offer.seq)
            if key in got:
                self._deliveries[key] = delivery
            else:
                void.append(delivery)
        if void:
            await self._told(self._queue.done(void))
        return leases


def _suits(delivery: Delivery, wants: Wants) -> bool:
    offer = delivery.offer
    return offer.lane == wants.lane and (wants.digests is None or offer.scraper.digest in wants.digests)
