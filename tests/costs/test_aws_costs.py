"""What a million items cost on AWS is a tested figure: counted at the wire while a fleet works a list through."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from costs.wire import DynamoTap, S3Tap, SqsTap, sheet
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.policy import BreakerPolicy, Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import Settings, StorageSettings, WorkerSettings
from scrapeyard.testing.servers.process import wrapped
from scrapeyard.wiring import open_yard

SCRAPER = Path(__file__).with_name("scraper.py")
COMMAND = Path(sys.executable).with_name("scrapeyard")
SOAK = bool(os.environ.get("SCRAPEYARD_SOAK"))
POLICY = Policy(attempts=3, backoff_cap=2.0, breaker=BreakerPolicy(trip=0, canary=0, absents=False))


async def bill(
    tmp_path, servers, *, items: int, workers: int, slots: int, seconds: float, lease: float = 60.0
) -> Counter[str]:
    """Run a job of which one item in twenty fails three times; gives what was consumed."""
    dynamodb, sqs, s3 = servers
    counts, calls = Counter[str](), Counter[str]()
    async with AsyncExitStack() as taps:
        ledger, live, blobs = dynamodb.fresh(), sqs.fresh().replace("wait=0", "wait=1"), s3.fresh()
        for tap, server in ((DynamoTap, dynamodb), (SqsTap, sqs), (S3Tap, s3)):
            opened = await taps.enter_async_context(tap(server.endpoint, counts, calls))
            there = f"http://127.0.0.1:{opened.port}"
            ledger, live, blobs = (one.replace(server.endpoint, there) for one in (ledger, live, blobs))
        settings = Settings(
            data=tmp_path,
            scrapers=(str(SCRAPER),),
            storage=StorageSettings(ledger=ledger, live=f"{live}&host=127.0.0.1", blobs=blobs),
            worker=WorkerSettings(concurrency=slots, lease=lease, quarantine=1),
        )
        fleet: list[subprocess.Popen[bytes]] = []
        try:
            async with open_yard(settings) as yard:
                card = yard.scrapers.find("costs.parcel")
                check = yard.scrapers.load(card.ref).check_inputs
                job = (await yard.service.jobs.open(JobOrder("costs", card, POLICY))).job
                rows = [
                    {"parcel": f"{n:05d}-{n * 7919 % 1000:03d}-00", "seconds": seconds, "fails": n % 20 == 7}
                    for n in range(items)
                ]
                for start in range(0, items, 1_000):
                    await yard.service.jobs.load(job.id, [NewItem(*check(row)) for row in rows[start : start + 1_000]])
                await yard.service.jobs.seal(job.id)
                fleet += [started(settings, role, tmp_path) for role in ("dispatcher", *["worker"] * workers)]
                tally = await ended(yard, job.id)
        finally:
            for process in fleet:
                process.terminate()
            for process in fleet:
                await asyncio.to_thread(process.wait)
    assert tally.count(VisitState.SUCCEEDED) == items - items // 20
    assert tally.attempts == items + 2 * (items // 20)
    print("\n" + "\n".join(f"    {name:<40} {count:10,.0f}" for name, count in sorted(calls.items())))
    return counts


def started(settings: Settings, role: str, folder: Path) -> subprocess.Popen[bytes]:
    """One role, as it is started anywhere."""
    env = {
        **os.environ,
        "SCRAPEYARD_DATA": str(settings.data),
        "SCRAPEYARD_SCRAPERS": json.dumps(settings.scrapers),
        "SCRAPEYARD_STORAGE": settings.storage.model_dump_json(),
        "SCRAPEYARD_WORKER": settings.worker.model_dump_json(),
    }
    with (folder / f"{role}.log").open("ab") as log:
        command = wrapped([str(COMMAND), role], None)  # ended together with this process
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env)


async def ended(yard, job):
    until = time.monotonic() + (3_600 if SOAK else 300)
    while (status := await yard.service.jobs.status(job)).job.state is not JobState.COMPLETED:
        assert time.monotonic() < until, status
        await asyncio.sleep(1.0)
    return status.tally


async def test_an_item_costs_little_even_in_a_short_job(tmp_path, dynamodb, sqs, s3):
    """The short form: what is paid by the second, such as listening at an empty queue, is a larger part of it."""
    items = 600
    counts = await bill(tmp_path, (dynamodb, sqs, s3), items=items, workers=2, slots=24, seconds=0.2, lease=18.0)
    print(sheet("a short job", items, counts))
    assert counts["write units"] / items <= 2.6
    assert counts["SQS calls"] / items <= 0.3
    assert counts["S3 writes"] / items <= 0.1


@pytest.mark.soak
async def test_a_million_items_cost_what_is_said(tmp_path, dynamodb, sqs, s3):
    items = 20_000 if SOAK else 2_000
    counts = await bill(tmp_path, (dynamodb, sqs, s3), items=items, workers=2, slots=64, seconds=0.2)
    print(sheet("a fleet that is busy", items, counts))
    assert counts["write units"] / items <= 2.4
    assert counts["SQS calls"] / items <= (0.04 if SOAK else 0.15)
    assert counts["S3 writes"] / items <= 0.012


@pytest.mark.soak
async def test_at_one_item_a_second_a_worker_costs_more_and_it_is_said_how_much(tmp_path, dynamodb, sqs, s3):
    items = 600 if SOAK else 100
    counts = await bill(tmp_path, (dynamodb, sqs, s3), items=items, workers=4, slots=1, seconds=1.0)
    print(sheet("one item a second a worker", items, counts))
    assert counts["write units"] / items <= 6
    assert counts["SQS calls"] / items <= 1.5
    assert counts["S3 writes"] / items <= 0.5
