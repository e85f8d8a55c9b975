"""One history: jobs are worked while everything that can go wrong goes wrong; then the faults stop, and all must end.

A violation names its seed, and the last that happened before it.
"""

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from scrapeyard.model.errors import ScrapeyardError
from scrapeyard.model.item import Item, NewItem, Selection
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import FINAL_VISITS, JobState, VisitState
from scrapeyard.ports.queue import Wants
from scrapeyard.results.manifest import manifest_lines
from scrapeyard.results.reader import ResultReader
from scrapeyard.testing.simulator.auditor import Violation
from scrapeyard.testing.simulator.loop import START, Luck, SkippingLoop, StandsStill, luck_of
from scrapeyard.testing.simulator.site import CARD, SITE
from scrapeyard.testing.simulator.world import LEASE, OFFER_TTL, World

_REMEMBERED = 60
_TROUBLE = (15.0, 60.0)
"""For how many virtual seconds things go wrong."""
_PATIENCE = 3600.0
"""Virtual seconds after the last fault within which everything must have ended."""
_SETTLED = OFFER_TTL + 12.0
"""Seconds after which nothing can start any more that was offered before a pause: the offer's life, the slowest way
that a question can take, and clocks that are wrong."""
_LOOK = 1.0
_ROUNDS = 100


class Story(NamedTuple):
    """What happened under one seed. `digest` is of every single step."""

    seed: int
    digest: str
    seconds: float
    items: int
    visits: int
    stale: int
    deeds: dict[str, int]


class Failed(Exception):
    """A seed under which something is wrong. The last steps are told."""

    def __init__(self, seed: int, error: BaseException, last: list[str]) -> None:
        steps = "\n".join(f"  {step}" for step in last)
        super().__init__(
            f"seed {seed}: {error}\n{steps}\n"
            f"Live through it again with: python -m scrapeyard.testing.simulator --seed {seed}"
        )
        self.seed = seed


def live(seed: int, *, aloud: Callable[[str], None] | None = None) -> Story:
    """Live through the history of a seed; `Failed` if an invariant does not hold."""
    last: deque[str] = deque(maxlen=_REMEMBERED)
    digest = hashlib.sha256()
    loop = SkippingLoop()

    def tell(what: str) -> None:
        step = f"{loop.time():10.3f} {what}"
        digest.update(step.encode())
        last.append(step)
        if aloud is not None:
            aloud(step)

    with luck_of(seed) as luck:
        asyncio.set_event_loop(loop)
        try:
            world = loop.run_until_complete(_live(seed, luck, tell))
        except (Violation, StandsStill, AssertionError) as error:
            raise Failed(seed, error, list(last)) from error
        finally:
            _clear(loop)
            asyncio.set_event_loop(None)
            loop.close()
    items = len({(job, seq) for job, seq, _ in world.auditor.recorded})
    return Story(
        seed, digest.hexdigest(), loop.time(), items, len(world.site.started), world.auditor.stale, dict(world.deeds)
    )


def _clear(loop: SkippingLoop) -> None:
    """Nobody outlives a history, however it ended. A visit that is cancelled may begin the next one on its way out, so
    it is done until nobody is left."""
    for _ in range(_ROUNDS):
        if not (rest := set(loop.unended)):
            return
        for task in rest:
            task.cancel()
        loop.run_until_complete(asyncio.wait(rest, timeout=_LOOK))
        for task in rest:
            if task.done() and not task.cancelled():
                task.exception()  # whatever it died of is no news any more
    raise AssertionError(f"These cannot be ended: {loop.unended}")


async def _live(seed: int, luck: Luck, tell: Callable[[str], None]) -> World:
    world = World(seed, luck, tell)
    history = History(world, luck)
    try:
        await history.submit()
        await history.trouble()
        history.calm()
        await history.come_to_an_end()
        await history.add_up()
    finally:
        await world.close()
    return world


class History:
    """What is done to a world."""

    def __init__(self, world: World, luck: Luck) -> None:
        self._world = world
        self._luck = luck
        self._jobs: list[JobId] = []
        self._held: dict[JobId, float] = {}
        self._looked = 0.0
        self._deeds = (
            [self._kill_worker] * 3 + [self._kill_child] * 3 + [self._kill_dispatcher] * 2 + [self._cut] * 5
            + [self._flush] * 2 + [self._drain] * 2 + [self._pause] * 2 + [self._skew] * 2 + [self._cancel]
        )  # fmt: skip

    async def submit(self) -> None:
        """One job or two, and everybody begins."""
        luck, ledger = self._luck, self._world.plain
        for number in range(luck.choice((1, 1, 2))):
            job = Job(
                id=JobId(f"job-{number}"), name=f"job-{number}", scraper=CARD.ref, site=SITE,
                policy=Policy(deadline=8.0, backoff_cap=6.0), created=START + number, order_key=luck.getrandbits(32),
                repeatable=luck.random() > 0.15,
            )  # fmt: skip
            await ledger.jobs.create(job)
            count = luck.randint(8, 30)
            keys = [f"k{seq}" + ("-killer" if luck.random() < 0.02 else "") for seq in range(count)]
            await ledger.items.add(job.id, [NewItem(key, b"{}") for key in keys])
            await ledger.items.seal(job.id)
            await ledger.jobs.advance(job.id, JobState.RUNNING, [JobState.LOADING], now=job.created)
            self._jobs.append(job.id)
        for role in (*self._world.workers, self._world.dispatchers[0]):
            role.begin()
        if luck.random() < 0.5:
            self._world.dispatchers[1].begin()

    async def trouble(self) -> None:
        """Things go wrong."""
        until = self._luck.uniform(*_TROUBLE)
        pace = self._luck.choice((1.0, 3.0, 8.0))
        while self._world.clock.monotonic() < until:
            await self._pass(self._luck.uniform(0.1, 2 * pace))
            deed = self._luck.choice(self._deeds)
            self._world.deeds[deed.__name__.strip("_")] += 1
            await deed()

    def calm(self) -> None:
        """The faults stop; everybody is there."""
        world = self._world
        world.tell("the faults stop")
        world.weather.calm()
        for role in world.roles:
            for cut in role.cuts.values():
                cut.cut = False
        for role in (*world.workers, world.dispatchers[0]):
            role.begin()

    async def come_to_an_end(self) -> None:
        """I8: every job ends, now that nothing hinders it."""
        until = self._world.clock.monotonic() + _PATIENCE
        redriven = self._luck.random() < 0.7
        while True:
            await self._pass(2.0)
            jobs = await self._all()
            for job in jobs:
                if job.state is JobState.PAUSED:  # by a person, or by a breaker that wants one
                    await self._resume(job.id)
            if all(job.state in (JobState.COMPLETED, JobState.CANCELLED) for job in jobs):
                if redriven:
                    break
                redriven = True
                await self._redrive(jobs)
            if self._world.clock.monotonic() > until:
                said = [f"{job.id} {job.state} {await self._world.plain.jobs.tally(job.id)}" for job in jobs]
                raise Violation(f"I8: it does not come to an end: {said} {await self._world.fleet.views()}")
        cancelled = any(job.state is JobState.CANCELLED for job in await self._all())
        await self._pass(3 * LEASE if cancelled else 2.0)  # its last items are given back, its manifest is written

    async def add_up(self) -> None:
        """I1, I4 and I6, and that everything which is told of can be read."""
        world = self._world
        reader = ResultReader(world.blobs)
        for job in await self._all():
            items = await self._items(job)
            tally = await world.plain.jobs.tally(job.id)
            if tally != await world.plain.jobs.recount(job.id) or sum(tally.states.values()) != job.total:
                raise Violation(f"I6: the counters of {job.id} do not add up: {tally}")
            if moving := [item.key for item in items if item.state not in FINAL_VISITS]:
                raise Violation(f"I1: {job.id} is {job.state}, and these have not ended: {moving[:5]}")
            lines = [msgspec.json.decode(line) async for line in manifest_lines(world.blobs, job.id)]
            if [(one["key"], one["outcome"]) for one in lines] != [(item.key, item.state) for item in items]:
                raise Violation(f"The manifest of {job.id} lists {len(lines)} items other than the ledger does.")
            for item in items:
                await self._readable(reader, item)

    async def _readable(self, reader: ResultReader, item: Item) -> None:
        if item.state is not VisitState.SUCCEEDED:
            return
        try:
            pages = [(await reader.page(capture)).body.decode() for capture in item.captures]
            rows = [row.key for row in await reader.rows(item.records)] if item.records else []
        except ScrapeyardError as error:
            raise Violation(f"{item.key} has a result which cannot be read: {error}") from error
        if pages != [item.key] or rows != [item.key]:
            raise Violation(f"{item.key} succeeded, but what was kept is {pages} and {rows}.")

    async def _pass(self, seconds: float) -> None:
        """Time goes by, and now and then somebody looks whether all is right."""
        until = self._world.clock.monotonic() + seconds
        while (left := until - self._world.clock.monotonic()) > 0:
            await asyncio.sleep(min(left, _LOOK))
            await self._look()

    async def _look(self) -> None:
        world = self._world
        world.check_roles()
        now = world.clock.monotonic()
        for job in await self._all():
            items = await self._items(job)
            world.auditor.looked(job, items)
            tally = await world.plain.jobs.tally(job.id)
            if sum(tally.states.values()) != len(items):
                raise Violation(f"I6: {job.id} has {len(items)} items, but its states add up to {tally.states}.")
            since = self._held.get(job.id)
            if (
                since is not None
                and now - since > _SETTLED
                and str(job.id) in {name for name, _ in world.auditor.begun}
            ):
                raise Violation(f"I7: an item of {job.id} began {now - since:.0f} s after it was paused.")
        world.auditor.begun.clear()

    async def _all(self) -> list[Job]:
        found = [await self._world.plain.jobs.get(job) for job in self._jobs]
        return [job for job in found if job is not None]

    async def _items(self, job: Job) -> list[Item]:
        return await self._world.plain.items.page(job.id, limit=500)

    async def _redrive(self, jobs: list[Job]) -> None:
        """A person wants the failed ones once more."""
        for job in jobs:
            if job.state is JobState.COMPLETED:
                count = await self._world.plain.items.redrive(job.id, Selection(), now=self._world.clock.now())
                if count:
                    self._world.deeds["redrive"] += 1
                    await self._move(job.id, JobState.RUNNING, JobState.COMPLETED)

    # What can go wrong

    async def _kill_worker(self) -> None:
        role = self._luck.choice(self._world.workers)
        self._later(role.begin, role.kill)

    async def _kill_dispatcher(self) -> None:
        role = self._luck.choice(self._world.dispatchers)
        self._later(role.begin, role.kill)

    async def _kill_child(self) -> None:
        children = self._luck.choice(self._world.workers).machine.children
        if children:
            self._luck.choice(children).die()

    async def _cut(self) -> None:
        role = self._luck.choice(self._world.roles)
        names = [name for name in role.cuts if self._luck.random() < 0.5]
        for name in names:
            role.cuts[name].cut = True
        await self._pass(self._luck.choice((0.5, 3.0, 8.0, 20.0)))
        for name in names:
            role.cuts[name].cut = False

    async def _flush(self) -> None:
        while await self._world.queue.take("nobody", Wants(CARD.lane), 1000, now=self._world.clock.now()):
            pass

    async def _drain(self) -> None:
        role = self._luck.choice(self._world.workers)
        if role.worker is not None and role.lives:
            role.worker.stop()

    async def _pause(self) -> None:
        job = self._luck.choice(self._jobs)
        if await self._move(job, JobState.PAUSED, JobState.RUNNING):
            self._held[job] = self._world.clock.monotonic()
            await self._pass(self._luck.choice((1.0, 5.0, _SETTLED + 5)))
            await self._resume(job)

    async def _cancel(self) -> None:
        if len(self._jobs) > 1 and self._luck.random() < 0.3:
            await self._move(self._jobs[0], JobState.CANCELLED, JobState.RUNNING, JobState.PAUSED)

    async def _skew(self) -> None:
        self._luck.choice(self._world.roles).clock.skew = self._luck.uniform(-2.0, 2.0)

    async def _resume(self, job: JobId) -> None:
        self._held.pop(job, None)
        await self._move(job, JobState.RUNNING, JobState.PAUSED)

    async def _move(self, job: JobId, to: JobState, *only_from: JobState) -> Job | None:
        self._world.tell(f"{job} is to be {to}")
        return await self._world.plain.jobs.advance(job, to, only_from, now=self._world.clock.now())

    def _later(self, begin: Callable[[], None], kill: Callable[[], None]) -> None:
        """Kill now, start anew in a while."""
        kill()
        asyncio.get_running_loop().call_later(self._luck.uniform(0.0, 6.0), begin)
