"""The process that scrapes.

Author code runs here and only here: it may block, leak or die, and takes nobody with it but the items of this
process. Up to `slots` visits run at once; what they bring home is written to segments by this process itself
and made durable for many at a time; only then is the parent told, so that whatever it records, exists.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.item import Lease
from scrapeyard.model.states import ReadingState
from scrapeyard.ports.clock import Clock
from scrapeyard.worker.attempt import Bench, Draft, attempt
from scrapeyard.worker.channel import Channel
from scrapeyard.worker.lines import working_on
from scrapeyard.worker.messages import Cancel, Done, Down, Drain, Grant, Hello, Pulse, Returned, Run, Taken, Up
from scrapeyard.worker.options import ChildOptions
from scrapeyard.worker.purse import Purse

log = logging.getLogger(__name__)
"""The plain one: it is loaded anyhow, and each process of these is one of many."""


class Running:
    """One visit under way."""

    __slots__ = ("dropped", "due", "lease", "task")

    def __init__(self, lease: Lease, due: float) -> None:
        self.lease = lease
        self.due = due
        self.dropped = False
        self.task: asyncio.Task[None] | None = None


class Child:
    """The loop of one scraping process."""

    def __init__(self, options: ChildOptions, bench: Bench, clock: Clock, channel: Channel[Up, Down]) -> None:
        self._options = options
        self._bench = bench
        self._clock = clock
        self._channel = channel
        self._purse = Purse(clock)
        self._waiting: deque[Lease] = deque()
        self._running: dict[tuple[str, int], Running] = {}
        self._drafts: list[Draft] = []
        self._notes: list[OutcomeNote] = []
        self._started = 0
        self._draining = False
        self._full = asyncio.Event()
        self._idle = asyncio.Event()
        self._ended = asyncio.Event()
        self.beat: Callable[[], None] = lambda: None
        self.taken: Callable[[Taken], None] = lambda _: None

    async def run(self, pid: int) -> None:
        """Work until the parent says so, or is gone."""
        self._channel.send(Hello(pid))
        chores = [
            asyncio.create_task(chore()) for chore in (self._commit_loop, self._pulse_loop, self._listen, self._end)
        ]
        try:
            done, _ = await asyncio.wait(chores, return_when=asyncio.FIRST_COMPLETED)
            for chore in done:
                chore.result()  # a chore that failed ends the process, which the parent notices
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)
            await self._commit()
            await self._bench.close()
            await self._channel.close()

    async def _end(self) -> None:
        await self._ended.wait()

    async def _listen(self) -> None:
        while (message := await self._channel.receive()) is not None:
            match message:
                case Run(leases):
                    self._accept(leases)
                case Grant(permits):
                    for permit in permits:
                        self._purse.grant(permit)
                case Cancel(jobs):
                    self._drop(lambda lease: lease.offer.job in jobs)
                case Drain(now):
                    self._drain(now)
                case Taken():
                    self.taken(message)
        self._drop(lambda _: True)
        self._ended.set()

    def _accept(self, leases: tuple[Lease, ...]) -> None:
        if self._draining:
            self._give_back(leases)
            return
        self._waiting.extend(leases)
        self._fill()

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._options.slots:
            lease = self._waiting.popleft()
            offer = lease.offer
            self._started += 1
            running = Running(lease, self._clock.monotonic() + offer.deadline)
            self._running[offer.job, offer.seq] = running
            running.task = asyncio.create_task(self._visit(running), name=f"{offer.job}/{offer.seq}")

    async def _visit(self, running: Running) -> None:
        offer = running.lease.offer
        try:
            working_on(running.lease.offer)
            draft = await attempt(running.lease, self._bench, self._purse)
        except asyncio.CancelledError:
            if not running.dropped:
                raise
            self._give_back((running.lease,))
        else:
            self._drafts.append(draft)
            ended = draft.ended
            self._notes.append(
                OutcomeNote(
                    offer.job, offer.seq, draft.site, offer.tier, offer.attempt, ended.state.value, ended.kind,
                    ended.ms, offer.epoch, offer.probe, ended.proxy, ended.wire_bytes, ended.cost_micros,
                    retry_after=ended.retry_after, way=offer.way,
                    readable=ended.reading is not ReadingState.UNREADABLE,
                )
            )  # fmt: skip
            if len(self._drafts) >= self._options.commit_items:
                self._full.set()
        finally:
            self._running.pop((offer.job, offer.seq), None)
            self._fill()
            if not self._running:
                self._purse.thirst.set()  # nothing is left to do: whoever has more should hear of it at once
            self._check_idle()

    def _give_back(self, leases: tuple[Lease, ...]) -> None:
        if leases:
            self._channel.send(Returned(tuple((one.offer.job, one.offer.seq, one.fence) for one in leases)))

    def _drop(self, picks: Callable[[Lease], bool]) -> None:
        """Stop the picked items, waiting and running, and give them back."""
        self._give_back(tuple(lease for lease in self._waiting if picks(lease)))
        self._waiting = deque(lease for lease in self._waiting if not picks(lease))
        for running in self._running.values():
            if picks(running.lease) and running.task is not None:
                running.dropped = True
                running.task.cancel()

    def _drain(self, now: bool) -> None:
        self._draining = True
        self._give_back(tuple(self._waiting))
        self._waiting.clear()
        if now:
            self._drop(lambda _: True)
        self._check_idle()

    def _check_idle(self) -> None:
        if self._draining and not self._running:
            self._idle.set()
            self._full.set()

    async def _commit_loop(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._options.commit_every):
                    await self._full.wait()
            except TimeoutError:
                pass  # the window is over: commit what there is
            self._full.clear()
            await self._commit()
            if self._idle.is_set():
                self._ended.set()

    async def _commit(self) -> None:
        """Segments first, then the word to the parent."""
        drafts, self._drafts = self._drafts, []
        if not drafts:
            try:
                await self._bench.tidy({job for job, _ in self._running})
            except StorageError as error:  # all that was told of is durable; what runs here must not die of this
                log.warning("a segment cannot be closed now: %s", error)
            return
        try:
            await self._bench.sync()
        except StorageError as error:
            self._channel.send(Done(tuple(draft.lost(error) for draft in drafts)))
        else:
            self._channel.send(Done(tuple(draft.durable() for draft in drafts)))

    async def _pulse_loop(self) -> None:
        due = self._clock.monotonic()
        while True:
            self.beat()
            now = self._clock.monotonic()
            lag, due = max(0.0, now - due), now + self._options.pulse_every
            late = now - self._options.stuck_grace
            stuck = tuple(key for key, one in self._running.items() if one.due < late and self._obeys_not(one, now))
            notes, self._notes = tuple(self._notes), []
            purse = self._purse
            demand, ahead = purse.demand()
            self._channel.send(Pulse(self._started, demand, notes, stuck, purse.answers(), ahead, purse.unspent(), lag))
            try:
                async with asyncio.timeout(self._options.pulse_every):
                    await self._purse.thirst.wait()
            except TimeoutError:
                pass  # nobody is thirsty: the ordinary beat
            self._purse.thirst.clear()

    def _obeys_not(self, running: Running, now: float) -> bool:
        """Whether a visit past its deadline has been told to stop and goes on; waiting for permits is no offence."""
        task = running.task
        if task is None or task.done():
            return False
        if task.cancelling() == 0:
            running.due = now + running.lease.offer.deadline
            return False
        return True
