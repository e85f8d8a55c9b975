"""Real worker processes: as many as there is work for, none killed while it runs items, gone when nothing is left."""

import asyncio
import os
import signal
import subprocess
import time

import psutil

from chaos.tool import COMMAND, SCRAPER, Plan, Yardstick
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.fleet import Orders
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.wiring import Yard, open_yard


async def submitted(yard: Yard, rows: list[dict[str, object]]) -> JobId:
    """A sealed job."""
    card = yard.scrapers.find("chaos.task")
    check = yard.scrapers.load(card.ref).check_inputs
    job = (await yard.service.jobs.open(JobOrder(f"scaling-{time.monotonic_ns()}", card, Policy()))).job
    await yard.service.jobs.load(job.id, [NewItem(*check(row)) for row in rows])
    await yard.service.jobs.seal(job.id)
    return job.id


async def completed(yard: Yard, job: JobId) -> None:
    while (await yard.service.jobs.get(job)).state is not JobState.COMPLETED:  # noqa: ASYNC110 - another process works
        await asyncio.sleep(0.05)


def started(words: list[str], env: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(words, env=env, stderr=subprocess.DEVNULL, start_new_session=True)


async def test_a_worker_that_retires_ends_what_it_runs_however_long_that_takes(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAOS_LOG", str(tmp_path / "executions.log"))
    stick = Yardstick(tmp_path, Plan("workers", kills=0, items=0))
    worker_settings = stick.settings.worker.model_copy(update={"grace": 0.2, "concurrency": 4})
    stick.settings = stick.settings.model_copy(update={"worker": worker_settings})
    stick.names = ["dispatcher", "worker-1"]
    async with open_yard(stick.settings) as yard:
        job = await submitted(yard, [{"key": f"long{n}", "seconds": 2.0} for n in range(4)])
        stick.begin()
        try:
            async with asyncio.timeout(60):
                while sum(stick.running().values()) < 4:  # noqa: ASYNC110 - the scraper tells a file
                    await asyncio.sleep(0.05)
                (worker,) = await yard.fleet.roster()
                for _ in range(3):  # said again, it is the same wish and no hurry
                    await yard.fleet.order(worker.worker, Orders(retire=True))
                    await asyncio.sleep(0.3)
                assert await asyncio.to_thread(stick.roles["worker-1"].wait, 50) == 0
        finally:
            stick.end()
        items = await yard.ledger.items.page(job)
    assert [(item.state, item.attempts, item.losses) for item in items] == [(VisitState.SUCCEEDED, 1, 0)] * 4
    assert [what for what, _, _ in stick.told()].count("start") == 4


async def test_up_scales_worker_processes_and_kills_no_item(tmp_path, monkeypatch):
    log = tmp_path / "executions.log"
    log.touch()
    monkeypatch.setenv("CHAOS_LOG", str(log))
    stick = Yardstick(tmp_path, Plan("workers", kills=0, items=0))
    env = {**os.environ, "SCRAPEYARD_SCALE__PATIENCE": "1", "SCRAPEYARD_WORKER__GRACE": "0.2"}
    words = [str(COMMAND), "up", "--max-processes", "2", "--items-at-once", "4"]
    places = ["--data", str(stick.settings.data), "--scrapers", str(SCRAPER)]
    seconds = {f"short{n}": 0.2 for n in range(12)} | {f"long{n}": 4.0 for n in range(4)}
    rows: list[dict[str, object]] = [{"key": key, "seconds": each} for key, each in seconds.items()]
    async with open_yard(stick.settings) as yard:
        job = await submitted(yard, rows)
        up = started([*words, *places], env)
        most = 0
        try:
            async with asyncio.timeout(90):
                done = asyncio.create_task(completed(yard, job))
                while not done.done() or psutil.Process(up.pid).children():
                    most = max(most, len(psutil.Process(up.pid).children()))
                    await asyncio.sleep(0.1)
            up.send_signal(signal.SIGTERM)
            code = await asyncio.to_thread(up.wait, 30)
        finally:
            for child in psutil.Process(up.pid).children(recursive=True) if up.poll() is None else []:
                child.kill()
            up.kill()
            up.wait()
        items = await yard.ledger.items.page(job)
    assert most == 2
    assert code == 0
    came = {(item.state, item.attempts, item.losses, item.crashes) for item in items}
    assert came == {(VisitState.SUCCEEDED, 1, 0, 0)}
    assert sorted(key for what, key, _ in stick.told() if what == "start") == sorted(str(row["key"]) for row in rows)
