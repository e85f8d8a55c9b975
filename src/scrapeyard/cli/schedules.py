"""`schedules`: jobs that begin by themselves, at the hours of a wall clock."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from typer import Argument, Option

from scrapeyard.cli.asking import WhichItems
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.here import Here
from scrapeyard.cli.policies import PolicyOptions, parse_duration
from scrapeyard.cli.shapes import schedule_shape
from scrapeyard.cli.wording import moment, plain
from scrapeyard.controller.intake.options import parse_columns
from scrapeyard.model.item import Selection
from scrapeyard.model.schedule import CatchUp, ItemsOf, Overlap, Schedule, ScheduleView
from scrapeyard.ports.schedules import ScheduleDesk

PANEL = "Run as a service"
_OVER = "Over what it runs"
_WHEN = "When it runs"
_OWN = "last"

NameArgument = Annotated[str, Argument(metavar="NAME", help="The schedule's name.", show_default=False)]


@dataclass(frozen=True, slots=True)
class WhenOptions:
    """At which times, and what happens when one gets in the way."""

    cron: Annotated[
        str,
        Option("--cron", metavar="CRON", rich_help_panel=_WHEN, help='Five fields, such as "30 2 * * mon-fri".'),
    ]
    timezone: Annotated[
        str, Option("--timezone", metavar="ZONE", rich_help_panel=_WHEN, help="Whose wall clock is meant.")
    ] = "UTC"
    overlap: Annotated[
        Overlap, Option("--overlap", rich_help_panel=_WHEN, help="When due while its last job is unfinished.")
    ] = Overlap.SKIP
    catch_up: Annotated[
        CatchUp, Option("--catch-up", rich_help_panel=_WHEN, help="Which missed times are made up for, at most 24.")
    ] = CatchUp.LAST


@dataclass(frozen=True, slots=True)
class OverOptions:
    """A list, or items of an earlier job."""

    source: Annotated[
        Path | None,
        Option("--list", metavar="FILE", rich_help_panel=_OVER, help="A list from here; a copy is kept."),
    ] = None
    file: Annotated[
        str,
        Option("--file", metavar="NAME", rich_help_panel=_OVER, help="Read anew each time, where `clerk.lists` says."),
    ] = ""
    items_of: Annotated[
        str,
        Option(
            "--items-of",
            metavar="JOB",
            rich_help_panel=_OVER,
            help="Items of a job or schedule; `last` is its own.",
        ),
    ] = ""
    older: Annotated[
        str | None,
        Option("--older", metavar="24h", rich_help_panel=_OVER, help="Of those, which ended so long before."),
    ] = None
    columns: Annotated[
        list[str] | None,
        Option("--map", metavar="INPUT=COLUMN", rich_help_panel=_OVER, help='Such as parcel_id="Parcel No".'),
    ] = None
    fresh: Annotated[
        str | None,
        Option("--fresh", metavar="7d", rich_help_panel=_OVER, help="Skip items that succeeded within that time."),
    ] = None

    def items(self, selection: Selection) -> ItemsOf | None:
        """The items of an earlier job, if such are meant."""
        if not self.items_of:
            if self.older is not None or selection != Selection():
                raise Misused("Say of which job those items are: --items-of JOB, or --items-of last.")
            return None
        job = "" if self.items_of == _OWN else self.items_of
        return ItemsOf(job, selection, None if self.older is None else parse_duration(self.older))


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    schedules = typer.Typer(help="Let jobs begin by themselves.", no_args_is_help=True, rich_markup_mode="rich")
    app.add_typer(schedules, name="schedules", rich_help_panel=PANEL)
    examples = [
        'scrapeyard schedules add nightly us.ca.alameda.bill --cron "0 2 * * *" --list parcels.csv --fresh 7d',
        'scrapeyard schedules add again us.ca.alameda.bill --cron "0 6 * * *" --items-of nightly --state failed',
    ]
    command(schedules, PANEL, examples=examples)(add)
    command(schedules, PANEL, name="list", examples=["scrapeyard schedules list"])(list_schedules)
    command(schedules, PANEL, examples=["scrapeyard schedules show nightly"])(show)
    command(schedules, PANEL, examples=["scrapeyard schedules pause nightly"])(pause)
    command(schedules, PANEL, examples=["scrapeyard schedules resume nightly"])(resume)
    command(schedules, PANEL, name="run", examples=["scrapeyard schedules run nightly"])(run_now)
    command(schedules, PANEL, examples=["scrapeyard schedules delete nightly"])(delete)


async def add(
    here: Here,
    name: NameArgument,
    *,
    scraper: Annotated[str, Argument(metavar="SCRAPER", help="A scraper's name.", show_default=False)],
    when: WhenOptions,
    over: OverOptions,
    which: WhichItems,
    policy: PolicyOptions,
) -> None:
    """Make a schedule. Its jobs begin while a controller, `up` or a dispatcher runs; which one does not matter.

    A time that the wall clock leaps over comes right after the leap, one that it shows twice comes once."""
    plan = Schedule(
        name=name,
        cron=when.cron,
        scraper=scraper,
        timezone=when.timezone,
        file=over.file,
        items=over.items(which.selection()),
        columns=parse_columns(over.columns or []),
        policy=policy.policy(),
        overlap=when.overlap,
        catch_up=when.catch_up,
        fresh=None if over.fresh is None else parse_duration(over.fresh),
    )
    async with here.yard() as yard:
        if over.source is not None:
            kept = await yard.service.schedules.keep_list(await asyncio.to_thread(_read, over.source))
            plan = msgspec.structs.replace(plan, list=kept.list)
        view = await yard.service.schedules.add(plan)
        now = yard.clock.now()
    _tell(here, view, now, "was made")


async def list_schedules(here: Here) -> None:
    """List all schedules."""
    async with here.yard(asking=True) as yard:
        found = await yard.service.schedules.find()
        now = yard.clock.now()
    if here.json:
        for view in found:
            here.give(schedule_shape(view))
        return
    rows = [
        (view.schedule.name, view.schedule.scraper, _when(view.schedule), _next(view, now), _last(view))
        for view in found
    ]
    here.table(["name", "scraper", "when", "next", "last"], rows)


async def show(here: Here, name: NameArgument) -> None:
    """Show a schedule and what came of its latest due times."""
    async with here.yard(asking=True) as yard:
        view = await yard.service.schedules.get(name)
        now = yard.clock.now()
    if here.json:
        here.give(schedule_shape(view))
        return
    here.show(f"{name}: {view.schedule.scraper}, {_when(view.schedule)}, next {_next(view, now)}")
    here.table(["due", "came of it"], [(moment(one.due, now), one.words) for one in view.recent])


async def pause(here: Here, name: NameArgument) -> None:
    """Let nothing begin until it is resumed."""
    await _steered(here, lambda desk: desk.pause(name), "is paused")


async def resume(here: Here, name: NameArgument) -> None:
    """Go on with the next due time; those that passed meanwhile are not made up for."""
    await _steered(here, lambda desk: desk.resume(name), "goes on")


async def run_now(here: Here, name: NameArgument) -> None:
    """Let a job of it begin now, even while it is paused."""
    await _steered(here, lambda desk: desk.run(name), "is due now")


async def delete(here: Here, name: NameArgument) -> None:
    """Forget a schedule. Its jobs stay."""
    await _steered(here, lambda desk: desk.delete(name), "was deleted")


async def _steered(here: Here, deed: Callable[[ScheduleDesk], Awaitable[ScheduleView]], done: str) -> None:
    async with here.yard(asking=True) as yard:
        view = await deed(yard.service.schedules)
        now = yard.clock.now()
    _tell(here, view, now, done)


def _tell(here: Here, view: ScheduleView, now: float, done: str) -> None:
    if here.json:
        here.give(schedule_shape(view))
    else:
        here.say(f"The schedule {view.schedule.name} {done}; next {_next(view, now)}.")


def _read(path: Path) -> bytes:
    try:
        return path.expanduser().read_bytes()
    except OSError as error:
        raise Misused(f"{str(path)!r} cannot be read: {error.strerror}.") from error


def _when(plan: Schedule) -> str:
    return f"{plan.cron} ({plan.timezone})"


def _next(view: ScheduleView, now: float) -> str:
    if view.waiting:
        return "as soon as it can"
    return "paused" if view.paused else "never" if view.upcoming is None else moment(view.upcoming, now)


def _last(view: ScheduleView) -> str:
    return plain(view.recent[-1].words, 100) if view.recent else ""
