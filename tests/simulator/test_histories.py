"""The whole system lives through seeded disasters; and the simulator is shown to see what it is there to see."""

import asyncio
import gc
import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import structlog

from scrapeyard.model.errors import StorageError
from scrapeyard.testing.faults.wrapping import wrapped
from scrapeyard.testing.simulator import history, world
from scrapeyard.testing.simulator.history import Failed, live
from scrapeyard.testing.simulator.loop import LoopClock, SkippingLoop, StandsStill
from scrapeyard.worker.intake import Intake

SEEDS = 200
MANY = 2_000
FEW = 120
"""Seeds among which at least one must show a planted bug."""


def lived(first: int, end: int) -> list[str]:
    """What the command says of these seeds; it fails where an invariant does not hold."""
    words = [sys.executable, "-m", "scrapeyard.testing.simulator", "--seeds", f"{first}:{end}"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": "0"}, check=False)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    return done.stdout.splitlines()


def all_lived(seeds: int, processes: int = 2) -> list[str]:
    bounds = [seeds * part // processes for part in range(processes + 1)]
    with ThreadPoolExecutor(processes) as pool:
        parts = list(pool.map(lived, bounds[:-1], bounds[1:]))
    for part in parts:
        print(part[-1])
    return [line for part in parts for line in part[:-1]]


def test_no_invariant_is_violated_under_any_seed():
    stories = all_lived(SEEDS)
    assert len(stories) == SEEDS
    assert len({story.split()[1] for story in stories}) == SEEDS


@pytest.mark.soak
def test_no_invariant_is_violated_under_very_many_seeds():
    assert len(all_lived(MANY)) == MANY


def test_a_seed_makes_the_same_history_to_the_last_step():
    assert lived(3, 6)[:-1] == lived(3, 6)[:-1]


@pytest.fixture(autouse=True)
def _quiet():
    """What roles log of planted bugs is nobody's business."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)


@pytest.fixture
def impatient(monkeypatch):
    """A history that does not end is given up sooner."""
    monkeypatch.setattr(history, "_PATIENCE", 600.0)


def failed(seed: int) -> Failed | None:
    try:
        live(seed)
    except Failed as error:
        return error
    return None


def shown(bug: str) -> None:
    """The planted bug is seen under one of the first seeds, and the story says how to live through it again."""
    first = next((found for seed in range(FEW) if (found := failed(seed)) is not None), None)
    assert first is not None, f"under no seed was it seen: {bug}"
    assert bug in str(first)
    assert f"--seed {first.seed}" in str(first)


class Forgets:
    """Says that it was done, and does nothing."""

    def __init__(self, name, answer):
        self.name = name
        self.answer = answer

    async def around(self, call, go):
        return self.answer(call) if call.name == self.name else await go()


def plant(monkeypatch, fault):
    """Put one more fault around everything."""
    monkeypatch.setattr(world, "wrapped", lambda port, name, *faults: wrapped(port, name, *faults, fault))


def test_a_settlement_that_is_told_but_not_recorded_is_seen(monkeypatch, impatient):
    plant(monkeypatch, Forgets("ledger.leases.settle", lambda call: [True] * len(call.values[0])))
    shown("I8: it does not come to an end")


def test_pages_that_are_told_but_not_durable_are_seen(monkeypatch):
    plant(monkeypatch, Forgets("blobs.appender.sync", lambda _: None))
    shown("which cannot be read")


def test_a_worker_that_forgets_leases_whose_answer_was_lost_is_seen(monkeypatch, impatient):
    begun = Intake._begun

    async def forgetful(self):
        try:
            return await begun(self)
        except StorageError:
            self._asked = []
            raise

    monkeypatch.setattr(Intake, "_begun", forgetful)
    shown("I8: it does not come to an end")


def test_a_worker_that_dies_of_a_passing_fault_is_seen(monkeypatch):
    async def touchy(self, settlements):
        raise StorageError("the queue does not hear")

    monkeypatch.setattr(Intake, "settled", touchy)
    shown("ended, because storage failed for a moment")


def test_a_pause_that_lets_items_start_is_seen(monkeypatch):
    monkeypatch.setattr(history, "_SETTLED", -1.0)
    shown("I7: ")


def test_a_history_leaves_no_task_behind_even_when_it_fails(monkeypatch, caplog):
    plant(monkeypatch, Forgets("blobs.appender.sync", lambda _: None))
    for seed in range(12):
        failed(seed)
    gc.collect()
    assert "was destroyed" not in caplog.text
    assert "never retrieved" not in caplog.text


def test_waiting_takes_no_time_and_everybody_waiting_is_an_error():
    loop = SkippingLoop()

    async def waits() -> float:
        clock = LoopClock()
        async with asyncio.timeout(10_000):
            await clock.sleep(5_000)
        return clock.monotonic()

    assert loop.run_until_complete(waits()) == pytest.approx(5_000)
    assert loop.run_until_complete(asyncio.wait_for(loop.run_in_executor(None, max, 1, 2), 5)) == 2
    with pytest.raises(StandsStill):
        loop.run_until_complete(asyncio.Event().wait())
    loop.close()
