"""Everything of one deployment, small: the storage that all share, and for each role its own faulty way to it."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.memory.queue import MemoryQueue
from scrapeyard.dispatcher.dispatcher import Dispatcher
from scrapeyard.dispatcher.options import DispatcherOptions
from scrapeyard.dispatcher.options import Outside as DispatcherOutside
from scrapeyard.model.errors import LeaseLost, StorageError
from scrapeyard.model.secret import Redaction
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.queue import Queue
from scrapeyard.results.writer import SegmentWriter
from scrapeyard.scraping.sessions.pool import SessionPool
from scrapeyard.scraping.sessions.shelf import MemoShelf
from scrapeyard.testing.faults.kinds import Delay, DoubleDeliveries, Errors, LostAnswers, Partition
from scrapeyard.testing.faults.wrapping import Call, Going, wrapped
from scrapeyard.testing.simulator.auditor import Auditor, Violation
from scrapeyard.testing.simulator.loop import LoopClock, Luck
from scrapeyard.testing.simulator.machine import ChildProcess, Life, Machine
from scrapeyard.testing.simulator.site import NoProxies, Scraper, Scrapers, Site
from scrapeyard.worker.attempt import Bench
from scrapeyard.worker.channel import Channel
from scrapeyard.worker.child import Child
from scrapeyard.worker.messages import Down, Up
from scrapeyard.worker.options import ChildOptions, WorkerOptions
from scrapeyard.worker.worker import Outside as WorkerOutside
from scrapeyard.worker.worker import Worker

Port = TypeVar("Port")

LEASE = 12.0
OFFER_TTL = 8.0
_REST = 1.0
_WORKER = WorkerOptions(
    child_command=(), child_env={}, log=Path("/dev/null"), processes=2, concurrency=4, quarantine=1, ttl=LEASE,
    tick=0.25, settle_every=0.2, report_every=0.5, batch=20, stall_limit=20.0, grace=5.0, commit_every=0.4,
)  # fmt: skip
_DISPATCHER = DispatcherOptions(tick=0.25, offer_ttl=OFFER_TTL, lease=LEASE, leader_ttl=4.0, look=0.5)


class Weather(NamedTuple):
    """How bad it is: shares of questions that fail and of answers that are lost, seconds of delay, shares of doubles.

    It is the same for everybody, and changes for everybody at once.
    """

    errors: Errors
    lost: LostAnswers
    delay: Delay
    double: DoubleDeliveries

    def calm(self) -> None:
        """The faults stop; storage that is slow stays slow, for that is no fault."""
        self.errors.share = self.lost.share = self.double.share = 0.0


def weather_of(luck: Luck, clock: LoopClock) -> Weather:
    """Some good, some bad."""
    own = Luck(luck.random())
    shares = (0.0, 0.02, 0.05, 0.1)
    return Weather(
        Errors(own, luck.choice(shares)),
        LostAnswers(own, luck.choice(shares)),
        Delay(clock, own, luck.choice((0.002, 0.05, 0.3, 1.0))),
        DoubleDeliveries(own, luck.choice((0.0, 0.05, 0.3))),
    )


class Trail:
    """A fault that does no harm: it writes down who asked for what, and what came of it."""

    def __init__(self, who: str, tell: Callable[[str], None]) -> None:
        self._who = who
        self._tell = tell

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, and write it down."""
        try:
            answer = await go()
        except StorageError as error:
            self._tell(f"{self._who}: {call.name}: {error}")
            raise
        self._tell(f"{self._who}: {call.name}{'' if answer is None else f' {answer!r:.60}'}")
        return answer


class Role:
    """A worker or a dispatcher that is started anew whenever it ends, as an operator's machinery does."""

    def __init__(self, world: "World", name: str) -> None:
        self.world = world
        self.name = name
        self.clock = LoopClock()
        self.cuts = {port: Partition(self.clock) for port in ("ledger", "queue", "fleet", "blobs")}
        self.machine = Machine(Life(), self._born)
        self.task: asyncio.Task[None] | None = None
        self.worker: Worker | None = None

    def begin(self) -> None:
        """Start it, unless it is there."""
        if self.lives:
            return
        self.machine = Machine(Life(), self._born)
        run = self._disp() if self.name.startswith("dispatcher") else self._work()
        self.task = asyncio.create_task(run, name=self.name)
        self.world.tasks.append(self.task)

    @property
    def lives(self) -> bool:
        """Whether it runs."""
        return self.task is not None and not self.task.done() and not self.machine.life.dead

    def kill(self) -> None:
        """As by SIGKILL."""
        self.machine.kill()
        if self.task is not None:
            self.task.cancel()

    def _way(self, port: Port, name: str, life: Life) -> Port:
        weather = self.world.weather
        faults = (life, Trail(self.name, self.world.tell), self.cuts[name])
        return wrapped(port, name, *faults, weather.delay, weather.errors, weather.lost, weather.double)

    async def _disp(self) -> None:
        world, life = self.world, self.machine.life
        outside = DispatcherOutside(
            self._way(world.ledger, "ledger", life), self._way(world.queue, "queue", life),
            self._way(world.fleet, "fleet", life), self._way(world.blobs, "blobs", life), self.clock,
        )  # fmt: skip
        await Dispatcher(outside, _DISPATCHER).run()

    async def _work(self) -> None:
        """Workers, one after the other; one that meets no storage at its start is started anew."""
        world, life = self.world, self.machine.life
        outside = WorkerOutside(
            self._way(world.ledger, "ledger", life), self._way(world.queue, "queue", life),
            self._way(world.fleet, "fleet", life), Scrapers(self._no_scraper),
            MemoShelf(world.plain.memos, self.clock), self.clock,
        )  # fmt: skip
        while True:
            self.machine = Machine(life, self._born)
            self.worker = Worker(outside, _WORKER, self.machine)
            try:
                await self.worker.run()
            except LeaseLost as lost:
                world.tell(f"{self.name}: {lost}")
            except StorageError as error:
                if self.machine.children:
                    raise Violation(f"{self.name} ended, because storage failed for a moment: {error}") from error
            await self.clock.sleep(_REST)

    def _no_scraper(self) -> Scraper:
        raise Violation("A worker's own process loads no scraper.")

    def _born(self, process: ChildProcess, options: ChildOptions, channel: Channel[Up, Down]) -> Child:
        """A scraping process of this worker."""
        world = self.world
        blobs = self._way(world.blobs, "blobs", process.life)

        def writer(job: str) -> SegmentWriter:
            return SegmentWriter(blobs, job, options.worker, self.clock)

        scrapers = Scrapers(lambda: Scraper(world.site, self.clock, process.die))
        sessions = SessionPool(NoProxies(), MemoShelf(world.plain.memos, self.clock), self.clock)
        bench = Bench(scrapers, writer, self.clock, sessions, {}, Redaction())
        return Child(options, bench, self.clock, channel)


class World:
    """Storage, roles, and the weather between them."""

    def __init__(self, seed: int, luck: Luck, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.auditor = Auditor()
        self.site = Site(seed)
        self.clock = LoopClock()
        self.plain = MemoryLedger()
        self.ledger: Ledger = wrapped(self.plain, "ledger", self.auditor)
        self.queue: Queue = MemoryQueue()
        self.fleet: Fleet = MemoryFleet()
        self.blobs: Blobs = MemoryBlobs()
        self.weather = weather_of(luck, self.clock)
        self.tasks: list[asyncio.Task[None]] = []
        self.workers = [Role(self, f"worker-{number}") for number in range(1, luck.randint(2, 3) + 1)]
        self.dispatchers = [Role(self, "dispatcher-1"), Role(self, "dispatcher-2")]
        self.deeds: Counter[str] = Counter()

    @property
    def roles(self) -> list[Role]:
        """Everybody."""
        return [*self.workers, *self.dispatchers]

    def check_roles(self) -> None:
        """A role ends when it is killed, and for no other reason."""
        for task in self.tasks:
            if task.done() and not task.cancelled() and task.exception() is not None:
                error = task.exception()
                raise Violation(f"{task.get_name()} died of {error!r}.") from error

    async def close(self) -> None:
        """Everybody goes."""
        for role in self.roles:
            role.kill()
            for child in role.machine.children:
                child.die()
        await asyncio.sleep(1.0)
