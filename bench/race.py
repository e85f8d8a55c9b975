"""The race: every contender on the same pages, pinned to one core, in turns, so that a slow minute hits all alike."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.machine import busy, pinned
from bench.target import served


class Contender(NamedTuple):
    """Who runs, how many pages, and how often; slow ones get fewer pages, because all are given in pages a second."""

    name: str
    module: str
    words: tuple[str, ...]
    pages: int
    keeps: str
    settings: str


OURS = "Scrapeyard"
FLOOR = "bare loop"
SCRAPY_SAME = "Scrapy, JOBDIR, turbohtml"
SCRAPY_USUAL = "Scrapy, JOBDIR"
CRAWLEE = "Crawlee ParselCrawler, files"

_SCRAPY = "64 concurrent, no delay, uvloop, robots off, log ERROR, JSON lines feed"
_CRAWLEE = "concurrency 64 fixed, impit, push_data"

CONTENDERS = (
    Contender(OURS, "yard", (), 80_000, "outcome, page, record of every item", "1 process, 64 at once, turbohtml, wreq; else defaults"),
    Contender(FLOOR, "floor", (), 40_000, "a JSON line a page", "64 tasks, uvloop, wreq, turbohtml"),
    Contender("Scrapy, turbohtml", "scrapy_spider", ("turbo",), 3_000, "a JSON line a page", _SCRAPY),
    Contender(SCRAPY_SAME, "scrapy_spider", ("jobdir", "turbo"), 2_000, "queue on disk, a JSON line a page", _SCRAPY + ", JOBDIR"),
    Contender(SCRAPY_USUAL, "scrapy_spider", ("jobdir",), 1_500, "queue on disk, a JSON line a page", _SCRAPY + ", own selectors, JOBDIR"),
    Contender(
        "Scrapy, JOBDIR, pages kept", "scrapy_spider", ("jobdir", "pages"), 1_000, "the same and pages",
        _SCRAPY + ", own selectors, JOBDIR, HTTPCACHE with gzip",
    ),
    Contender(
        "Scrapy, JOBDIR, turbohtml, pages kept", "scrapy_spider", ("jobdir", "turbo", "pages"), 1_000, "the same and pages",
        _SCRAPY + ", JOBDIR, HTTPCACHE with gzip",
    ),
    Contender(CRAWLEE, "crawlee_crawler", ("files",), 1_000, "queue and rows in files", _CRAWLEE + ", file storage"),
    Contender(
        "Crawlee ParselCrawler, files, pages kept", "crawlee_crawler", ("files", "pages"), 800, "the same and pages",
        _CRAWLEE + ", file storage, pages in its key-value store",
    ),
    Contender("Crawlee ParselCrawler, SQLite", "crawlee_crawler", ("sqlite",), 800, "queue and rows in SQLite", _CRAWLEE + ", SQLite storage"),
)  # fmt: skip


class Score(NamedTuple):
    """What a contender did: medians, and the span of its pages a second."""

    contender: Contender
    rate: float
    low: float
    high: float
    cpu: float
    rss: float
    pages: int
    load: float


def race(rounds: int, scale: float) -> list[Score]:
    """Everybody, `rounds` times in turns."""
    runs: dict[str, list[dict[str, float]]] = {one.name: [] for one in CONTENDERS}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        site = Path(folder) / "site"
        site.mkdir()
        with served(site) as base:
            for turn in range(rounds):
                for one in CONTENDERS:
                    out = Path(folder) / f"{turn}-{one.module}-{'-'.join(one.words)}"
                    out.mkdir()
                    said = run(one, base, max(200, int(one.pages * scale)), out) | {"load": busy()}
                    runs[one.name].append(said)
                    print(
                        f"  {turn + 1}/{rounds} {one.name:42} {said['pages'] / said['seconds']:8,.0f} pages/s",
                        flush=True,
                    )
    return [_score(one, runs[one.name]) for one in CONTENDERS]


def run(one: Contender, base: str, pages: int, out: Path) -> dict[str, float]:
    """One run in a process of its own; a contender that did not do all pages is no contender."""
    command = [sys.executable, "-m", f"bench.contenders.{one.module}", base, str(pages), str(out), *one.words]
    done = subprocess.run(pinned(1, command), capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("BENCH ")]
    said: dict[str, float] = json.loads(lines[-1].removeprefix("BENCH ")) if lines else {}
    if said.get("pages") != pages:
        raise SystemExit(f"{one.name} did {said.get('pages', 'nothing')} of {pages} pages:\n{done.stderr[-2000:]}")
    return said


def _score(one: Contender, runs: list[dict[str, float]]) -> Score:
    rates = [each["pages"] / each["seconds"] for each in runs]
    return Score(
        one,
        statistics.median(rates),
        min(rates),
        max(rates),
        statistics.median(each["cpu"] / each["pages"] * 1000 for each in runs),
        statistics.median(each["rss"] for each in runs) / (1 << 20),
        int(runs[0]["pages"]),
        statistics.median(each["load"] for each in runs),
    )
