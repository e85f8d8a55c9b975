"""`demo`: a whole job against a make-believe county, to see in two minutes what Scrapeyard does."""

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer
from rich.table import Table
from rich.text import Text
from typer import Option

from scrapeyard.cli import shapes
from scrapeyard.cli.command import command
from scrapeyard.cli.doctor import PANEL
from scrapeyard.cli.failing import Code, Misused
from scrapeyard.cli.following import Stopping, follow
from scrapeyard.cli.here import Here
from scrapeyard.cli.telling import command_name, say_outcomes
from scrapeyard.cli.wording import counted, duration, plain
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.job import Job

if TYPE_CHECKING:
    from scrapeyard.demo.run import DemoEnd
    from scrapeyard.demo.scene import Scene
    from scrapeyard.wiring import Work, Yard

_FOLDER = Path("scrapeyard-demo")
_FIELDS = 4
_NARROW = 12


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard demo",
            "scrapeyard demo --list-scenes",
            "scrapeyard demo --scene redesign",
            "scrapeyard demo --items 200 --faults calm --no-kill",
        ],
    )(demo)


async def demo(
    here: Here,
    *,
    scene: Annotated[str, Option("--scene", metavar="NAME", help="What happens on the way.")] = "ordinary",
    list_scenes: Annotated[bool, Option("--list-scenes", help="Say which scenes there are, and do nothing.")] = False,
    items: Annotated[
        int | None,
        Option("--items", metavar="N", min=20, help="Parcels of the county; else as many as suit the scene."),
    ] = None,
    faults: Annotated[
        Literal["calm", "mild"] | None, Option("--faults", help="How badly its site behaves at first.")
    ] = None,
    kill: Annotated[bool, Option("--kill/--no-kill", help="Kill a process in the ordinary scene.")] = True,
    seed: Annotated[int, Option("--seed", metavar="N", help="Another seed is another county.")] = 7,
) -> Code:
    """Run a real job against a make-believe county on this machine, and show what came of it.

    Something goes wrong on the way, which is what a scene is about; in the ordinary one the site misbehaves a little
    and a scraping process is killed. At the end every exported record is compared with the county's own books.
    Everything is kept in `scrapeyard-demo`, or in --data.
    """
    from scrapeyard.demo.run import SCRAPERS, run_demo  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED
    from scrapeyard.demo.scenes import SCENES  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED
    from scrapeyard.demo.scenes.ordinary import undisturbed  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

    if list_scenes:
        _list(here, SCENES)
        return Code.FINE
    if scene not in SCENES:
        raise Misused(f"There is no scene {plain(scene, 40)!r}; there are {', '.join(SCENES)}.")
    chosen = _as_wanted(SCENES[scene], {"parcels": items, "faults": faults, "seed": seed})
    if not kill and scene == "ordinary":
        chosen = msgspec.structs.replace(chosen, script=undisturbed)
    if here.common.data is None:
        here = Here(replace(here.common, data=_FOLDER))
    settings = here.settings(scrapers=(SCRAPERS,)).model_copy(update={"scrapers": (SCRAPERS,)})
    here.log(settings, quiet=True)
    stage = Stage(here)
    end = await run_demo(settings, chosen, stage)
    if not end.complete:
        here.say("The demo was stopped; the same command begins it anew.")
        return stage.code or Code.REFUSED
    if here.json:
        here.give(_shape(end))
    else:
        _tell(here, end)
    return Code.REFUSED if end.audit.wrong + end.audit.twice else Code.FINE


class Stage:
    """Shows the demo as any other job is shown, with what the script says above it."""

    def __init__(self, here: Here) -> None:
        self._here = here
        self._begun: float | None = None
        self.code: Code | None = None

    def say(self, text: str) -> None:
        """One remark; once the work goes on, with the time."""
        if self._begun is None:
            self._here.say(text)
        elif not self._here.json:
            told = Table.grid(padding=(0, 2))
            told.add_row(Text(f"{time.monotonic() - self._begun:4.0f} s", "dim"), Text(text, "yellow"))
            self._here.err.print(told)

    async def follow(self, yard: "Yard", job: Job, work: "Work") -> JobStatus:
        """Show the job until it ends or somebody stops it."""
        self._begun = time.monotonic()
        with Stopping(work.stop).listening() as stopping:
            followed = await follow(self._here, yard.service, job.id, work=work, remark=lambda: stopping.remark)
        self.code = stopping.code
        return followed.status


def _as_wanted(scene: "Scene", wanted: Mapping[str, Any]) -> "Scene":
    ground = scene.ground._replace(**{name: value for name, value in wanted.items() if value is not None})
    return msgspec.structs.replace(scene, ground=ground)


def _list(here: Here, scenes: "Mapping[str, Scene]") -> None:
    if here.json:
        for scene in scenes.values():
            here.give({"name": scene.name, "title": scene.title})
    else:
        here.table(["scene", "what happens"], [(scene.name, scene.title) for scene in scenes.values()])


def _tell(here: Here, end: "DemoEnd") -> None:
    here.show("")
    say_outcomes(here, end.status)
    here.show("")
    for text in end.ending.words:
        here.show(text)
    audit = end.audit
    here.show(
        f"Compared with the county's own books: {counted(audit.parcels, 'parcel')}, "
        f"{audit.wrong:,} wrong, {audit.twice:,} twice."
    )
    here.show("")
    _sample(here, end)
    folders = list(dict.fromkeys(str(Path(path).parent) for path, _ in end.files))
    rows = dict(sorted((Path(path).stem, count) for path, count in end.files))
    told = ", ".join(f"{name} {counted(count, 'row')}" for name, count in rows.items())
    here.show(f"All of that took {duration(end.wall)}. The tables are {told}; in")
    for folder in folders:
        here.show(f"  {folder}")
    for remark in end.remarks:
        here.show(f"  {plain(remark)}")
    here.show("")
    here.show("Next:")
    for text in end.ending.look:
        here.show(f"  {_program()} {text.format(job=command_name(end.status.job))}{here.place}")


def _program() -> str:
    """How this program is called from here: `make demo` runs it from a folder that is on nobody's path."""
    called = Path(os.path.relpath(sys.argv[0])) if Path(sys.argv[0]).is_file() else Path(sys.argv[0])
    return "scrapeyard" if ".." in called.parts or called.name != "scrapeyard" else str(called)


def _sample(here: Here, end: "DemoEnd") -> None:
    """A few records, as wide as the terminal is and no wider."""
    sample = end.audit.sample
    if not sample:
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for field in list(sample[0])[:_FIELDS]:
        widest = max(len(record[field]) for record in sample)
        table.add_column(field, no_wrap=True, overflow="ellipsis", min_width=min(_NARROW, max(widest, len(field))))
    for record in sample:
        table.add_row(*(Text(plain(said, 60)) for said in list(record.values())[:_FIELDS]))
    here.show(table)
    here.show("")


def _shape(end: "DemoEnd") -> shapes.Shape:
    return shapes.status_shape(end.status) | {
        "audit": {name: getattr(end.audit, name) for name in ("parcels", "twice", "wrong")},
        "figures": dict(end.ending.figures),
        "seconds": end.wall,
        "files": [{"path": path, "rows": rows} for path, rows in end.files],
    }
