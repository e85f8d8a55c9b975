"""`prune`: removing what is too old, or saying what that would free."""

from typing import Annotated

import typer
from typer import Option

from scrapeyard.cli.command import command
from scrapeyard.cli.here import Here
from scrapeyard.cli.shapes import pruned_shape
from scrapeyard.cli.wording import counted, size, stamp

PANEL = "Run as a service"


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(app, PANEL, examples=["scrapeyard prune --dry-run", "scrapeyard prune"])(prune)


async def prune(
    here: Here,
    dry_run: Annotated[bool, Option("--dry-run", help="Only say what that would free.")] = False,
) -> None:
    """Remove captures, deeds and entries of the alerts' log that are older than policies and settings keep them.

    Outcomes, attempts, records and manifests stay. A controller, `up` or a dispatcher does this once a day."""
    async with here.yard(asking=True) as yard:
        pruned = await yard.service.retention.prune(dry_run=dry_run)
    if here.json:
        here.give(pruned_shape(pruned))
        return
    rows = [(one.job, one.name, stamp(one.finished), f"{one.blobs:,}", size(one.size)) for one in pruned.jobs]
    here.table(["job", "name", "ended", "blobs#", "size#"], rows)
    verb = "would be" if dry_run else "were"
    here.say(
        f"{size(pruned.size)} of captures of {counted(len(pruned.jobs), 'job')}, {counted(pruned.deeds, 'deed')} and "
        f"{counted(pruned.told, 'entry', 'entries')} of the alerts' log {verb} removed."
    )
