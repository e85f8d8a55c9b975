"""Workers lose one of their servers for a while; nothing late may count, and they must go on soon after."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

from chaos.tool import Ledger, Plan, run
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import StorageSettings
from scrapeyard.testing.faults.wire import Wire

HEALED = 30.0
"""Seconds after the healing within which workers go on."""


def balances(ledger: Ledger) -> None:
    print("\n" + ledger.lines())
    assert ledger.job.state is JobState.COMPLETED
    assert (ledger.lost, ledger.doubled) == (0, 0)
    assert ledger.manifest == {VisitState.SUCCEEDED: ledger.items}
    assert ledger.tally.moving == 0


async def successes(yard, job) -> set[int]:
    """How often an item has succeeded: once, whatever happened."""
    counts: set[int] = set()
    after = -1
    while page := await yard.ledger.items.page(job.id, after=after, limit=500):
        for item in page:
            tries = await yard.ledger.items.attempts(job.id, item.seq)
            counts.add(sum(one.outcome == VisitState.SUCCEEDED for one in tries))
        after = page[-1].seq
    return counts


async def some_done(yard, job, more: int) -> int:
    """Wait until so many more items are done; gives how many are."""
    begun = (await yard.ledger.jobs.tally(job.id)).answered
    while (done := (await yard.ledger.jobs.tally(job.id)).answered) < begun + more:  # noqa: ASYNC110 - of other processes
        await asyncio.sleep(0.1)
    return done


async def finished(yard, job) -> None:
    """Wait for the job's end."""
    while (await yard.service.jobs.get(job.id)).state is not JobState.COMPLETED:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.2)


class Cut:
    """What is cut off: of the workers' `storage` the part with this name, at its server, for so many seconds."""

    def __init__(self, storage: StorageSettings, name: str, seconds: float, *, policy: Policy | None = None) -> None:
        self.storage = storage
        self.name = name
        self.seconds = seconds
        self.policy = policy if policy is not None else Policy()


async def cut_off(tmp_path, cut: Cut, items: int) -> None:
    """Let a job run and cut in the middle of it."""
    went_on: list[float] = []
    async with AsyncExitStack() as wires:
        wire = await wires.enter_async_context(Wire(_port(getattr(cut.storage, cut.name))))
        way = cut.storage.model_copy(update=_rewired(cut.storage, cut.name, wire.port))

        async def trouble(yard, job, stick):
            await some_done(yard, job, 30)
            wire.stall()
            await asyncio.sleep(cut.seconds)
            wire.heal()
            begun = time.monotonic()
            await some_done(yard, job, 30)
            went_on.append(time.monotonic() - begun)
            await finished(yard, job)
            assert await successes(yard, job) == {1}

        plan = Plan("workers", kills=0, items=items, storage=cut.storage, way=way, policy=cut.policy, patience=900.0)
        ledger = await run(tmp_path, plan, trouble)
    balances(ledger)
    server = urlsplit(getattr(cut.storage, cut.name)).scheme
    print(f"  {server} was cut off for {cut.seconds:.0f} s; 30 more items were done {went_on[0]:.1f} s after that")
    assert went_on[0] < HEALED


def _port(address: str) -> int:
    """Where the server of an address listens on this machine."""
    return int(address.rpartition("127.0.0.1:")[2].partition("/")[0].partition("&")[0].partition("?")[0])


def _rewired(storage: StorageSettings, name: str, port: int) -> Mapping[str, str]:
    address = getattr(storage, name)
    return {name: address.replace(f"127.0.0.1:{_port(address)}", f"127.0.0.1:{port}")}
