"""The same kills on real servers, and what only servers can do: lose everything, answer twice or never, be cut off.

What was settled under a fence that is no more must not count: so of every item exactly one try may have succeeded.
"""

import os

import pytest

from chaos.cutting import Cut, balances, cut_off, some_done
from chaos.tool import Plan, run
from scrapeyard.settings import StorageSettings

CUT = float(os.environ.get("CHAOS_CUT", "10"))
"""Seconds for which a server is cut off; the soak takes a minute."""


async def test_kills_on_postgresql_lose_and_double_nothing(tmp_path, postgres):
    storage = StorageSettings(ledger=postgres.fresh())
    ledger = await run(tmp_path, Plan("workers", kills=3, items=300, storage=storage))
    balances(ledger)
    assert ledger.kills >= 3


async def test_redis_is_flushed_in_mid_job_while_answers_are_lost_and_deliveries_come_twice(tmp_path, postgres, redis):
    storage = StorageSettings(ledger=postgres.fresh(), live=redis.fresh())
    flushed: list[int] = []

    async def flush(yard, job, stick):
        for _ in range(3):
            flushed.append(await some_done(yard, job, 40))
            redis.flush()

    ledger = await run(tmp_path, Plan("workers", kills=2, items=400, storage=storage, faults=0.05), flush)
    balances(ledger)
    assert flushed[-1] < ledger.items
    assert all("On purpose: the answer to" in log.read_text() for log in tmp_path.glob("worker-*.log"))


@pytest.mark.parametrize("name", ["ledger", "live"])
async def test_workers_that_are_cut_off_from_a_server_record_nothing_late_and_go_on(tmp_path, postgres, redis, name):
    storage = StorageSettings(ledger=postgres.fresh(), live=redis.fresh())
    await cut_off(tmp_path, Cut(storage, name, CUT), 400)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["ledger", "live"])
async def test_workers_that_are_cut_off_for_a_minute_go_on(tmp_path, postgres, redis, name):
    storage = StorageSettings(ledger=postgres.fresh(), live=redis.fresh())
    await cut_off(tmp_path, Cut(storage, name, 60.0), 6_000)


@pytest.mark.soak
async def test_fifty_kills_on_servers_with_faults_lose_and_double_nothing(tmp_path, postgres, redis):
    storage = StorageSettings(ledger=postgres.fresh(), live=redis.fresh())
    ledger = await run(tmp_path, Plan("workers", kills=50, items=6_000, storage=storage, faults=0.05, patience=1_200.0))
    balances(ledger)
    assert ledger.kills >= 50
