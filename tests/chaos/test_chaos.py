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
    ledger = await run(tmp_path, Plan(victims, kills=8, items=1_400))
    balances(ledger)
    assert ledger.kills >= 8
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items
    assert ledger.extra <= ledger.in_flight
    assert ledger.recovered > 0


async def test_a_killed_dispatcher_loses_and_doubles_nothing(tmp_path):
    ledger = await run(tmp_path, Plan("dispatcher", kills=8, items=1_200))
    balances(ledger)
    assert ledger.kills >= 8
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items
    assert ledger.extra == 0


@pytest.mark.parametrize(
    ("deed", "limits"), [("die", {}), ("block", {"stall_limit": 2.0}), ("eat", {"memory_mb": 400})]
)
async def test_only_the_guilty_item_ends_as_poison(tmp_path, deed, limits):
    ledger = await run(tmp_path, Plan("scrapers", kills=0, items=200, seconds=(0.1, 0.4), deeds=(deed,), **limits))
    balances(ledger)
    assert ledger.kinds == {f"bad-{deed}-0": Kind.POISON}
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items - 1


@pytest.mark.soak
@pytest.mark.parametrize("victims", ["workers", "scrapers", "dispatcher"])
async def test_fifty_kills_lose_and_double_nothing(tmp_path, victims):
    seed = int(os.environ.get("CHAOS_SEED", "11"))
    ledger = await run(tmp_path, Plan(victims, kills=50, items=12_000, seed=seed, patience=900.0))
    balances(ledger)
    assert ledger.kills >= 50
    assert ledger.extra <= ledger.in_flight
