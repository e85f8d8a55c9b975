"""`events`: what happened to a job on its way, and on what evidence."""

from typing import Annotated

import msgspec
import typer
from rich.text import Text
from typer import Option

from scrapeyard.cli import wording
from scrapeyard.cli.asking import AnyJobArgument, job_meant
from scrapeyard.cli.command import command
from scrapeyard.cli.here import Here
from scrapeyard.cli.points import Point
from scrapeyard.cli.shapes import event_shape
from scrapeyard.cli.wording import plain
from scrapeyard.model.event import Event
from scrapeyard.model.evidence import Evidence

PANEL = "Look at jobs and steer them"


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    examples = ["scrapeyard events parcels", "scrapeyard events parcels --json", "scrapeyard events --all --follow"]
    command(app, PANEL, examples=examples)(events)


async def events(
    here: Here,
    job: AnyJobArgument = None,
    everything: Annotated[bool, Option("--all", help="Of all jobs.")] = False,
    limit: Annotated[int, Option("--limit", metavar="N", min=1, help="The latest N.")] = 50,
    follow: Annotated[bool, Option("--follow", "-f", help="Go on with what happens, until Ctrl-C.")] = False,
) -> None:
    """Tell what happened to a job: when a breaker stopped it and why, when it went on, who paused it.

    A trip is told with what had just failed, what going on would have brought, and three items to look at.
    """
    async with here.yard(asking=True) as yard:
        meant = None if everything else await job_meant(here, yard.service, job)
        whose = None if meant is None else meant.id
        found = await yard.service.events.find(whose, limit=limit)
        if not found and not follow and not here.json:
            here.say("Nothing has happened that is worth telling.")
        for event in found:
            _tell(here, event)
        if follow:
            async for event in yard.service.events.follow(whose, after=found[-1].id if found else None):
                _tell(here, event)


def _tell(here: Here, event: Event) -> None:
    if here.json:
        here.give(event_shape(event))
        return
    here.show(
        Text.assemble((wording.stamp(event.at), "dim"), "  ", (event.name, "bold"), f"  {plain(event.words, 1_000)}")
    )
    found = _evidence(event)
    if found is None:
        return
    for each in found.exhibits:
        pages = f"; pages: {', '.join(each.pages)}" if each.pages else ""
        here.show(Point("•", Text(plain(f"{each.key}: {each.kind}. {each.reason}{pages}", 600)), 2))
    if found.exhibits:
        command = f"scrapeyard item {plain(found.exhibits[0].key)} --job {event.job}{here.place}"
        here.show(Point("→", Text(command, "cyan"), 2))


def _evidence(event: Event) -> Evidence | None:
    """What a trip rests on; other events have less to show, or nothing."""
    try:
        return msgspec.json.decode(event.evidence, type=Evidence | None)
    except msgspec.DecodeError:
        return None  # of another form, which is for programs
