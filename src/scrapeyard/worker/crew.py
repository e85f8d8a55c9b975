"""All children of a worker: started, fed, listened to, replaced when they die.

Ordinary children run many items at once. An item that was under way when a child died is a suspect and runs
alone in a quarantine child (a cell), so that a killer item is found by itself while the others go on at full speed.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Sequence

import msgspec
import structlog

from scrapeyard.model.errors import ScrapeyardError
from scrapeyard.model.fleet import OutcomeNote, Permit
from scrapeyard.model.item import Lease
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.sessions import Shelf
from scrapeyard.worker.census import Census
from scrapeyard.worker.hand import Crash, Hand
from scrapeyard.worker.machine import Machine
from scrapeyard.worker.messages import Done, Ended, Forget, Hello, Pulse, Put, Refuse, Returned, Take
from scrapeyard.worker.options import ChildOptions, WorkerOptions

log = structlog.get_logger(__name__)

_STILLBORN = 5
"""So many children that die before their first word, one after the other, end the worker."""


class CannotScrape(ScrapeyardError):
    """Scraping processes do not start here."""


class CrewEvents(msgspec.Struct, frozen=True):
    """Whom a crew tells, and the shelf on which its children leave sessions for others."""

    ended: Callable[[Sequence[tuple[Lease, Ended]]], None]
    released: Callable[[Sequence[Lease]], None]
    crashed: Callable[[Crash], None]
    noted: Callable[[Sequence[OutcomeNote]], None]
    shelf: Shelf


class Crew:
    """The children of one worker."""

    def __init__(self, worker: str, options: WorkerOptions, clock: Clock, machine: Machine, events: CrewEvents) -> None:
        self._worker = worker
        self._options = options
        self._machine = machine
        self._clock = clock
        self._events = events
        self._hands: list[Hand] = []
        self._suspects: deque[Lease] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._building = 0
        self._stillborn = 0
        self._closing = False
        self.census = Census(options, self._hands, self._suspects, machine.resident)
        self.broken: CannotScrape | None = None

    async def open(self) -> None:
        """Start the ordinary children."""
        await asyncio.gather(*(self._hire(cell=False) for _ in range(self._options.processes)))

    def give(self, leases: Sequence[Lease]) -> None:
        """Share new leases out: suspects to the cells, the rest to whoever holds least."""
        ordinary = [hand for hand in self._hands if not hand.cell]
        if not ordinary:
            self._events.released(leases)
            return
        shares: list[list[Lease]] = [[] for _ in ordinary]
        loads = [hand.busy for hand in ordinary]
        for lease in leases:
            if lease.offer.crashes:
                self._suspects.append(lease)
                continue
            least = loads.index(min(loads))
            loads[least] += 1
            shares[least].append(lease)
        for hand, share in zip(ordinary, shares, strict=True):
            if share:
                hand.give(share)
        self._fill_cells()

    def grant(self, permits: Sequence[Permit]) -> None:
        """Share permits out by demand."""
        for permit in permits:
            asking = [hand for hand in self._hands if hand.wants(permit.site)] or self._hands
            total = sum(hand.wants(permit.site) or 1 for hand in asking)
            left = permit.count
            for hand in asking:
                share = permit.count
                if share > 0:  # -1 stands for as many as wanted and is passed on as it is
                    share = min(left, -(-permit.count * (hand.wants(permit.site) or 1) // max(1, total)))
                    left -= share
                if share or not permit.count:  # a permit for nothing takes back what was given without limit
                    hand.grant([Permit(permit.site, share, permit.seconds)])

    def cancel(self, jobs: frozenset[str]) -> None:
        """Stop the items of these jobs."""
        for hand in self._hands:
            if any(lease.offer.job in jobs for lease in hand.leases.values()):
                hand.cancel(jobs)

    def inspect(self) -> None:
        """Kill children whose loop stands still or that have grown too large."""
        now = self._clock.monotonic()
        for hand in self._hands:
            # the watchdog knows whose fault a stall is, so it gets two seconds' start
            if hand.pulsed is not None and now - hand.pulsed > self._options.stall_limit + 2:
                hand.kill(f"its event loop stood still for {self._options.stall_limit:g} s")
            elif self._machine.resident(hand.pid) > self._options.child_memory:
                hand.kill(f"it held more than {self._options.child_memory >> 20} MiB")

    def drain(self, *, now: bool) -> None:
        """Ask every child to finish what runs, or to stop."""
        self._closing = True
        if self._suspects:
            self._events.released(tuple(self._suspects))
            self._suspects.clear()
        for hand in self._hands:
            hand.drain(now=now)

    def kill(self) -> None:
        """End every child at once; what they held is dropped, not released."""
        self._closing = True
        for hand in self._hands:
            hand.leases = {}
            hand.kill("the worker stops at once")

    async def gone(self) -> None:
        """Wait until every child has ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _spawn(self, life: asyncio.Task[None]) -> None:
        self._tasks.add(life)
        life.add_done_callback(self._tasks.discard)

    async def _hire(self, *, cell: bool) -> Hand:
        options = self._options
        child = ChildOptions(self._worker, slots=1, stall_limit=options.stall_limit)
        if not cell:  # in a cell the next suspect waits, so nothing is gathered there
            child = msgspec.structs.replace(
                child,
                slots=options.concurrency,
                commit_every=options.commit_every,
                commit_items=options.commit_items,
            )
        hand = await self._machine.start(options, child)
        hand.cell = cell
        self._hands.append(hand)
        if self._closing:  # the worker began to stop while this one was being born
            hand.kill("the worker stops")
        if hand.watch is not None:
            self._watch(hand, hand.watch)
        self._spawn(asyncio.create_task(self._listen(hand)))
        return hand

    def _watch(self, hand: Hand, pipe: int) -> None:
        """Kill a child as soon as its watchdog names the item that blocks it."""
        loop = asyncio.get_running_loop()

        def told() -> None:
            said = os.read(pipe, 4096)
            job, _, seq = said.decode().split("\n", 1)[0].rpartition("/")
            if not said:
                loop.remove_reader(pipe)
                os.close(pipe)
            elif seq.removeprefix("-").isdigit():
                hand.kill(f"item {seq} blocked its process", (job, int(seq)))

        loop.add_reader(pipe, told)

    async def _listen(self, hand: Hand) -> None:
        """One child's whole life."""
        while (message := await hand.channel.receive()) is not None:
            match message:
                case Done():
                    self._events.ended(hand.done(message))
                case Pulse():
                    hand.pulse(message, self._clock.monotonic())
                    if message.notes:
                        self._events.noted(message.notes)
                case Returned():
                    self._events.released(hand.returned(message))
                case Take() | Put() | Forget() | Refuse():
                    self._spawn(asyncio.create_task(hand.shelve(self._events.shelf, message)))
                case Hello():
                    hand.pulsed = self._clock.monotonic()
                    self._stillborn = 0
            if hand.cell:
                self._fill_cells()
        await hand.process.wait()
        await hand.channel.close()
        await self._replace(hand)

    async def _replace(self, hand: Hand) -> None:
        self._hands.remove(hand)
        crash = hand.crash()
        if crash.suspects or not self._closing:
            log.warning("child lost", pid=hand.pid, cause=crash.cause, suspects=len(crash.suspects))
        self._events.crashed(crash)
        if hand.pulsed is None:
            self._stillborn += 1
        if self._stillborn >= _STILLBORN:
            self.broken = CannotScrape(f"scraping processes die at once; {self._options.log} says why")
        if self._closing or self.broken:
            return
        if hand.cell:
            self._fill_cells()
        else:
            await self._clock.sleep(0.2 * self._stillborn)
            await self._hire(cell=False)

    def _fill_cells(self) -> None:
        """Give each empty cell one suspect, and build cells while suspects wait."""
        cells = [hand for hand in self._hands if hand.cell]
        for cell in cells:
            if self._suspects and not cell.leases:
                cell.give([self._suspects.popleft()])
        if self._suspects and not self._closing and len(cells) + self._building < self._options.quarantine:
            self._building += 1
            self._spawn(asyncio.create_task(self._build_cell()))

    async def _build_cell(self) -> None:
        try:
            await self._hire(cell=True)
        finally:
            self._building -= 1
        self._fill_cells()
