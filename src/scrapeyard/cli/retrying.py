"""`retry`: running items again, chosen by what came of them, and knowing before what that would take."""

from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text
from typer import Option

from scrapeyard.cli import shapes, wording
from scrapeyard.cli.asking import JobArgument, WhichItems
from scrapeyard.cli.command import command
from scrapeyard.cli.here import Here
from scrapeyard.cli.telling import command_name
from scrapeyard.cli.wording import counted, spanned
from scrapeyard.model.ask import Redriven
from scrapeyard.model.item import Selection
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState
from scrapeyard.model.toll import Toll
from scrapeyard.ports.service import Service

PANEL = "Look at jobs and steer them"

_KEYS = 10_000
"""Keys that are sent at once; more come as several wishes, one after the other."""


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard retry parcels --dry-run",
            "scrapeyard retry parcels --kind blocked --kind rate_limited --since 2h",
            "scrapeyard retry parcels --state absent --since 14:30 --until 15:10",
            "scrapeyard retry parcels --kind parse_empty --version latest",
            "scrapeyard retry parcels --keys these.txt",
        ],
    )(retry)


async def retry(
    here: Here,
    job: JobArgument,
    which: WhichItems,
    version: Annotated[
        str,
        Option("--version", metavar="latest|DIGEST", help="Of the scraper; holds for all that has not run yet, too."),
    ] = "",
    dry_run: Annotated[
        bool, Option("--dry-run", "-n", help="Only say how many it would be, and what it would take.")
    ] = False,
) -> None:
    """Run items again, with fresh attempts: all that failed or are uncertain, or those that you choose.

    A completed job is opened again for them, in a new epoch; what was tried before stays on record. They run as soon as
    `scrapeyard up`, or the command that began the job, is at work.
    """
    selection = which.selection()
    async with here.yard(asking=True) as yard:
        found = await yard.service.jobs.get(job)
        redriven = await _redriven(yard.service, found, selection, version, dry_run)
    if here.json:
        here.give(shapes.redriven_shape(found, redriven))
    elif not redriven.items:
        here.show(f"No item is meant; see `scrapeyard items {command_name(found)}`.")
    elif dry_run:
        _say_toll(here, redriven)
    else:
        works = "resume it, and they run" if found.state is JobState.PAUSED else "`scrapeyard up` works on them"
        works = works.replace("them", "it").replace("they run", "it runs") if redriven.items == 1 else works
        here.show(f"{counted(redriven.items, 'item')} will run again; {works}.")
    if redriven.version and not here.json:
        _say_version(here, redriven, dry_run=dry_run)


async def _redriven(service: Service, job: Job, selection: Selection, version: str, dry_run: bool) -> Redriven:
    """One wish, or several if the keys are many; then what it takes is that of the first, scaled."""
    if len(selection.keys) <= _KEYS:
        return await service.items.redrive(job.id, selection, dry_run=dry_run, version=version)
    whole = Redriven(0, dry_run)
    toll: Toll | None = None
    keys = sorted(selection.keys)
    for start in range(0, len(keys), _KEYS):
        part = msgspec.structs.replace(selection, keys=frozenset(keys[start : start + _KEYS]))
        given = await service.items.redrive(job.id, part, dry_run=dry_run, version=version)
        toll = toll or (given.toll.times(1 / given.items) if given.toll is not None and given.items else None)
        whole = Redriven(
            whole.items + given.items, dry_run, None, whole.version or given.version, whole.along or given.along
        )
    return whole if toll is None else msgspec.structs.replace(whole, toll=toll.times(whole.items))


def _say_toll(here: Here, redriven: Redriven) -> None:
    toll = redriven.toll
    here.show(f"{counted(redriven.items, 'item')} would run again.")
    if toll is None:
        return
    rows = [
        ("tries", spanned(toll.tries, wording.number)),
        ("requests", spanned(toll.requests, wording.number)),
        ("traffic", spanned(toll.wire_bytes, wording.size)),
        ("cost", spanned(toll.dollars, wording.money)),
        ("time", "unknown" if toll.hours is None else spanned(toll.hours.times(3600), wording.duration)),
    ]
    table = Table.grid(padding=(0, 2))
    for name, said in rows:
        table.add_row(f"  {name}", said)
    here.show(table)
    here.show(Text("In brackets: if each comes through at once, and if each takes every try that it may.", "dim"))


def _say_version(here: Here, redriven: Redriven, *, dry_run: bool) -> None:
    would = "would run" if dry_run else "run"
    along = f", and so {would} the {counted(redriven.along, 'item')} that had no turn yet" if redriven.along else ""
    here.show(f"They {would} with the scraper's version {redriven.version[:12]}{along}.")
