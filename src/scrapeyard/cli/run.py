"""`run` and `submit`: a scraper and a list become a job, and the same command again goes on with it.

A person who stopped yesterday types the same line today. So a job has a name made from its scraper and its list, an
unfinished job of that name is gone on with, and which of the two happened is always said.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from typer import Argument, Option

from scrapeyard.cli import shapes
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code
from scrapeyard.cli.following import Stopping, code_of_end, follow
from scrapeyard.cli.here import Here
from scrapeyard.cli.lists import JobOptions, ListOptions, source_of
from scrapeyard.cli.outlook import Outlook
from scrapeyard.cli.policies import PolicyOptions
from scrapeyard.cli.telling import Loading, command_name, say_end, say_forecast, say_loaded, say_stopped
from scrapeyard.cli.wording import plain
from scrapeyard.controller.intake.load import load, look_over
from scrapeyard.model.ask import JobOrder, Opened
from scrapeyard.model.errors import BadInput
from scrapeyard.model.job import Job
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import JobState
from scrapeyard.ports.scrapers import fallback_of

if TYPE_CHECKING:
    from scrapeyard.settings import Settings
    from scrapeyard.wiring import Yard

PANEL = "Work through a list"
_UNFINISHED = (JobState.LOADING, JobState.RUNNING, JobState.PAUSED, JobState.FINALIZING)

ScraperArgument = Annotated[
    str, Argument(metavar="SCRAPER", help="A scraper's name, or the path of its file.", show_default=False)
]
ListArgument = Annotated[
    str,
    Argument(
        metavar="LIST", help="CSV, JSONL, Parquet, XLSX, or gzip of these; - is standard input.", show_default=False
    ),
]


@dataclass(frozen=True, slots=True)
class CrewOptions:
    """How much of this machine works on it."""

    processes: Annotated[
        int | None, Option("--processes", metavar="N", min=1, rich_help_panel="Worker", help="Scraping processes here.")
    ] = None
    items_at_once: Annotated[
        int | None,
        Option("--items-at-once", metavar="N", min=1, rich_help_panel="Worker", help="Items that each of them runs."),
    ] = None

    def over(self) -> dict[str, Any]:
        """What these options change in the settings."""
        said = {"processes": self.processes, "concurrency": self.items_at_once}
        return {"worker": {name: value for name, value in said.items() if value is not None}}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One order as it stands on the command line."""

    scraper: str
    source: Path | None
    rows: ListOptions
    job: JobOptions
    policy: PolicyOptions


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard run scrapers/assessor.py parcels.csv --limit 20",
            "scrapeyard run us.ca.alameda.assessment parcels.csv --rate 2 --processes 4",
            'scrapeyard run assessor.py parcels.xlsx --map parcel_id="Parcel No" --on-bad-row skip --rejects bad.csv',
            "zcat parcels.csv.gz | scrapeyard run assessor.py - --name parcels-2026",
        ],
    )(run)
    command(
        app,
        PANEL,
        examples=["scrapeyard submit us.ca.alameda.assessment parcels.csv --priority 7", "scrapeyard up"],
    )(submit)


async def run(
    here: Here,
    scraper: ScraperArgument,
    source: ListArgument,
    *,
    rows: ListOptions,
    job: JobOptions,
    policy: PolicyOptions,
    crew: CrewOptions,
) -> Code:
    """Work through a list with a scraper, here and now, and watch it.

    The same command again goes on with the job where it stopped. Ctrl-C lets what runs end and then stops; a second
    Ctrl-C stops at once. With --limit it ends with a forecast for the whole list.
    """
    wanted = Wanted(scraper, source_of(source), rows, job, policy)
    settings = _settings(here, scraper, crew.over())
    async with here.yard(settings) as yard:
        order = _order(yard, wanted)
        opened = await _opened(here, yard, order, wanted)
        if opened.job.state is JobState.PAUSED:
            here.say(f"It was paused ({plain(opened.job.reason or 'by hand')}); it goes on now.")
            await yard.service.jobs.resume(opened.job.id)
        await _mention_others(here, yard, opened.job)
        async with yard.working() as work:
            with Stopping(work.stop).listening() as stopping:
                status, seconds = await follow(
                    here, yard.service, opened.job.id, work=work, remark=lambda: stopping.remark
                )
        if status.job.state not in {JobState.COMPLETED, JobState.CANCELLED}:
            if here.json:
                here.give(shapes.status_shape(status) | {"continued": opened.continued, "forecast": None})
            say_stopped(here, status)
            return stopping.code or Code.REFUSED
        outlook = Outlook(here, yard.settings, order.card)
        forecast = await outlook.expect(wanted.source, rows, status, None if opened.continued else seconds)
        if here.json:
            told = None if forecast is None else shapes.forecast_shape(forecast)
            here.give(shapes.status_shape(status) | {"continued": opened.continued, "forecast": told})
        else:
            say_end(here, status)
            if forecast is not None:
                say_forecast(here, forecast)
        return code_of_end(status)


async def submit(
    here: Here,
    scraper: ScraperArgument,
    source: ListArgument,
    rows: ListOptions,
    job: JobOptions,
    policy: PolicyOptions,
) -> Code:
    """Load a list as a job, and leave the work to `scrapeyard up` or to workers elsewhere."""
    wanted = Wanted(scraper, source_of(source), rows, job, policy)
    async with here.yard(_settings(here, scraper, {})) as yard:
        order = _order(yard, wanted)
        opened = await _opened(here, yard, order, wanted)
        status = await yard.service.jobs.status(opened.job.id)
        if here.json:
            here.give(shapes.status_shape(status) | {"continued": opened.continued})
        else:
            here.write(opened.job.id)
            name = command_name(opened.job)
            here.say(
                f"`scrapeyard up{here.place}` works on it; `scrapeyard status {name}{here.place}` tells how far it is."
            )
    return Code.FINE


def _settings(here: Here, scraper: str, over: dict[str, Any]) -> "Settings":
    """The settings; a scraper that is named by its file is a place to look as well."""
    settings = here.settings(**over)
    if scraper.endswith(".py"):
        settings = settings.model_copy(update={"scrapers": tuple(dict.fromkeys((*settings.scrapers, scraper)))})
    return settings


def _order(yard: "Yard", wanted: Wanted) -> JobOrder:
    card: ScraperCard = yard.scrapers.find(wanted.scraper)
    return JobOrder(
        name=wanted.job.called(card, wanted.source, wanted.rows),
        card=card,
        policy=wanted.policy.policy(),
        source="stdin" if wanted.source is None else wanted.source.name,
        fresh=wanted.job.new,
        fallback=fallback_of(card, yard.scrapers),
    )


async def _opened(here: Here, yard: "Yard", order: JobOrder, wanted: Wanted) -> Opened:
    """The job, loaded and allowed to run; what was done is said."""
    await _looked_over(yard, order, wanted)
    opened = await yard.service.jobs.open(order)
    job = opened.job
    shown = f"{plain(job.name)!r} ({job.id})"
    if opened.continued:
        here.say(f"Going on with the unfinished job {shown}. --new would begin another one.")
    else:
        here.say(f"New job {shown}.")
    if job.state is JobState.LOADING:
        job = await _loaded(here, yard, job, order.card, wanted)
    return msgspec.structs.replace(opened, job=job)


async def _looked_over(yard: "Yard", order: JobOrder, wanted: Wanted) -> None:
    """Refuse what can be told from options and header alone before there is a job that would have to be cancelled.

    A list that can be read only once, such as a pipe, is not looked into; nor is that of a job that goes on.
    """
    options = wanted.rows.intake(order.card)
    if wanted.source is None or not wanted.source.is_file():
        return
    if order.fresh or all(job.name != order.name for job in await yard.service.jobs.find(_UNFINISHED, limit=500)):
        await asyncio.to_thread(look_over, wanted.source, options)


async def _loaded(here: Here, yard: "Yard", job: Job, card: ScraperCard, wanted: Wanted) -> Job:
    """The job with its whole list. A list that is refused ends its job, so that a mended one begins from nothing."""
    scraper = yard.scrapers.load(card.ref)
    try:
        with Loading(here) as loading:
            options = wanted.rows.intake(card)
            desk, check = yard.service.jobs, scraper.check_inputs
            loaded = await load(desk, job, wanted.source, options, check, progress=loading.tell)
    except BadInput as refused:
        await yard.service.jobs.cancel(job.id, f"its list was refused: {refused}")
        raise
    finally:
        await scraper.close()
    say_loaded(here, loaded)
    return await yard.service.jobs.get(job.id)


async def _mention_others(here: Here, yard: "Yard", job: Job) -> None:
    """A worker works on whatever is unfinished; nobody should be surprised by that."""
    others = [other for other in await yard.service.jobs.find([JobState.RUNNING]) if other.id != job.id]
    if others:
        names = ", ".join(plain(other.name) for other in others[:3]) + (" …" if len(others) > 3 else "")
        here.say(f"Also unfinished in {yard.settings.data}, and going on meanwhile: {names}.")
