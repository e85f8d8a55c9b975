"""`why`: why a job does not move, or so slowly, and what would change that."""

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from scrapeyard.cli import shapes, wording
from scrapeyard.cli.asking import AnyJobArgument, job_meant
from scrapeyard.cli.command import command
from scrapeyard.cli.here import Here
from scrapeyard.cli.points import Point
from scrapeyard.cli.wording import plain
from scrapeyard.model.why import Bound, Going, Hindrance, Why

PANEL = "Look at jobs and steer them"

_SOON = 120.0
_COLOURS = {Going.ENDED: "bold", Going.STILL: "bold yellow", Going.MOVING: "bold green"}


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(app, PANEL, examples=["scrapeyard why", "scrapeyard why parcels", "scrapeyard why parcels --json"])(why)


async def why(here: Here, job: AnyJobArgument = None) -> None:
    """Say why a job does not move, or so slowly, and what would change that.

    Every closed gate is told with its reason and, where known, its time; then what waits for another try, what fails
    and whose fault that is, and the limits that bound the pace, the tightest first.
    """
    async with here.yard(asking=True) as yard:
        meant = await job_meant(here, yard.service, job)
        found = await yard.service.jobs.why(meant.id)
    if here.json:
        here.give(shapes.why_shape(found))
    else:
        here.show(told(found, here.place))


def told(found: Why, place: str = "") -> RenderableType:
    """The answer for a person; `place` is what has to be added to a command to mean the same folder."""
    parts: list[RenderableType] = [
        Text.assemble((plain(found.name), "bold"), f"  {found.state}"),
        Text(plain(found.answer, 2_000), _COLOURS[found.going]),
    ]
    if found.hindrances:
        parts.append(Text(""))
        parts.extend(part for each in found.hindrances for part in _hindrance(each, found, place))
    if found.bounds:
        parts += [Text(""), Text("What bounds the pace, the tightest first:", "dim")]
        parts.extend(_bound(each) for each in found.bounds)
    left = found.seconds_left
    if left is not None:
        parts += [Text(""), Text(f"Left: {wording.spanned(left, wording.duration)}, if it goes on like this.")]
    return Group(*parts)


def _hindrance(each: Hindrance, found: Why, place: str) -> list[RenderableType]:
    """What is in the way, unless the answer has said it, and below it what would change that."""
    until = each.until
    when = f" (at {wording.moment(until, found.at)})" if until is not None and until - found.at >= _SOON else ""
    known = each.words in found.answer and not when
    said: list[RenderableType] = [] if known else [Point("•", Text(plain(each.words, 1_000) + when))]
    indent = 0 if known else 2
    for remedy in each.remedies:
        said.append(Point("→", Text(plain(remedy.words), "dim"), indent))
        if remedy.command:
            said.append(Point(" ", Text(f"{remedy.command}{place}", "cyan"), indent))
    return said


def _bound(bound: Bound) -> RenderableType:
    style = "bold" if bound.binds else ""
    return Point(f"{wording.pace(bound.per_second):>10} ", Text(plain(bound.words), style))
