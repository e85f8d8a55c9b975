"""SIGTERM: what ends in time is recorded, the rest goes back unharmed, and the process leaves within its grace."""

import asyncio
import os
import signal
import time

from chaos.tool import Plan, Yardstick
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import VisitState
from scrapeyard.wiring import open_yard


async def test_a_worker_told_to_stop_spends_nobodys_attempt(tmp_path):
    os.environ["CHAOS_LOG"] = str(tmp_path / "executions.log")
    stick = Yardstick(tmp_path, Plan("workers", kills=0, items=0))  # grace is 5 s
    stick.names = ["dispatcher", "worker-1"]
    stick.settings = stick.settings.model_copy(
        update={"worker": stick.settings.worker.model_copy(update={"concurrency": 25})}
    )
    async with open_yard(stick.settings) as yard:
        card = yard.scrapers.find("chaos.task")
        check = yard.scrapers.load(card.ref).check_inputs
        job = (await yard.service.jobs.open(JobOrder("drain", card, Policy()))).job
        rows = [{"key": f"quick{n}", "seconds": 2.0} for n in range(10)]
        rows += [{"key": f"slow{n}", "seconds": 60.0} for n in range(15)]
        await yard.service.jobs.load(job.id, [NewItem(*check(row)) for row in rows])
        await yard.service.jobs.seal(job.id)
        stick.begin()
        try:
            async with asyncio.timeout(60):
                while sum(stick.running().values()) < 25:  # noqa: ASYNC110 - the scraper tells a file
                    await asyncio.sleep(0.05)
            worker = stick.roles["worker-1"]
            told = time.monotonic()
            worker.send_signal(signal.SIGTERM)
            code = await asyncio.to_thread(worker.wait, 30)
            took = time.monotonic() - told
        finally:
            stick.end()
        items = {item.key: item for item in await yard.ledger.items.page(job.id)}
    assert code == 0
    assert took < stick.settings.worker.grace + 5
    assert len(items) == 25
    for key, item in items.items():
        if key.startswith("quick"):
            assert (item.state, item.attempts) == (VisitState.SUCCEEDED, 1)
        else:
            assert (item.state, item.attempts) == (VisitState.WAITING, 0)
        assert (item.crashes, item.losses, item.worker) == (0, 0, None)
