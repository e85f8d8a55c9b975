"""`doctor`: looks at the whole set-up and says, for whatever is wrong, how to mend it."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text
from typer import Option

from scrapeyard.cli import checks
from scrapeyard.cli.asking import UNFINISHED
from scrapeyard.cli.checks import Finding, Verdict
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code, sentence
from scrapeyard.cli.here import Here
from scrapeyard.cli.wording import counted, plain, size
from scrapeyard.model.errors import ScrapeyardError
from scrapeyard.results.keys import pages_prefix, records_prefix
from scrapeyard.results.members import MemberScan
from scrapeyard.results.recovery import mend_job

if TYPE_CHECKING:
    from scrapeyard.wiring import Yard

PANEL = "Set up"

_ROLE = "dispatcher"
_LEADER_PATIENCE = 3.0
_MOST_BYTES = 2_000_000_000
_SIGNS = {Verdict.FINE: ("✓", "green"), Verdict.WARNING: ("!", "yellow"), Verdict.BROKEN: ("✗", "red")}


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(app, PANEL, examples=["scrapeyard doctor", "scrapeyard doctor --mend", "scrapeyard doctor --json"])(doctor)


async def doctor(
    here: Here,
    mend: Annotated[bool, Option("--mend", help="Cut torn ends of segments, if no worker is at work.")] = False,
    everything: Annotated[bool, Option("--all", help="Look through all segments, not only the newest 2 GB.")] = False,
) -> Code:
    """Look at the whole set-up: machine, folder, storage, scrapers, segments, dispatcher.

    The exit code is 1 if anything is broken; warnings leave it at 0.
    """
    settings = here.settings()
    broken = _tell(here, checks.of_machine(settings))
    try:
        async with here.yard(settings) as yard:
            broken += _tell(
                here, await asyncio.to_thread(lambda: list(checks.scrapers(yard.scrapers, settings.scrapers)))
            )
            async for finding in _storage(yard, mend=mend, everything=everything):
                broken += _tell(here, [finding])
    except (ScrapeyardError, OSError) as error:
        mending = "see docs, or move the data folder away and begin with a new one"
        broken += _tell(here, [Finding("storage", Verdict.BROKEN, sentence(error), mending)])
    if not here.json:
        here.show("")
        here.show("Everything that is needed is in order." if not broken else f"{counted(broken, 'thing')} to mend.")
    return Code.REFUSED if broken else Code.FINE


async def _storage(yard: "Yard", *, mend: bool, everything: bool) -> AsyncIterator[Finding]:
    jobs = await yard.service.jobs.find(limit=1_000)
    yield Finding("storage", Verdict.FINE, f"opened; {counted(len(jobs), 'job')}")
    yield checks.clock(yard.clock.now(), jobs[0] if jobs else None)
    yield await _dispatcher(yard)
    workers = await yard.service.jobs.workers()
    refusing = [plain(each.refusing) for each in workers if each.refusing]
    if refusing:
        yield Finding("workers", Verdict.WARNING, f"a worker takes nothing new: {refusing[0]}", "free what it lacks")
    else:
        yield Finding("workers", Verdict.FINE, f"{counted(len(workers), 'worker')} at work")
    if mend and not workers:
        for job in jobs:
            async for mended in mend_job(yard.blobs, yard.ledger.items, job.id):
                if mended.cut:
                    yield Finding("segment", Verdict.FINE, f"{mended.key}: {size(mended.cut)} of a torn end cut off")
    async for finding in _segments(yard, _MOST_BYTES if not everything else None, busy=bool(workers)):
        yield finding


async def _dispatcher(yard: "Yard") -> Finding:
    """A dispatcher is alive if it renews its lead while one looks."""
    leaders, clock = yard.ledger.leaders, yard.clock
    first = await leaders.leader(_ROLE)
    until = clock.monotonic() + _LEADER_PATIENCE
    while first is not None and clock.monotonic() < until:
        await clock.sleep(0.1)
        now = await leaders.leader(_ROLE)
        if now is not None and now != first:
            return Finding("dispatcher", Verdict.FINE, f"{plain(now.holder)} is active")
    unfinished = await yard.service.jobs.find(UNFINISHED)
    if not unfinished:
        return Finding("dispatcher", Verdict.FINE, "none is running, and no job needs one")
    said = f"none is running, and {counted(len(unfinished), 'job')} wait for one"
    return Finding("dispatcher", Verdict.WARNING, said, "start `scrapeyard up`, or give the command of a job again")


async def _segments(yard: "Yard", most: int | None, *, busy: bool) -> AsyncIterator[Finding]:
    """A torn end is what a crash leaves; nothing refers to it, but other tools stop there."""
    looked, torn, left = 0, 0, 0
    read = 0
    for job in await yard.service.jobs.find(limit=1_000):
        for prefix in (pages_prefix(job.id), records_prefix(job.id)):
            async for segment in yard.blobs.walk(prefix):
                if most is not None and read + segment.size > most:
                    left += 1
                    continue
                looked, read = looked + 1, read + segment.size
                scan = MemberScan()
                async for piece in yard.blobs.stream(segment.key):
                    if not await asyncio.to_thread(scan.feed, piece):
                        break
                if scan.whole < segment.size and not busy:
                    torn += 1
                    said = f"{segment.key} has a torn end of {size(segment.size - scan.whole)}"
                    yield Finding("segment", Verdict.WARNING, said, "run `scrapeyard doctor --mend`")
    more = f"; {left:,} older ones not looked at, see --all" if left else ""
    growing = ", some still being written" if busy else ""
    yield Finding("segments", Verdict.FINE, f"{counted(looked - torn, 'segment')} whole{growing}{more}")


def _tell(here: Here, findings: Iterable[Finding]) -> int:
    """Print each finding as it comes; gives how many are broken."""
    broken = 0
    for finding in findings:
        broken += finding.verdict is Verdict.BROKEN
        if here.json:
            here.give(
                {"check": finding.check, "verdict": str(finding.verdict), "said": finding.said, "mend": finding.mend}
            )
            continue
        sign, style = _SIGNS[finding.verdict]
        here.show(Text.assemble((sign, style), f" {finding.check:<14} {plain(finding.said)}"))
        if finding.mend:
            here.show(Text(f"  {'':<14} → {finding.mend}", style=style))
    return broken
