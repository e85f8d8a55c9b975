"""`sites` and `clone`: what each site allows and who visits it, holding one by hand, and running a list once more."""

from typing import Annotated

import msgspec
import typer
from typer import Argument, Option

from scrapeyard.cli import shapes
from scrapeyard.cli.asking import JobArgument, WhichItems
from scrapeyard.cli.command import command
from scrapeyard.cli.here import Here
from scrapeyard.cli.wording import counted, plain
from scrapeyard.decisions.gates import hours, rate_words
from scrapeyard.model import wire
from scrapeyard.model.ask import CloneOrder
from scrapeyard.model.breaker import Phase
from scrapeyard.model.site import SiteView

PANEL = "Look at jobs and steer them"

SiteArgument = Annotated[str, Argument(metavar="SITE", help="The site's name, as `sites list` has it.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    sites = typer.Typer(help="Look at sites, hold one, let it go.", no_args_is_help=True, rich_markup_mode="rich")
    app.add_typer(sites, name="sites", rich_help_panel=PANEL)
    command(sites, PANEL, name="list", examples=["scrapeyard sites list", "scrapeyard sites list --json"])(list_sites)
    command(sites, PANEL, examples=['scrapeyard sites hold tax.example --reason "they called"'])(hold)
    command(sites, PANEL, examples=["scrapeyard sites release tax.example"])(release)
    examples = ["scrapeyard clone parcels", "scrapeyard clone parcels --state failed --name parcels-again"]
    command(app, PANEL, examples=examples)(clone)


async def list_sites(here: Here) -> None:
    """List the sites: what each allows over all jobs, who visits it, and whether it is held or closed."""
    async with here.yard(asking=True) as yard:
        found = await yard.service.sites.find()
    if here.json:
        for site in found:
            here.give(_shape(site))
        return
    rows = [(plain(one.name), _allows(one), counted(len(one.jobs), "job"), _stands(one)) for one in found]
    here.table(["site", "allows", "visited by", "stands"], rows)


async def hold(
    here: Here, site: SiteArgument, reason: Annotated[str, Option("--reason", help="For those who look later.")] = ""
) -> None:
    """Let nothing start at a site, whichever job it is of, until it is released."""
    async with here.yard(asking=True) as yard:
        held = await yard.service.sites.hold(site, reason, "the command line")
    if here.json:
        here.give(_shape(held))
    else:
        name = plain(held.name)
        here.say(f"{name} is held; nothing starts there until `scrapeyard sites release {name}`.")


async def release(here: Here, site: SiteArgument) -> None:
    """Let a site go. Ways to it that a breaker has closed are probed at once."""
    async with here.yard(asking=True) as yard:
        free = await yard.service.sites.release(site)
    if here.json:
        here.give(_shape(free))
    else:
        here.say(f"{plain(free.name)} is not held; what a breaker had closed is probed.")


async def clone(
    here: Here,
    job: JobArgument,
    which: WhichItems,
    name: Annotated[str, Option("--name", metavar="NAME", help="Of the new job; else the same.")] = "",
) -> None:
    """Begin a new job with the same list, or with the items of it that you choose.

    It runs the version of the scraper that is here now, under the policy of the old job."""
    async with here.yard(asking=True) as yard:
        made = await yard.service.items.clone(job, CloneOrder(name, which.selection()))
    if here.json:
        here.give({**shapes.job_shape(made.job), "items": made.items})
    else:
        here.say(f"{plain(made.job.name)!r} ({made.job.id}) has {counted(made.items, 'item')}.")


def _shape(site: SiteView) -> dict[str, object]:
    return msgspec.json.decode(wire.written(site), type=dict[str, object])


def _allows(site: SiteView) -> str:
    said = [
        "no limit of requests" if site.rate is None else rate_words(site.rate),
        *([] if site.concurrency is None else [f"{counted(site.concurrency, 'item')} at once"]),
        *([] if site.window is None else [hours(site.window)]),
    ]
    return ", ".join(said)


def _stands(site: SiteView) -> str:
    if site.hold is not None:
        return plain(f"held by {site.hold.by}{': ' + site.hold.reason if site.hold.reason else ''}", 80)
    closed = sum(way.phase is Phase.OPEN for job in site.jobs for way in job.ways)
    return f"{counted(closed, 'way')} closed by a breaker" if closed else "open"
