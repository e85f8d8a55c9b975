"""Runs a job, kills its processes again and again, and adds up: attempted, recorded, lost, doubled, recovered.

`python -m chaos.tool --victims workers --kills 50` runs it by hand; the tests run short forms of it.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import psutil

from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import FINAL_VISITS, JobState, VisitState
from scrapeyard.settings import Settings, StorageSettings, WorkerSettings
from scrapeyard.wiring import Yard, open_yard

SCRAPER = Path(__file__).with_name("scraper.py")
FAULTY = Path(__file__).with_name("faulty.py")
COMMAND = Path(sys.executable).with_name("scrapeyard")
ENOUGH = 10
"""A kill that hits fewer running items proves little, and does not count."""
_HIT = 12
"""So the tool waits for a victim with a few more: some end between the look and the kill."""


class Plan(NamedTuple):
    """One chaos run. `victims` are `scrapers` (children of one worker), `workers`, or `dispatcher`.

    Workers may have a way of their own to the same `storage`. A share of `faults` of everything that a role asks its
    storage for is done and then looks as if it had failed, and as many deliveries come twice.
    """

    victims: str
    kills: int
    items: int
    seconds: tuple[float, float] = (0.2, 2.0)
    seed: int = 7
    lease: float = 6.0
    deeds: tuple[str, ...] = ()
    memory_mb: int = 2048
    stall_limit: float = 30.0
    patience: float = 300.0
    storage: StorageSettings = StorageSettings()
    way: StorageSettings | None = None
    faults: float = 0.0
    policy: Policy = Policy()


class Hit(NamedTuple):
    """What one kill hit: items that were running, and all that were begun and not yet recorded."""

    running: int
    in_flight: int


class Ledger(NamedTuple):
    """What came of it."""

    items: int
    kills: int
    hits: list[Hit]
    attempted: int
    extra: int
    recorded: int
    lost: int
    doubled: int
    recovered: int
    tally: Tally
    job: Job
    manifest: Counter[str]
    keys: Counter[str]
    kinds: dict[str, str]

    @property
    def in_flight(self) -> int:
        """At all kills together."""
        return sum(hit.in_flight for hit in self.hits)

    def lines(self) -> str:
        """For people."""
        return (
            f"items {self.items}, kills {self.kills} that hit {ENOUGH} running items or more\n"
            f"  running items hit {[hit.running for hit in self.hits]}, in flight at the kills {self.in_flight}\n"
            f"  attempted {self.attempted} ({self.extra} more than items), recorded {self.recorded}\n"
            f"  lost {self.lost}, doubled {self.doubled}, recovered {self.recovered}"
        )


class Yardstick:
    """The processes of one run and the file in which every start and end is told."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan = plan
        self.folder = folder
        self.log = folder / "executions.log"
        self.log.touch()
        self.roles: dict[str, subprocess.Popen[bytes]] = {}
        self._luck = random.Random(plan.seed)
        one = plan.victims == "scrapers"
        self.settings = Settings(
            data=folder / "data",
            storage=plan.storage,
            scrapers=(str(SCRAPER),),
            worker=WorkerSettings(
                processes=4 if one else 1,
                concurrency=16,
                quarantine=4 if one else 2,
                lease=plan.lease,
                grace=5.0,
                memory_mb=plan.memory_mb,
                stall_limit=plan.stall_limit,
            ),
        )
        self.names = ["dispatcher", "worker-1"] if one else ["dispatcher", *(f"worker-{n}" for n in range(1, 5))]

    def begin(self) -> None:
        """Start every role."""
        for name in self.names:
            self.start(name)

    def start(self, name: str) -> None:
        """One role, in a process of its own."""
        worker = self.settings.worker
        env = {
            **os.environ,
            "CHAOS_LOG": str(self.log),
            "SCRAPEYARD_DATA": str(self.settings.data),
            "SCRAPEYARD_SCRAPERS": json.dumps([str(SCRAPER)]),
            "SCRAPEYARD_WORKER__PROCESSES": str(worker.processes),
            "SCRAPEYARD_WORKER__CONCURRENCY": str(worker.concurrency),
            "SCRAPEYARD_WORKER__QUARANTINE": str(worker.quarantine),
            "SCRAPEYARD_WORKER__LEASE": str(worker.lease),
            "SCRAPEYARD_WORKER__GRACE": str(worker.grace),
            "SCRAPEYARD_WORKER__MEMORY_MB": str(worker.memory_mb),
            "SCRAPEYARD_WORKER__STALL_LIMIT": str(worker.stall_limit),
        }
        role = name.partition("-")[0]
        way = self.plan.way if self.plan.way is not None and role == "worker" else self.plan.storage
        env |= {f"SCRAPEYARD_STORAGE__{part.upper()}": address for part, address in way if address}
        command = [str(COMMAND), role]
        if self.plan.faults:
            command = [sys.executable, str(FAULTY), str(self.plan.faults), role]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.roles[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, start_new_session=True
            )

    def running(self) -> Counter[int]:
        """Items under way by process id, as the scraper itself told."""
        open_by: dict[tuple[str, int], int] = Counter()
        for what, key, pid in self.told():
            open_by[key, pid] += 1 if what == "start" else -1
        return Counter(pid for (_, pid), count in open_by.items() if count > 0)

    def told(self) -> list[tuple[str, str, int]]:
        """Every start and end."""
        return [
            (what, key, int(pid)) for what, key, pid in (line.split() for line in self.log.read_text().splitlines())
        ]

    def logs(self) -> str:
        """The end of what every role said."""
        return "\n".join((self.folder / f"{name}.log").read_text()[-1500:] for name in self.names)

    def alive(self) -> None:
        """Nobody has died whom we did not kill; a run without workers would wait for ever.

        With faults a role may find no storage at its very start; then it is started anew, as any operator would.
        """
        for name, role in list(self.roles.items()):
            if role.poll() is not None and self.plan.faults:
                self.start(name)
            elif role.poll() is not None:
                raise AssertionError(f"{name} ended by itself with code {role.returncode}\n{self.logs()}")

    def victim(self) -> tuple[str, list[int]] | None:
        """Somebody with enough under way: its name, and the processes that die with it."""
        under_way = self.running()
        if self.plan.victims == "dispatcher":
            enough = under_way.total() >= _HIT
            return ("dispatcher", [self.roles["dispatcher"].pid]) if enough else None
        choices: list[tuple[str, list[int]]] = []
        for name in self.names:
            if name == "dispatcher":
                continue
            children = _children(self.roles[name].pid)
            if self.plan.victims == "scrapers":
                choices += [(name, [child]) for child in children if under_way[child] >= _HIT]
            elif sum(under_way[child] for child in children) >= _HIT:
                choices.append((name, [self.roles[name].pid]))
        return self._luck.choice(choices) if choices else None

    async def kill(self, final: Callable[[], Awaitable[set[str]]]) -> Hit | None:
        """Kill one and start it again if it was a role; gives what it hit.

        In flight is what the dead processes had begun and what is not `final` in the ledger once they are gone. A
        dispatcher has nothing in flight; what it hits is what runs elsewhere without it.
        """
        found = self.victim()
        if found is None:
            return None
        name, pids = found
        elsewhere = self.running().total() if self.plan.victims == "dispatcher" else 0
        family = [*pids, *(child for pid in pids for child in _children(pid))]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.plan.victims != "scrapers":
            await asyncio.to_thread(self.roles[name].wait)
        if self.plan.victims != "dispatcher":
            while any(_lives(pid) for pid in family):  # noqa: ASYNC110 - the dying tell nobody
                await asyncio.sleep(0.02)
        begun: dict[str, bool] = {}
        for what, key, pid in self.told():
            if pid in family:
                begun[key] = what == "start"
        done = await final() if begun else set[str]()
        if self.plan.victims != "scrapers":
            self.start(name)
        return Hit(elsewhere or sum(begun.values()), sum(1 for key in begun if key not in done))

    def end(self) -> None:
        """Stop every role the hard way; they have nothing left to do."""
        for role in self.roles.values():
            family = _children(role.pid)
            for pid in (role.pid, *family):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            role.wait()


def _children(pid: int) -> list[int]:
    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.NoSuchProcess:
        return []


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


Trouble = Callable[[Yard, Job, Yardstick], Awaitable[None]]


async def run(folder: Path, plan: Plan, trouble: Trouble | None = None) -> Ledger:
    """The whole run. `trouble` is what else happens meanwhile."""
    os.environ["CHAOS_LOG"] = str(folder / "executions.log")
    stick = Yardstick(folder, plan)
    async with open_yard(stick.settings) as yard:
        job = await submit(yard, plan)
        stick.begin()
        try:
            if trouble is not None:
                await trouble(yard, job, stick)
            hits = await harass(yard, job, stick)
            await finish(yard, job, stick)
        finally:
            stick.end()
        return await add_up(yard, job, stick, hits)


async def submit(yard: Yard, plan: Plan) -> Job:
    """A sealed job."""
    luck = random.Random(plan.seed)
    card = yard.scrapers.find("chaos.task")
    check = yard.scrapers.load(card.ref).check_inputs
    opened = await yard.service.jobs.open(JobOrder("chaos", card, plan.policy))
    rows = [{"key": f"k{n:05d}", "seconds": round(luck.uniform(*plan.seconds), 3)} for n in range(plan.items)]
    rows += [{"key": f"bad-{deed}-{n}", "seconds": 0.1, "deed": deed} for n, deed in enumerate(plan.deeds)]
    await yard.service.jobs.load(opened.job.id, [NewItem(*check(row)) for row in rows])
    return await yard.service.jobs.seal(opened.job.id)


async def harass(yard: Yard, job: Job, stick: Yardstick) -> list[Hit]:
    """Kill as often as planned, while there is something to hit."""
    hits: list[Hit] = []
    luck = random.Random(stick.plan.seed + 1)
    limit = time.monotonic() + stick.plan.patience
    while well_hit(hits) < stick.plan.kills:
        await asyncio.sleep(luck.uniform(0.1, 0.9))
        stick.alive()
        if time.monotonic() > limit:
            raise AssertionError(f"only {well_hit(hits)} kills in {stick.plan.patience:.0f} s\n{stick.logs()}")
        if (await yard.service.jobs.get(job.id)).state is JobState.COMPLETED:
            break
        hit = await stick.kill(lambda: final_keys(yard, job))
        if hit is not None:
            hits.append(hit)
    return hits


def well_hit(hits: list[Hit]) -> int:
    """Kills that count."""
    return sum(hit.running >= ENOUGH for hit in hits)


async def final_keys(yard: Yard, job: Job) -> set[str]:
    """The keys of all items that have their outcome."""
    keys: set[str] = set()
    after = -1
    while page := await yard.ledger.items.page(job.id, after=after):
        keys.update(item.key for item in page if item.state in FINAL_VISITS)
        after = page[-1].seq
    return keys


async def finish(yard: Yard, job: Job, stick: Yardstick) -> None:
    """Wait for the job's end."""
    limit = time.monotonic() + stick.plan.patience
    while (await yard.service.jobs.get(job.id)).state is not JobState.COMPLETED:
        if time.monotonic() > limit:
            status = await yard.service.jobs.status(job.id)
            raise AssertionError(f"the job does not end: {status}\n{stick.logs()}")
        stick.alive()
        await asyncio.sleep(0.2)


async def add_up(yard: Yard, job: Job, stick: Yardstick, hits: list[Hit]) -> Ledger:
    """Hold the ledger, the manifest and what was really executed against each other."""
    lines = [json.loads(line) async for line in yard.service.results.manifest_lines(job.id)]
    keys = Counter[str](line["key"] for line in lines)
    starts = Counter(key for what, key, _ in stick.told() if what == "start")
    status = await yard.service.jobs.status(job.id)
    total = status.job.total or 0
    good = {line["key"] for line in lines if line["outcome"] == VisitState.SUCCEEDED}
    return Ledger(
        items=total,
        kills=well_hit(hits),
        hits=hits,
        attempted=starts.total(),
        extra=starts.total() - len(starts),
        recorded=sum(status.tally.count(state) for state in VisitState if state is not VisitState.WAITING),
        lost=total - len(keys),
        doubled=sum(count - 1 for count in keys.values()),
        recovered=sum(1 for key in good if starts[key] > 1),
        tally=status.tally,
        job=status.job,
        manifest=Counter(line["outcome"] for line in lines),
        keys=keys,
        kinds={line["key"]: line["kind"] for line in lines if line.get("kind")},
    )


def main() -> None:
    """By hand."""
    import argparse
    import tempfile

    parser = argparse.ArgumentParser(description="Kill and count.")
    parser.add_argument("--victims", choices=["scrapers", "workers", "dispatcher"], default="workers")
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--items", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=7)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(words.victims, words.kills, words.items, seed=words.seed)
        print(asyncio.run(run(Path(folder), plan)).lines())


if __name__ == "__main__":
    main()
