"""`jobs`, `status`, `pause`, `resume`, `cancel`: looking at jobs as a whole, and steering them."""

import asyncio
from typing import Annotated

import typer
from typer import Option

from scrapeyard.cli import shapes, wording
from scrapeyard.cli.asking import AnyJobArgument, JobArgument, job_meant
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code
from scrapeyard.cli.following import ENDED, code_of_end, follow
from scrapeyard.cli.here import Here
from scrapeyard.cli.live import History, done_of, total_of, view
from scrapeyard.cli.policies import parse_duration
from scrapeyard.cli.telling import say_end
from scrapeyard.cli.wording import plain
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState
from scrapeyard.ports.service import Service

PANEL = "Look at jobs and steer them"

ReasonOption = Annotated[str, Option("--reason", metavar="TEXT", help="Shown to whoever asks why it stands still.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(app, PANEL, examples=["scrapeyard jobs", "scrapeyard jobs --state running --json"])(jobs)
    command(
        app,
        PANEL,
        examples=["scrapeyard status", "scrapeyard status parcels --watch", "scrapeyard status parcels --json"],
    )(status)
    command(app, PANEL, examples=['scrapeyard pause parcels --reason "the county called"'])(pause)
    command(app, PANEL, examples=["scrapeyard resume parcels"])(resume)
    command(app, PANEL, examples=["scrapeyard cancel parcels --yes"])(cancel)


async def jobs(
    here: Here,
    states: Annotated[list[JobState] | None, Option("--state", help="Only these; may be repeated.")] = None,
    limit: Annotated[int, Option("--limit", metavar="N", min=1, help="The newest N.")] = 50,
) -> None:
    """List the jobs, newest first, with how far each is."""
    async with here.yard(asking=True) as yard:
        service = yard.service
        found = [await service.jobs.status(job.id) for job in await service.jobs.find(states or (), limit=limit)]
    if here.json:
        for each in found:
            here.give(shapes.status_shape(each))
        return
    here.table(
        ["name", "state", "done#", "items#", "failed#", "begun", "id"],
        (
            (
                each.job.name,
                str(each.job.state),
                wording.number(done_of(each)),
                wording.number(total_of(each)),
                wording.number(sum(each.tally.failed.values())),
                wording.ago(each.job.created, each.at),
                each.job.id,
            )
            for each in found
        ),
    )


async def status(
    here: Here,
    job: AnyJobArgument = None,
    watch: Annotated[bool, Option("--watch", "-w", help="Keep looking until the job has ended.")] = False,
    every: Annotated[str, Option("--every", metavar="TIME", help="How often --watch --json prints.")] = "2s",
) -> Code:
    """Say how far a job is, what came out so far, and what holds it up.

    With --watch the exit code is that of the job's end: 0, 3 or 4.
    """
    async with here.yard(asking=True) as yard:
        meant = await job_meant(here, yard.service, job)
        if watch and not here.json:
            ended = (await follow(here, yard.service, meant.id)).status
            say_end(here, ended)
            return code_of_end(ended)
        if watch:
            return await _watched(here, yard.service, meant, parse_duration(every))
        now = await yard.service.jobs.status(meant.id)
        if here.json:
            here.give(shapes.status_shape(now))
            return Code.FINE
        history = History()
        history.add(now)
        here.show(view(history))
        for report in await yard.service.jobs.workers():
            if report.refusing:
                here.say(f"Worker {report.worker} takes nothing new: {plain(report.refusing)}.")
    return Code.FINE


async def pause(here: Here, job: JobArgument, reason: ReasonOption = "paused by hand") -> None:
    """Let nothing more of a job start; what runs may end. `resume` lets it go on."""
    async with here.yard(asking=True) as yard:
        _tell(here, await yard.service.jobs.pause(job, reason), "is paused; `scrapeyard resume` lets it go on")


async def resume(here: Here, job: JobArgument) -> None:
    """Let a paused job go on."""
    async with here.yard(asking=True) as yard:
        _tell(here, await yard.service.jobs.resume(job), "goes on as soon as a dispatcher and a worker run")


async def cancel(
    here: Here,
    job: JobArgument,
    reason: ReasonOption = "cancelled by hand",
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Stop a job for good. What it has kept stays; what was not run counts as cancelled."""
    async with here.yard(asking=True) as yard:
        found = await yard.service.jobs.get(job)
        if not yes and not here.json and here.out.is_terminal:
            typer.confirm(f"Stop {plain(found.name)!r} for good?", abort=True)
        _tell(here, await yard.service.jobs.cancel(found.id, reason), "is cancelled")


async def _watched(here: Here, service: Service, job: Job, every: float) -> Code:
    """One status a line for a program, until the job has ended."""
    history = History()
    while True:
        now = await service.jobs.status(job.id)
        history.add(now)
        pace, left = history.pace, history.left
        here.give(
            shapes.status_shape(now)
            | {"per_second": pace.mid if pace else None, "seconds_left": left.mid if left else None}
        )
        here.flush()
        if now.job.state in ENDED:
            return code_of_end(now)
        await asyncio.sleep(every)


def _tell(here: Here, job: Job, said: str) -> None:
    if here.json:
        here.give(shapes.job_shape(job))
    else:
        here.show(f"{plain(job.name)!r} {said}.")
