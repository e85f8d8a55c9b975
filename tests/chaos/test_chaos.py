"""Processes are killed at random while items run; afterwards the books must balance to the item."""

import os

import pytest

from chaos.tool import Ledger, Plan, run
from scrapeyard.model.failures import Kind
from scrapeyard.model.states import JobState, VisitState


def balances(ledger: Ledger) -> None:
    print("\n" + ledger.lines())
    assert ledger.job.state is JobState.COMPLETED
    assert ledger.lost == 0
    assert ledger.doubled == 0
    assert sum(ledger.manifest.values()) == ledger.items
    assert ledger.tally.moving == 0
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.tally.count(VisitState.SUCCEEDED)


@pytest.mark.parametrize("victims", ["workers", "scrapers"])
async def test_killed_processes_lose_and_double_nothing(tmp_path, victims):
    ledger = await run(tmp_path, Plan(victims, kills=8, items=1_100))
    balances(ledger)
    assert ledger.kills >= 8
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items
    assert ledger.extra <= ledger.in_flight
    assert ledger.recovered > 0


async def test_a_killed_dispatcher_loses_and_doubles_nothing(tmp_path):
    ledger = await run(tmp_path, Plan("dispatcher", kills=8, items=1_100))
    balances(ledger)
    assert ledger.kills >= 8
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items
    assert ledger.extra == 0


async def test_only_guilty_items_end_as_poison(tmp_path):
    """One ends its process, one stands still in it, one eats the memory: each harms its neighbours, who get over it."""
    deeds = ("die", "block", "eat")
    plan = Plan("scrapers", kills=0, items=160, seconds=(0.1, 0.4), deeds=deeds, memory_mb=400, stall_limit=2.0)
    ledger = await run(tmp_path, plan)
    balances(ledger)
    assert ledger.kinds == {f"bad-{deed}-{n}": Kind.POISON for n, deed in enumerate(deeds)}
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items - len(deeds)


@pytest.mark.soak
@pytest.mark.parametrize("victims", ["workers", "scrapers", "dispatcher"])
async def test_fifty_kills_lose_and_double_nothing(tmp_path, victims):
    seed = int(os.environ.get("CHAOS_SEED", "11"))
    ledger = await run(tmp_path, Plan(victims, kills=50, items=12_000, seed=seed, patience=900.0))
    balances(ledger)
    assert ledger.kills >= 50
    assert ledger.extra <= ledger.in_flight
