"""A whole job in two minutes against a county that misbehaves, with something that happens on the way.

Nothing here is staged but the county. List, ledger, dispatcher, worker and export are those of every other job; so
what the demo shows is what a person gets. How it looks is the command line's business: it hands in a `Stage`.
"""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from scrapeyard.controller.intake.load import load
from scrapeyard.controller.intake.options import IntakeOptions
from scrapeyard.demo.audit import Audit, audited
from scrapeyard.demo.county import write_list
from scrapeyard.demo.outside import outside
from scrapeyard.demo.scene import Ending, Play, Scene
from scrapeyard.model.ask import ExportOrder, JobOrder, JobStatus
from scrapeyard.model.errors import Refused
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState
from scrapeyard.ports.scrapers import fallback_of
from scrapeyard.settings import Settings, StorageSettings
from scrapeyard.wiring import Work, Yard, open_yard

SCRAPERS = "scrapeyard.demo.scrapers"
_PATIENCE = 60.0


class Stage(Protocol):
    """How the demo is shown."""

    def say(self, text: str) -> None:
        """One remark, before the work begins or while it goes on."""
        ...

    async def follow(self, yard: Yard, job: Job, work: Work) -> JobStatus:
        """Show the job until it ends or somebody stops it."""
        ...


class DemoEnd(msgspec.Struct, frozen=True):
    """How it ended: the job, what the scene came to, and the exported files with their rows."""

    status: JobStatus
    folder: Path
    ending: Ending = Ending()
    audit: Audit = Audit()
    wall: float = 0.0
    files: tuple[tuple[str, int], ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the job came to its end."""
        return self.status.job.state is JobState.COMPLETED


async def run_demo(settings: Settings, scene: Scene, stage: Stage) -> DemoEnd:
    """Play a scene in the settings' data folder, which should be the demo's own."""
    folder = settings.data.expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    list_, ground = folder / "parcels.csv", scene.ground
    ghosts = round(ground.parcels * scene.ghosts)
    rows = write_list(list_, ground.parcels, ghosts, ground.seed)
    stage.say(f"{rows:,} parcel numbers in {list_}; {ghosts:,} of them do not exist.")
    async with outside(ground) as world:
        stage.say(f"The make-believe county is at {world.address}; today it is {ground.faults}.")
        for text in scene.opening:
            stage.say(text)
        await world.turn(**scene.dial)
        await world.upset(**scene.moods)
        os.environ["COUNTY_URL"] = world.address
        own = _own(settings, world.address, await scene.settings(world))
        async with open_yard(own) as yard:
            job = await _loaded(yard, scene, list_)
            play = Play(yard, job, world, ground, stage.say)
            return await _run(play, scene, stage)


def _own(settings: Settings, county: str, changed: Mapping[str, Any]) -> Settings:
    """Only the folder is the person's: no demo may end up in a ledger that others work with, or wait for their window.

    Two processes, so that one goes on while the other is killed. Of this machine, the county may be visited.
    """
    http = settings.http.model_copy(update={"allow": (*settings.http.allow, county.partition("://")[2])})
    worker = settings.worker.model_copy(update={"processes": 2, "concurrency": 24})
    own: dict[str, object] = {"scrapers": (SCRAPERS,), "storage": StorageSettings(), "sites": {}, "http": http}
    return settings.model_copy(update={**own, "worker": worker, **changed})


async def _run(play: Play, scene: Scene, stage: Stage) -> DemoEnd:
    yard, job = play.yard, play.job
    begun = yard.clock.monotonic()
    async with yard.working() as work:
        script = asyncio.create_task(scene.script(play))
        try:
            status = await stage.follow(yard, job, work)
            end = DemoEnd(status, yard.settings.data, wall=yard.clock.monotonic() - begun)
            if end.complete:
                async with asyncio.timeout(_PATIENCE):
                    end = msgspec.structs.replace(end, ending=await script)
        finally:
            script.cancel()
    return await _told(yard, end, scene) if end.complete else end


async def _loaded(yard: Yard, scene: Scene, list_: Path) -> Job:
    """A fresh job with the whole list; what an earlier demo left unfinished is cancelled, its county is gone."""
    desk = yard.service.jobs
    for old in await desk.find([JobState.LOADING, JobState.RUNNING, JobState.PAUSED]):
        if old.name.startswith("demo"):
            await desk.cancel(old.id, "a new demo was begun")
    card = yard.scrapers.find(scene.scraper)
    other = fallback_of(card, yard.scrapers)
    opened = await desk.open(JobOrder(scene.job, card, scene.policy, list_.name, fresh=True, fallback=other))
    scraper = yard.scrapers.load(card.ref)
    try:
        await load(desk, opened.job, list_, IntakeOptions(schema=card.input_schema), scraper.check_inputs)
    finally:
        await scraper.close()
    return await desk.get(opened.job.id)


async def _told(yard: Yard, end: DemoEnd, scene: Scene) -> DemoEnd:
    """Hand the records over, and compare them with the truth."""
    files: list[tuple[str, int]] = []
    remarks: list[str] = []
    for format_ in ("csv", "parquet"):
        folder = yard.settings.data / f"results-{scene.name}" / format_
        try:
            exported = await yard.service.results.export(end.status.job.id, ExportOrder(format_, str(folder)))
            files += exported.files
        except Refused as refused:  # Parquet needs an extra that a bare installation does not have
            remarks.append(str(refused))
    table = next((Path(path) for path, _ in files if Path(path).name == "Assessment.csv"), None)
    ground = scene.ground
    audit = await asyncio.to_thread(audited, table, ground.seed, ground.parcels) if table is not None else Audit()
    return msgspec.structs.replace(end, audit=audit, files=tuple(files), remarks=tuple(remarks))
