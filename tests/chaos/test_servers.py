"""The same kills on real servers, and what only servers can do: lose everything, answer twice or never, be cut off.

What was settled under a fence that is no more must not count: so of every item exactly one try may have succeeded.
"""

import asyncio
import os
import time

import pytest

from chaos.tool import Ledger, Plan, run
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import StorageSettings
from scrapeyard.testing.faults.wire import Wire

CUT = float(os.environ.get("CHAOS_CUT", "15"))
"""Seconds for which a server is cut off; the soak takes a minute."""
HEALED = 30.0


def balances(ledger: Ledger) -> None:
    print("\n" + ledger.lines())
    assert ledger.job.state is JobState.COMPLETED
    assert (ledger.lost, ledger.doubled) == (0, 0)
    assert ledger.manifest == {VisitState.SUCCEEDED: ledger.items}
    assert ledger.tally.moving == 0


async def successes(yard, job) -> set[int]:
    """How often an item has succeeded: once, whatever happened."""
    counts: set[int] = set()
    for item in await yard.ledger.items.page(job.id, limit=2_000):
        tries = await yard.ledger.items.attempts(job.id, item.seq)
        counts.add(sum(one.outcome == VisitState.SUCCEEDED for one in tries))
    return counts


async def some_done(yard, job, more: int) -> int:
    """Wait until so many more items are done; gives how many are."""
    begun = (await yard.ledger.jobs.tally(job.id)).answered
    while (done := (await yard.ledger.jobs.tally(job.id)).answered) < begun + more:  # noqa: ASYNC110 - of other processes
        await asyncio.sleep(0.1)
    return done


async def test_kills_on_postgresql_lose_and_double_nothing(tmp_path, postgres):
    storage = StorageSettings(ledger=postgres.fresh())
    ledger = await run(tmp_path, Plan("workers", kills=4, items=500, storage=storage))
    balances(ledger)
    assert ledger.kills >= 4


async def test_redis_is_flushed_in_mid_job_while_answers_are_lost_and_deliveries_come_twice(tmp_path, postgres, redis):
    storage = StorageSettings(ledger=postgres.fresh(), live=redis.fresh())
    flushed: list[int] = []

    async def flush(yard, job, stick):
        for _ in range(3):
            flushed.append(await some_done(yard, job, 40))
            redis.flush()

    ledger = await run(tmp_path, Plan("workers", kills=2, items=500, storage=storage, faults=0.05), flush)
    balances(ledger)
    assert flushed[-1] < ledger.items
    assert all("On purpose: the answer to" in log.read_text() for log in tmp_path.glob("worker-*.log"))


async def cut_off(tmp_path, postgres, redis, name: str, seconds: float, items: int) -> None:
    """Workers lose one server for so long; nothing late counts, and they go on soon after."""
    storage = StorageSettings(ledger=postgres.fresh(), live=redis.fresh())
    went_on: list[float] = []
    async with Wire(postgres.port) as ledger_wire, Wire(redis.port) as live_wire:
        way = StorageSettings(
            ledger=storage.ledger.replace(str(postgres.port), str(ledger_wire.port)),
            live=storage.live.replace(str(redis.port), str(live_wire.port)),
        )

        async def cut(yard, job, stick):
            await some_done(yard, job, 30)
            wire = {"postgresql": ledger_wire, "redis": live_wire}[name]
            wire.stall()
            await asyncio.sleep(seconds)
            wire.heal()
            begun = time.monotonic()
            await some_done(yard, job, 30)
            went_on.append(time.monotonic() - begun)
            await finished(yard, job)
            assert await successes(yard, job) == {1}

        ledger = await run(tmp_path, Plan("workers", kills=0, items=items, storage=storage, way=way), cut)
    balances(ledger)
    print(f"  {name} was cut off for {seconds:.0f} s; 30 more items were done {went_on[0]:.1f} s after that")
    assert went_on[0] < HEALED


async def finished(yard, job) -> None:
    """Wait for the job's end."""
    while (await yard.service.jobs.get(job.id)).state is not JobState.COMPLETED:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.2)


@pytest.mark.parametrize("name", ["postgresql", "redis"])
async def test_workers_that_are_cut_off_from_a_server_record_nothing_late_and_go_on(tmp_path, postgres, redis, name):
    await cut_off(tmp_path, postgres, redis, name, CUT, 500)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["postgresql", "redis"])
async def test_workers_that_are_cut_off_for_a_minute_go_on(tmp_path, postgres, redis, name):
    await cut_off(tmp_path, postgres, redis, name, 60.0, 6_000)


@pytest.mark.soak
async def test_fifty_kills_on_servers_with_faults_lose_and_double_nothing(tmp_path, postgres, redis):
    storage = StorageSettings(ledger=postgres.fresh(), live=redis.fresh())
    ledger = await run(tmp_path, Plan("workers", kills=50, items=6_000, storage=storage, faults=0.05, patience=1_200.0))
    balances(ledger)
    assert ledger.kills >= 50
