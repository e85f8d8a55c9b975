"""What was measured, as `docs/benchmarks.md` and a chart beside it."""

from pathlib import Path
from statistics import median

from bench.machine import described
from bench.postgres import SUBMIT_TARGET, TAKE_TARGET, WORKERS, Fleet
from bench.race import CRAWLEE, FLOOR, OURS, SCRAPY_SAME, SCRAPY_USUAL, Score
from bench.scale import Scale

DOCS = Path(__file__).parents[1] / "docs"


def ratios(scores: list[Score]) -> list[tuple[str, float, float]]:
    """What is promised: name, ratio of this run, target."""
    rate = {score.contender.name: score.rate for score in scores}
    return [
        (f"against {SCRAPY_SAME} (the same parser)", rate[OURS] / rate[SCRAPY_SAME], 5.0),
        (f"against {SCRAPY_USUAL} (its own selectors)", rate[OURS] / rate[SCRAPY_USUAL], 10.0),
        (f"against {CRAWLEE}", rate[OURS] / rate[CRAWLEE], 10.0),
    ]


def overhead(scores: list[Score]) -> float:
    """Microseconds of CPU a page that the product adds to the bare loop."""
    cpu = {score.contender.name: score.cpu for score in scores}
    return (cpu[OURS] - cpu[FLOOR]) * 1000


def written(scores: list[Score], scale: Scale, fleet: Fleet, rounds: int) -> str:
    """The page."""
    rows = "\n".join(
        f"| {s.contender.name} | {s.rate:,.0f} | {s.low:,.0f}–{s.high:,.0f} | {s.cpu:.3f} | {s.rss:.0f} | "
        f"{s.contender.keeps} | {s.pages:,} |"
        for s in scores
    )
    wins = "\n".join(f"| {name} | {ratio:.1f} × | {target:.0f} × |" for name, ratio, target in ratios(scores))
    settings = "\n".join(f"- {s.contender.name}: {s.contender.settings}." for s in scores)
    load = median(score.load for score in scores)
    marks = ", ".join(f"{rss:.0f} at {done:,}" for done, rss in thinned(scale.rss))
    return f"""# Benchmarks

Written by `make bench`; every figure on this page is of one run of that command. Machine: {described()}.
Figures of other machines differ; the ratios are what carries over.

## The race

Everybody fetches the same pages of 22 KB from nginx on the other core, reads the same ten fields and a list of 18
amounts, and runs on one core. {rounds} rounds in turns; medians, and the span of the rounds. While they ran, the
machine's load was {load:.1f}: about 2 is the race itself, and more is other programs that took time from everybody.

![pages a second](benchmarks.svg)

| contender | pages/s | span | CPU-s / 1,000 pages | RSS MiB, all its processes | what it keeps | pages a run |
|---|---|---|---|---|---|---|
{rows}

| Scrapeyard | ratio | promised |
|---|---|---|
{wins}

What the product adds to the bare loop of the same client and parser, with sessions, permits, classifier, ledger,
kept pages and logs on: {overhead(scores):.0f} µs of CPU a page (promised: at most 150).

Settings:

{settings}

## A million items

| what | measured | promised |
|---|---|---|
| submitted from CSV into SQLite, validated | {scale.load_rate:,.0f} items/s ({scale.loaded:,} items) | ≥ 100,000 |
| memory of the submitting process | {scale.load_rss:.0f} MiB | ≤ 250 |
| no-op items run, one scraping process, all durable | {scale.run_rate:,.0f} items/s ({scale.ran:,} items) | |
| memory of the largest process while running | {max(rss for _, rss in scale.rss):.0f} MiB | ≤ 250 |
| memory of all processes together (supervisor, dispatcher and submitter in one; one scraping process) | {scale.together:.0f} MiB | |
| growth of the largest | {scale.per_100k:.2f} MiB per 100,000 items | ≤ 1 |
| ledger on disk | {scale.bytes_an_item:.0f} bytes an item | |
| status call at 1,000 items | {scale.status_small:.2f} ms | |
| status call at {scale.loaded:,} items | {scale.status_large:.2f} ms | as quick |

Memory in MiB by items done: {marks}.

## PostgreSQL

A server of its own on the same two cores, every commit on disk.

| what | measured | promised |
|---|---|---|
| submitted by COPY | {fleet.submit:,.0f} items/s ({fleet.items:,} items) | ≥ {SUBMIT_TARGET:,} |
| offered, as the dispatcher does | {fleet.offer:,.0f} items/s | |
| taken and settled by {WORKERS} workers | {fleet.take:,.0f} items/s | ≥ {TAKE_TARGET:,} |
"""


def thinned(marks: list[tuple[int, float]], most: int = 12) -> list[tuple[int, float]]:
    """A dozen of many."""
    step = max(1, len(marks) // most)
    return marks[::step]


def chart(scores: list[Score]) -> str:
    """Bars, as SVG that reads in light and in dark."""
    longest = max(score.rate for score in scores)
    left, width, height = 290, 440, 30
    bars = "\n".join(
        f'<text x="{left - 10}" y="{y + 15}" text-anchor="end">{score.contender.name}</text>'
        f'<rect x="{left}" y="{y}" width="{max(1, score.rate / longest * width):.0f}" height="20" rx="2" '
        f'fill="{"#2f7d4f" if score.contender.name == OURS else "#8a94a6"}"/>'
        f'<text x="{left + 8 + score.rate / longest * width:.0f}" y="{y + 15}">{score.rate:,.0f}</text>'
        for y, score in ((10 + place * height, score) for place, score in enumerate(scores))
    )
    total = 20 + len(scores) * height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 {total}" width="820" height="{total}" role="img" '
        'aria-label="Pages a second by contender"><style>text{font:13px system-ui,sans-serif;fill:#5b6472}</style>\n'
        f"{bars}\n</svg>\n"
    )


def publish(scores: list[Score], scale: Scale, fleet: Fleet, rounds: int) -> None:
    """Write both files."""
    (DOCS / "benchmarks.md").write_text(written(scores, scale, fleet, rounds))
    (DOCS / "benchmarks.svg").write_text(chart(scores))
