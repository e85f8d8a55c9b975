"""A million items: how fast a list comes in, whether memory stays flat while items run, whether status stays quick."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil
import uvloop

from bench.contenders.yard import until_done
from scrapeyard.controller.intake.load import load
from scrapeyard.controller.intake.options import IntakeOptions
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState
from scrapeyard.settings import Settings, WorkerSettings
from scrapeyard.wiring import Yard, open_yard

SCRAPER = """
from scrapeyard import Inputs, Page, scraper


class Parcel(Inputs):
    parcel_id: str
    situs: str
    owner: str


@scraper("bench.noop", site="bench", key=["parcel_id"], expect=["page"], rate=None, concurrency=None)
async def noop(item: Parcel) -> Page:
    return Page(item.parcel_id.encode(), url=f"urn:parcel:{item.parcel_id}")
"""


class Scale(NamedTuple):
    """What the second part found."""

    loaded: int
    load_rate: float
    load_rss: float
    ran: int
    run_rate: float
    rss: list[tuple[int, float]]
    together: float
    per_100k: float
    bytes_an_item: float
    status_small: float
    status_large: float


def write_list(path: Path, items: int) -> None:
    """A county's list as it comes: three columns of CSV."""
    with path.open("w") as rows:
        rows.write("parcel_id,situs,owner\n")
        for place in range(items):
            rows.write(
                f"{place // 9990:03d}-{place // 99 % 9999:05d}-{place:08d},{place % 9999} MAIN STREET,OWNER NUMBER {place}\n"
            )


async def measure(items: int, run: int, folder: Path) -> Scale:
    """All of it, in this process."""
    module = folder / "scrapers" / "bench_noop.py"
    module.parent.mkdir()
    module.write_text(SCRAPER)
    write_list(folder / "large.csv", items)
    write_list(folder / "small.csv", 1_000)
    data = folder / "data"
    settings = Settings(data=data, scrapers=(str(module),), worker=WorkerSettings(concurrency=256))
    async with open_yard(settings) as yard:
        peak = Peak()
        await submit(yard, "small", folder / "small.csv")
        begun = time.perf_counter()
        job = await submit(yard, "large", folder / "large.csv")
        seconds = time.perf_counter() - begun
        load_rss = peak.stop()
        size = sum(path.stat().st_size for path in data.glob("ledger.db*"))
        small, large = await latency(yard, "small"), await latency(yard, "large")
        rss, together, ran, took = await churn(yard, job, run)
        return Scale(
            items, items / seconds, load_rss, ran, ran / took, rss, together, slope(rss), size / items, small, large
        )


async def submit(yard: Yard, name: str, source: Path):
    """From a CSV to a sealed job, with validation on."""
    card = yard.scrapers.find("bench.noop")
    opened = await yard.service.jobs.open(JobOrder(name, card, Policy(), str(source)))
    check = yard.scrapers.load(card.ref).check_inputs
    await load(yard.service.jobs, opened.job, source, IntakeOptions(schema=card.input_schema), check)
    return await yard.service.jobs.get(opened.job.id)


async def latency(yard: Yard, name: str) -> float:
    """Median milliseconds of a status call."""
    times: list[float] = []
    for _ in range(200):
        begun = time.perf_counter()
        await yard.service.jobs.status(name)
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


async def churn(yard: Yard, job, run: int) -> tuple[list[tuple[int, float]], float, int, float]:
    """Run `run` items of the large job and watch the memory: of the largest process, and of all together at most."""
    marks: list[tuple[int, float]] = []
    together = 0.0
    async with yard.working():
        small = await yard.service.jobs.get("small")
        await until_done(yard, small.id)
        begun, first = time.perf_counter(), (await yard.service.jobs.status(job.id)).tally
        while True:
            status = await yard.service.jobs.status(job.id)
            done = status.tally.loaded - status.tally.moving
            largest, everything = tree_rss()
            marks.append((done, largest))
            together = max(together, everything)
            if done >= run or status.job.state is JobState.COMPLETED:
                break
            await asyncio.sleep(0.25)
        took = time.perf_counter() - begun
        await yard.service.jobs.pause(job.id, "the bench has seen enough")
        return marks, together, done - (first.loaded - first.moving), took


def tree_rss() -> tuple[float, float]:
    """MiB of the largest process of the tree, and of all of them together."""
    me = psutil.Process()
    sizes = [one.memory_info().rss / (1 << 20) for one in (me, *me.children(recursive=True))]
    return max(sizes), sum(sizes)


def slope(marks: list[tuple[int, float]]) -> float:
    """MiB per 100,000 items over the second half, by least squares; the first half is warm-up."""
    points = [mark for mark in marks if mark[0] > marks[-1][0] / 2]
    if len(points) < 3:
        return 0.0
    mean_x = statistics.mean(x for x, _ in points)
    mean_y = statistics.mean(y for _, y in points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread * 100_000 if spread else 0.0


class Peak:
    """The highest memory of this process, seen from a task beside it."""

    def __init__(self) -> None:
        self._highest = 0.0
        self._task = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            self._highest = max(self._highest, psutil.Process().memory_info().rss / (1 << 20))
            await asyncio.sleep(0.1)

    def stop(self) -> float:
        """MiB."""
        self._task.cancel()
        return self._highest


def scale(items: int, run: int) -> Scale:
    """The second part, in a fresh event loop."""
    os.environ.setdefault("SCRAPEYARD_LOG__LEVEL", "warning")
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        return uvloop.run(measure(items, run, Path(folder)))


if __name__ == "__main__":
    print(scale(int(sys.argv[1]), int(sys.argv[2])))
