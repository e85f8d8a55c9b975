"""A small yard for the dispatcher's tests: memory backends, a virtual clock, and workers that do as they are told."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.memory.queue import MemoryQueue
from scrapeyard.decisions.pooled import is_ours
from scrapeyard.decisions.retry import Asked, Moment, after_failure, settle
from scrapeyard.dispatcher.dispatcher import Dispatcher
from scrapeyard.dispatcher.options import DispatcherOptions, Outside
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import OutcomeNote, RunningNote, WorkerBeat, WorkerReport
from scrapeyard.model.gate import ClosedGate, JobView
from scrapeyard.model.item import Lease, NewItem, Offer, Settlement
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.policy import BreakerPolicy, Policy, SitePolicy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.queue import Wants
from scrapeyard.ports.scrapers import Answer
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.worker.purse import Purse

FREE = SitePolicy("free.example", rate=None, concurrency=None)
UNWATCHED = Policy(breaker=BreakerPolicy(trip=0, canary=0, absents=False))
"""For tests of everything else: no breaker holds the job up."""
SCRAPER = ScraperRef("us.test.bill", "1", "d1")


class Yard:
    """Storage, a clock, and what is put to work on them."""

    def __init__(self, **options: Any) -> None:
        self.clock = VirtualClock()
        self.ledger = MemoryLedger()
        self.queue = MemoryQueue()
        self.fleet = MemoryFleet()
        self.blobs = MemoryBlobs()
        self.options = DispatcherOptions(**options)
        self.tasks: list[asyncio.Task[None]] = []
        self.hands: list[Hand] = []
        self.made = 0

    def dispatcher(self, **changes: Any) -> Dispatcher:
        """One more dispatcher at work. `ledger` and `fleet` may be others than the yard's own."""
        ledger, fleet = changes.pop("ledger", self.ledger), changes.pop("fleet", self.fleet)
        outside = Outside(ledger, self.queue, fleet, self.blobs, changes.pop("clock", self.clock))
        dispatcher = Dispatcher(outside, msgspec.structs.replace(self.options, **changes))
        self.tasks.append(asyncio.create_task(dispatcher.run()))
        return dispatcher

    def worker(self, name: str = "w1", **habits: Any) -> "Hand":
        """One more worker."""
        hand = Hand(self, name, **habits)
        self.hands.append(hand)
        self.tasks.append(asyncio.create_task(hand.run()))
        return hand

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Something else at work beside them."""
        self.tasks.append(asyncio.create_task(work))
        return self.tasks[-1]

    async def job(self, items: int = 10, *, site: SitePolicy = FREE, sealed: bool = True, **fields: Any) -> JobId:
        """A job of so many items, ready to run."""
        self.made += 1
        policy = fields.pop("policy", UNWATCHED)
        job = Job(
            id=JobId(f"job{self.made}"), name=f"job{self.made}", scraper=fields.pop("scraper", SCRAPER), site=site,
            policy=policy, created=self.clock.now() + self.made / 1000, order_key=self.made, **fields,
        )  # fmt: skip
        await self.ledger.jobs.create(job)
        await self.ledger.items.add(job.id, [NewItem(f"k{number}", b"{}") for number in range(items)])
        if sealed:
            await self.ledger.items.seal(job.id)
            await self.move(job.id, JobState.RUNNING, JobState.LOADING)
        return job.id

    async def move(self, job: JobId, to: JobState, *only_from: JobState, reason: str | None = None) -> None:
        """Move a job; it must work."""
        assert await self.ledger.jobs.advance(job, to, only_from, now=self.clock.now(), reason=reason)

    async def state(self, job: JobId) -> JobState:
        """Where the job stands."""
        found = await self.ledger.jobs.get(job)
        assert found is not None
        return found.state

    async def tally(self, job: JobId) -> Tally:
        """The job's counters."""
        return await self.ledger.jobs.tally(job)

    async def view(self, job: JobId) -> JobView:
        """What the dispatcher says of the job."""
        return next(view for view in await self.fleet.views() if view.job == job)

    async def gate(self, job: JobId) -> ClosedGate | None:
        """The first closed gate."""
        gates = (await self.view(job)).gates
        return gates[0] if gates else None

    async def close(self) -> None:
        """Stop everything; what failed fails the test."""
        for task in self.tasks:
            task.cancel()
        for end in await asyncio.gather(*self.tasks, return_exceptions=True):
            if isinstance(end, Exception):
                raise end


class Visit(NamedTuple):
    """One visit that a worker made: from when to when, under which offer, and what came of it."""

    began: float
    ended: float
    offer: Offer
    came: VisitState | Kind


class Hand:
    """A worker without children: takes what it has slots for, runs it for `seconds`, settles, tells."""

    def __init__(
        self, yard: Yard, name: str, *, slots: int = 4, seconds: float | Callable[[Lease], float] = 0.2,
        requests: int = 0,
        catalogue: frozenset[str] | None = None, lane: str = "http", pause: float = 0.0, dead_letters: int = 0,
        commit: float = 0.0,
        every: float | Callable[[], float] = 0.25,
        contacts: str = "",
        answers: Callable[[float, str], Answer] = lambda _, site: Answer(site, 0.0),
        slow: Mapping[str, float] = MappingProxyType({}),
        end: Callable[[Lease], VisitState | Kind] = lambda _: VisitState.SUCCEEDED,
        rungs: int = 1, cost: Callable[[Lease], int] = lambda _: 0,
    ) -> None:  # fmt: skip
        self.pause = pause
        self.commit = commit
        self.every = every
        self.contacts = contacts
        self.answers = answers
        self.slow = slow
        self.dead_letters = dead_letters
        self.yard = yard
        self.name = name
        self.slots = slots
        self.seconds = seconds
        self.requests = requests
        self.catalogue = catalogue
        self.lane = lane
        self.end = end
        self.rungs = rungs
        self.cost = cost
        self.ways: list[int] = []
        self.visits: list[Visit] = []
        self._since: dict[tuple[str, int], float] = {}
        self.running: dict[tuple[str, int], Lease] = {}
        self.started: list[tuple[float, str, int]] = []
        self.spent: list[tuple[float, str]] = []
        self.purse = Purse(yard.clock)
        self.demand: dict[str, int] = {}
        self.ahead: dict[str, int] = {}
        self.recorded = 0
        self.cancelled: set[str] = set()
        self.refused = 0
        self.dead = False
        self.deaf = False
        self.draining = False
        self.refusing: str | None = None
        self.lag = 0.0
        self.troubles: Counter[str] = Counter()
        self.kept = 0
        self.notes: list[OutcomeNote] = []
        self.number = 0
        self.version = 0
        self.most = 0
        self.sentinels: list[tuple[float, Offer]] = []
        self._lives: dict[tuple[str, int], asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Work until told to be dead."""
        clock, beaten, due, pulsed = self.yard.clock, -9.0, -9.0, -9.0
        try:
            while not self.dead:
                if clock.monotonic() - beaten >= 1.0:
                    beaten, self.version = clock.monotonic(), self.version + 1
                    await self.yard.ledger.leases.beat(WorkerBeat(self.name, self.version, 0.0))
                if clock.monotonic() - pulsed >= 0.1:
                    pulsed, (self.demand, self.ahead) = clock.monotonic(), self.purse.demand()
                if clock.monotonic() >= due and not self.deaf:
                    due = clock.monotonic() + (self.every() if callable(self.every) else self.every)
                    await self._report()
                await self._take()
                await clock.sleep(0.05)
        finally:
            for life in self._lives.values():
                life.cancel()

    def die(self) -> None:
        """As by kill -9: nothing more is said or done."""
        self.dead = True
        for life in self._lives.values():
            life.cancel()

    async def _report(self) -> None:
        self.number += 1
        notes, self.notes = tuple(self.notes), []
        orders = await self.yard.fleet.report(
            WorkerReport(
                self.name, self.number, self.lane, self.slots, max(0, self.slots - len(self.running)),
                self.catalogue, notes, self._shown(), self.demand, self.ahead,
                self.purse.unspent(), self.purse.answers(),
                draining=self.draining, refusing=self.refusing, lag=self.lag,
                troubles=dict(self.troubles), kept=self.kept,
            )
        )  # fmt: skip
        self.troubles.clear()
        self.kept = 0
        for permit in orders.permits:
            self.purse.grant(permit)
        self.cancelled |= orders.cancel
        self.draining = self.draining or orders.drain
        for offer in orders.sentinels:
            self.sentinels.append((self.yard.clock.monotonic(), offer))
            self._begin(Lease(offer, self.name, 0))
        for (job, _), life in self._lives.items():
            if job in orders.cancel:
                life.cancel()

    def _shown(self) -> tuple[RunningNote, ...]:
        now = self.yard.clock.now()
        self._since = {key: self._since.get(key, now) for key in self.running}
        return tuple(
            RunningNote(job, seq, self.running[job, seq].offer.key, since) for (job, seq), since in self._since.items()
        )

    async def _take(self) -> None:
        room = self.slots - len(self.running)
        if room <= 0 or self.draining or self.refusing:
            return
        yard = self.yard
        wants = Wants(self.lane, self.catalogue)
        offers = [one.offer for one in await yard.queue.take(self.name, wants, room, now=yard.clock.now())]
        dropped = min(self.dead_letters, len(offers))
        self.dead_letters, offers = self.dead_letters - dropped, offers[dropped:]
        leases = await yard.ledger.leases.begin(self.name, offers, now=yard.clock.now())
        self.refused += len(offers) - len(leases)
        for lease in leases:
            self.started.append((yard.clock.monotonic(), lease.offer.job, lease.offer.seq))
            self._begin(lease)
        self.most = max(self.most, len(self.running))

    def _begin(self, lease: Lease) -> None:
        key = (lease.offer.job, lease.offer.seq)
        self.running[key] = lease
        life = self._lives[key] = asyncio.create_task(self._visit(lease))
        life.add_done_callback(lambda life: self._forget(key, life))

    def _forget(self, key: tuple[str, int], life: asyncio.Task[None]) -> None:
        if self._lives.get(key) is life:
            del self._lives[key]

    async def _visit(self, lease: Lease) -> None:
        offer, clock = lease.offer, self.yard.clock
        found = await self.yard.ledger.jobs.get(offer.job)
        site = self.contacts or (found.site.name if found else "")
        usual = self.seconds(lease) if callable(self.seconds) else self.seconds
        seconds, began = self.slow.get(offer.job, usual), clock.monotonic()
        try:
            for _ in range(self.requests):
                await self.purse.take(site)
                self.spent.append((clock.monotonic(), site))
                answer = self.answers(clock.monotonic(), site)
                if answer.seconds:
                    await clock.sleep(answer.seconds)
                self.purse.heard(answer)
            await clock.sleep(seconds)
            came = self.end(lease)
        except asyncio.CancelledError:
            if offer.job not in self.cancelled:
                raise
            came = VisitState.WAITING
        state = VisitState.FAILED if isinstance(came, Kind) else came
        kind = came if isinstance(came, Kind) else Kind.BLOCKED if state is VisitState.FAILED else None
        if not offer.sentinel:
            self.visits.append(Visit(began, clock.monotonic(), offer, came))
        ms, cost = round(seconds * 1000), self.cost(lease)
        self.ways.append(offer.way)
        self.notes.append(
            OutcomeNote(
                offer.job, offer.seq, site, offer.tier, offer.attempt, state, kind, ms, offer.epoch, offer.probe,
                cost_micros=cost, wire_bytes=cost * 1000, way=offer.way,
            )
        )  # fmt: skip
        del self.running[offer.job, offer.seq]
        if offer.sentinel:
            return
        if kind is not None and is_ours(kind):
            self.troubles[kind] += 1
        else:
            self.kept += 1
        attempt = Attempt(
            offer.attempt, offer.epoch, self.name, offer.tier, clock.now() - seconds, ms, state, kind,
            cost_micros=cost, wire_bytes=cost * 1000, probe=offer.probe,
        )  # fmt: skip
        if kind and (self.rungs > 1 or isinstance(came, Kind)):
            turn = after_failure(offer, kind, Policy(), Moment(clock.now(), 0.5), Asked(rungs=self.rungs))
            settlement = settle(lease, turn, attempt)
        else:
            settlement = Settlement(
                offer.job, offer.seq, offer.epoch, lease.fence, state, offer.attempt, kind=kind, attempt=attempt,
                losses=offer.losses, not_before=clock.now() + self.pause, rung=offer.rung, strikes=offer.strikes,
            )  # fmt: skip
        if self.commit:
            await clock.sleep(self.commit)
        recorded = await self.yard.ledger.leases.settle([settlement], now=clock.now())
        self.recorded += sum(recorded)
