"""`up`, `worker`, `dispatcher`: what works on jobs, for as long as it is let; Ctrl-C or SIGTERM drains it.

On one machine `up` is all there is to it. Several workers beside one dispatcher share the same data folder.
"""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text
from typer import Option

from scrapeyard.cli import shapes
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.following import LINE_EVERY, LOOK_EVERY, Stopping, hosted
from scrapeyard.cli.here import Here
from scrapeyard.cli.live import History, line, view
from scrapeyard.cli.pulse import pulse
from scrapeyard.cli.run import CrewOptions
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.job import JobId
from scrapeyard.model.states import JobState
from scrapeyard.ports.service import Service

if TYPE_CHECKING:
    from scrapeyard.wiring import Work
    from scrapeyard.wiring.scaling import Processes

PANEL = "Keep working"

MetricsOption = Annotated[
    str | None, Option("--metrics", metavar="HOST:PORT", help="Show figures to Prometheus there, at /metrics.")
]

_SCALED = "scrapeyard up --max-processes 8"
_SHOWN = 6
_BUSY = (JobState.RUNNING, JobState.FINALIZING)


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(
        app,
        PANEL,
        examples=["scrapeyard up", "scrapeyard up --processes 4 --until-done", _SCALED],
    )(up)
    command(app, PANEL, examples=["scrapeyard worker --processes 4", "scrapeyard worker --metrics 0.0.0.0:9100"])(
        worker
    )
    command(app, PANEL, examples=["scrapeyard dispatcher --data /srv/scrapeyard"])(dispatcher)


async def up(
    here: Here,
    crew: CrewOptions,
    until_done: Annotated[bool, Option("--until-done", help="End when no job is left to work on.")] = False,
    metrics: MetricsOption = None,
    max_processes: Annotated[
        int | None,
        Option(
            "--max-processes",
            metavar="N",
            min=1,
            max=256,
            rich_help_panel="Worker",
            help="Start worker processes as there is work for them, up to N, and end them when it is done.",
        ),
    ] = None,
    min_processes: Annotated[
        int, Option("--min-processes", metavar="M", min=0, rich_help_panel="Worker", help="Keep M of them always.")
    ] = 0,
) -> None:
    """Work on every job of this folder: a dispatcher and a worker in one, until Ctrl-C."""
    settings = here.settings(**crew.over(), metrics=_listen(metrics))
    processes = None
    if max_processes is None and min_processes:
        raise Misused("--min-processes goes with --max-processes N: say how many there may be at most.")
    if max_processes is not None:
        if crew.processes is not None:
            raise Misused("--processes and --max-processes do not go together: the one is fixed, the other scales.")
        if min_processes > max_processes:
            raise Misused(f"--min-processes {min_processes} is more than --max-processes {max_processes}.")
        processes = _processes(here, crew, min_processes, max_processes)
    async with (
        here.yard(settings) as yard,
        yard.working(clerk=True, processes=processes) as work,
        pulse(settings.data, "up"),
    ):
        with Stopping(work.stop).listening() as stopping:
            await _attend(here, yard.service, work, stopping, until_done=until_done)


async def worker(here: Here, crew: CrewOptions, metrics: MetricsOption = None) -> None:
    """Take items and scrape them; a dispatcher elsewhere decides which. Logs to standard error."""
    await _serve(here, crew, metrics, worker=True)


async def dispatcher(here: Here, metrics: MetricsOption = None) -> None:
    """Decide what may start now. Of several dispatchers one is active; the others stand by. Logs to standard error."""
    await _serve(here, CrewOptions(), metrics, worker=False)


async def _serve(here: Here, crew: CrewOptions, metrics: str | None, *, worker: bool) -> None:
    settings = here.settings(**crew.over(), metrics=_listen(metrics))
    valve = not worker
    async with (
        here.yard(settings, quiet=False) as yard,
        yard.working(worker=worker, dispatcher=valve, clerk=valve) as work,
    ):
        with Stopping(work.stop).listening():
            async with pulse(settings.data, "dispatcher" if valve else "worker"):
                await work.ended()


def _processes(here: Here, crew: CrewOptions, least: int, most: int) -> "Processes":
    """Workers that are started with the words that this command was given."""
    from scrapeyard.wiring.scaling import Processes  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

    words = list(here.words)
    if crew.items_at_once is not None:
        words += ["--items-at-once", str(crew.items_at_once)]
    return Processes(least, most, words)


def _listen(metrics: str | None) -> dict[str, str] | None:
    return None if metrics is None else {"listen": metrics}


async def _attend(here: Here, service: Service, work: "Work", stopping: Stopping, *, until_done: bool) -> None:
    """Show what is going on until it is stopped, or until nothing is left."""
    board = Board(here)
    ending = asyncio.create_task(work.ended())
    with board:
        while not ending.done():
            busy = await service.jobs.find(_BUSY, limit=_SHOWN)
            statuses = [hosted(await service.jobs.status(job.id)) for job in busy]
            board.draw(statuses, stopping.remark)
            if until_done and not statuses:
                break
            await asyncio.wait({ending}, timeout=LOOK_EVERY)
    if not ending.done():
        work.stop()
    await ending
    here.say("Nothing is left to do." if until_done and stopping.code is None else "Stopped; nothing is lost.")


class Board:
    """The progress of several jobs at once."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._live = Live(console=here.err, auto_refresh=False, transient=True) if here.err.is_terminal else None
        self._jobs: dict[JobId, History] = {}
        self._next = 0.0

    def __enter__(self) -> "Board":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def draw(self, statuses: list[JobStatus], remark: str) -> None:
        """Show how they stand now; the jobs that have ended are forgotten."""
        self._jobs = {status.job.id: self._jobs.get(status.job.id, History()) for status in statuses}
        for status in statuses:
            self._jobs[status.job.id].add(status)
        if self._live is not None:
            self._live.update(self._picture(remark), refresh=True)
            return
        now = asyncio.get_running_loop().time()
        if now < self._next:
            return
        self._next = now + LINE_EVERY
        for history in self._jobs.values():
            if not self._here.json:
                self._here.say(line(history))
            elif history.status is not None:
                self._here.give(shapes.status_shape(history.status))
        self._here.flush()

    def _picture(self, remark: str) -> RenderableType:
        idle = Text("Nothing to do; waiting for jobs. Ctrl-C stops.", style="dim")
        parts: list[RenderableType] = [view(history) for history in self._jobs.values()] or [idle]
        return Group(*parts, *([Text(remark, style="yellow")] if remark else []))
