"""Several processes write to one ledger at the same time, some of them are killed, and nothing is lost or doubled."""

import asyncio
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterable
from pathlib import Path

from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.model.states import VisitState
from scrapeyard.testing.scenes import NOW, Scene, a_job, again, staged

SCRIPT = Path(__file__).with_name("ledger_process.py")
ITEMS = 3_000
KILLS = 4
TURNS = 12
"""How often a process may go on before it is asked again, so that none is through before it is its turn to die."""

SEED = 99


async def started(verb: str, path: Path, worker: str) -> Process:
    process = await asyncio.create_subprocess_exec(sys.executable, SCRIPT, verb, path, worker, stdin=PIPE, stdout=PIPE)
    go_on(process)
    return process


def go_on(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n" * TURNS)


def finish(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()


async def heard(process: Process, lines: int | None = None) -> list[int]:
    """The numbers in so many lines, or in all."""
    assert process.stdout is not None
    numbers: list[int] = []
    while lines is None or lines > 0:
        line = await process.stdout.readline()
        numbers += [int(word) for word in line.split()] if line.endswith(b"\n") else []
        lines = lines if lines is None else lines - 1
        if not line:
            break
    return numbers


async def recovered(scene: Scene, workers: Iterable[str]) -> None:
    """What a dispatcher does about dead workers: their leases go back, and so do offers that nobody took."""
    for worker in workers:
        leases = await scene.ledger.leases.fence(worker, 0) or []
        assert all(await scene.settle(*[again(lease, NOW, losses=1, attempt=None) for lease in leases]))
    await scene.ledger.offers.sweep(now=NOW + 31)


async def test_processes_killed_in_the_middle_lose_nothing_and_double_nothing(tmp_path):
    path = tmp_path / "ledger.db"
    ledger = await open_ledger(path)
    scene = await staged(ledger, ITEMS)
    dice = random.Random(SEED)
    running = {f"w{n}": await started("work", path, f"w{n}") for n in range(3)}
    said: list[int] = []
    dead: list[str] = []
    for kill in range(KILLS):
        name = dice.choice(sorted(running))
        victim = running.pop(name)
        go_on(victim)
        said += await heard(victim, dice.randint(3, 9))
        victim.kill()
        said += await heard(victim)
        await victim.wait()
        dead.append(name)
        running[f"v{kill}"] = await started("work", path, f"v{kill}")
    for process in running.values():
        finish(process)
    for process in running.values():
        said += await heard(process)
        assert await process.wait() == 0
    await recovered(scene, dead)
    last = await started("work", path, "last")
    finish(last)
    said += await heard(last)

    tally = await scene.tally()
    assert tally.states == {VisitState.SUCCEEDED: ITEMS}
    assert tally.attempts == ITEMS, "every item was recorded once"
    assert len(said) == len(set(said)), "no two processes were told that they recorded the same item"
    assert ITEMS - KILLS * 10 <= len(said) <= ITEMS
    await ledger.close()


async def test_processes_that_make_the_same_new_file_at_once_agree(tmp_path):
    path = tmp_path / "ledger.db"
    processes = await asyncio.gather(*(started("load", path, f"w{n}") for n in range(4)))
    answers = await asyncio.gather(*map(heard, processes))
    assert sum(accepted for accepted, _, _ in answers) == 3_000
    assert sum(duplicates for _, duplicates, _ in answers) == 9_000
    assert sum(claimed for _, _, claimed in answers) == 1
    ledger = await open_ledger(path)
    assert (await Scene(ledger, a_job()).tally()).loaded == 3_000
    await ledger.close()
