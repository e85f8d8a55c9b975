"""`items` and `item`: what became of single items, why, and the page that was kept of one."""

import shlex
import time
from typing import Annotated

import typer
from typer import Argument, Option

from scrapeyard.cli import shapes, showing, stories, wording
from scrapeyard.cli.asking import AnyJobArgument, WhichItems, items_of, job_meant
from scrapeyard.cli.command import command
from scrapeyard.cli.here import Here
from scrapeyard.cli.wording import counted, plain
from scrapeyard.model.ask import ItemStory
from scrapeyard.model.errors import NotFound
from scrapeyard.model.item import Item
from scrapeyard.model.job import Job
from scrapeyard.ports.service import Service

PANEL = "Look at items and results"

_ON_SCREEN = 100
_LATEST_JOBS = 20


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard items parcels --state failed",
            "scrapeyard items parcels --kind blocked | cut -f1 > blocked.txt",
            "scrapeyard items parcels --json --unreadable",
        ],
    )(items)
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard item 001-0001-001",
            "scrapeyard item 001-0001-001 --job parcels --open",
            "scrapeyard item 001-0001-001 --open --page bill",
        ],
    )(item)


async def items(
    here: Here,
    which: WhichItems,
    job: AnyJobArgument = None,
    limit: Annotated[
        int | None,
        Option("--limit", metavar="N", min=1, help="At most N; else 100 on a terminal, all into a pipe."),
    ] = None,
) -> None:
    """List a job's items in the order of its list.

    Into a pipe the columns are key, state, kind, attempts and reason, separated by tabs.
    """
    selection = which.selection()
    shown = limit or (_ON_SCREEN if here.out.is_terminal and not here.json else None)
    async with here.yard(asking=True) as yard:
        meant = await job_meant(here, yard.service, job)
        if not here.out.is_terminal or here.json:
            async for each in items_of(yard.service, meant.id, selection, shown):
                here.give(shapes.item_shape(each)) if here.json else here.row(_row(each))
            return
        found = [each async for each in items_of(yard.service, meant.id, selection, shown)]
    here.table(["key", "state", "kind", "tries#", "reason"], map(_row, found))
    if len(found) == shown:
        here.say(f"The first {counted(len(found), 'item')}; --limit {10 * len(found)} shows more.")


async def item(
    here: Here,
    key: Annotated[str, Argument(metavar="KEY", help="The item's key, as in the list.", show_default=False)],
    job: Annotated[str | None, Option("--job", metavar="JOB", help="Else the latest that has the item.")] = None,
    open_it: Annotated[
        bool, Option("--open", "-o", help="Show the kept page in the browser, without scripts.")
    ] = False,
    page: Annotated[str | None, Option("--page", metavar="NAME", help="Which page; else the last kept.")] = None,
) -> None:
    """Tell one item's whole story: every try, what was kept, and why it ended as it did."""
    async with here.yard(asking=True) as yard:
        meant, story = await _story(here, yard.service, key, job)
        if open_it or page is not None:
            kept = await yard.service.results.capture(meant.id, key, page)
            shown = showing.show(kept)
            if here.json:
                here.give({"key": key, "job": meant.name, "path": str(shown.path), "opened": shown.opened})
                return
            here.show(showing.told(kept, shown))
            return
    if here.json:
        here.give(shapes.story_shape(meant, story))
    else:
        _tell(here, meant, story)


async def _story(here: Here, service: Service, key: str, job: str | None) -> tuple[Job, ItemStory]:
    """The item in the named job; without a name in the latest that has it."""
    if job is not None:
        meant = await service.jobs.get(job)
        return meant, await service.items.story(meant.id, key)
    missing: NotFound | None = None
    for latest in await service.jobs.find(limit=_LATEST_JOBS):
        try:
            story = await service.items.story(latest.id, key)
        except NotFound as error:
            missing = missing or error
            continue
        here.say(f"In the job {plain(latest.name)!r} ({latest.id}):")
        return latest, story
    raise missing or NotFound("There is no job here yet; begin with `scrapeyard run SCRAPER LIST`.")


def _row(item: Item) -> tuple[str, ...]:
    return (item.key, str(item.state), item.kind or "", str(item.attempts), _reason(item))


def _reason(item: Item) -> str:
    """Why; of an item that is on its way again, when."""
    return item.reason or ("unreadable" if str(item.reading) == "unreadable" else "")


def _tell(here: Here, job: Job, story: ItemStory) -> None:
    item = story.item
    for part in stories.told(job, story, time.time()):
        here.show(part)
    if item.captures:
        here.show("")
        here.table(
            ["page", "status", "type", "size#", "address", "place"],
            [
                (
                    each.name,
                    str(each.status),
                    each.content_type.partition(";")[0],
                    wording.size(each.size),
                    each.url,
                    f"{each.place.blob} at {each.place.offset}",
                )
                for each in item.captures
            ],
        )
        here.say(f"Shown by `scrapeyard item {shlex.quote(plain(item.key))} --job {job.id} --open{here.place}`.")
