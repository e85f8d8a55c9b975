"""A crew that ends, ends: whoever is born meanwhile is not waited for."""

import asyncio
from pathlib import Path

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.scraping.sessions.shelf import MemoShelf
from scrapeyard.testing.simulator.loop import LoopClock, SkippingLoop
from scrapeyard.testing.simulator.machine import Life, Machine
from scrapeyard.worker.crew import Crew, CrewEvents
from scrapeyard.worker.messages import Hello
from scrapeyard.worker.options import WorkerOptions


class Idle:
    """A child that says hello and then nothing."""

    def __init__(self, process, options, channel):
        self.channel = channel

    async def run(self, pid):
        self.channel.send(Hello(pid))
        await asyncio.Event().wait()


async def stopped_while_a_child_is_born() -> int:
    machine = Machine(Life(), Idle)  # pyright: ignore[reportArgumentType] - as much of a child as is needed
    shelf = MemoShelf(MemoryLedger().memos, LoopClock())
    events = CrewEvents(lambda _: None, lambda _: None, lambda _: None, lambda _: None, shelf)
    crew = Crew("w1", WorkerOptions((), {}, Path("/dev/null")), LoopClock(), machine, events)
    await crew.open()
    machine.children[0].die()
    await asyncio.sleep(0.1)
    crew.kill()
    async with asyncio.timeout(60):
        await crew.gone()
    return sum(child.returncode is None for child in machine.children)


def test_a_child_that_is_born_while_its_worker_stops_is_not_waited_for():
    loop = SkippingLoop()
    assert loop.run_until_complete(stopped_while_a_child_is_born()) == 0
    loop.close()
