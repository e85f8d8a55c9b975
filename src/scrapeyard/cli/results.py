"""`export`, `pages`, `manifest`: handing over what a job produced."""

import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Option

from scrapeyard.cli import shapes, wording
from scrapeyard.cli.asking import AnyJobArgument, JobArgument, WhichItems, items_of, job_meant
from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.here import Here
from scrapeyard.cli.items import PANEL
from scrapeyard.cli.wording import counted
from scrapeyard.model.ask import ExportOrder
from scrapeyard.model.capture import Capture, Kept
from scrapeyard.model.item import Item

_TAILS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "image/png": ".png",
    "image/jpeg": ".jpg",
}


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard export parcels --format csv --to results",
            "scrapeyard export parcels --format parquet --rows-per-file 1000000",
            "scrapeyard export parcels --format jsonl --fields parcel_id,owner --outcome succeeded",
        ],
    )(export)
    command(
        app,
        PANEL,
        examples=["scrapeyard pages parcels --key 001-0001-001", "scrapeyard pages parcels --state failed --to pages"],
    )(pages)
    command(
        app,
        PANEL,
        examples=["scrapeyard manifest parcels", "scrapeyard manifest parcels --items | head"],
    )(manifest)


async def export(
    here: Here,
    job: AnyJobArgument = None,
    *,
    form: Annotated[Literal["csv", "jsonl", "parquet"], Option("--format", "-f", help="Of the files.")] = "csv",
    to: Annotated[
        Path | None, Option("--to", metavar="DIR", help="Folder for the files; else named after the job.")
    ] = None,
    models: Annotated[
        list[str] | None, Option("--model", metavar="NAME", help="Only this kind of record; may be repeated.")
    ] = None,
    fields: Annotated[str, Option("--fields", metavar="A,B", help="Only these fields, in this order.")] = "",
    outcomes: Annotated[
        list[str] | None, Option("--outcome", metavar="STATE", help="Only items that ended so; may be repeated.")
    ] = None,
    include_attempts: Annotated[bool, Option("--include-attempts", help="A table of all tries as well.")] = False,
    rows_per_file: Annotated[
        int | None, Option("--rows-per-file", metavar="N", min=1, help="Begin a new file after N rows.")
    ] = None,
    raw: Annotated[
        bool, Option("--raw", help="Cells that a spreadsheet would take for a formula stay as they are.")
    ] = False,
) -> None:
    """Write a job's records as tables, one for each kind of record. A job that still runs gives what it has."""
    async with here.yard(asking=True) as yard:
        meant = await job_meant(here, yard.service, job)
        folder = to or Path(f"{_safe(meant.name)}-{form}")
        order = ExportOrder(
            format=form,
            folder=str(folder),
            models=tuple(models or ()),
            fields=tuple(field.strip() for field in fields.split(",") if field.strip()),
            outcomes=frozenset(outcomes or ()),
            include_attempts=include_attempts,
            rows_per_file=rows_per_file,
            formula_safe=not raw,
        )
        exported = await yard.service.results.export(meant.id, order)
    if here.json:
        files = [{"path": path, "rows": rows} for path, rows in exported.files]
        here.give({"job": meant.name, "id": meant.id, "files": files})
        return
    here.table(["rows#", "file"], ((wording.number(rows), path) for path, rows in exported.files))
    if not exported.files:
        here.say("There are no records to write.")


async def pages(
    here: Here,
    which: WhichItems,
    job: AnyJobArgument = None,
    to: Annotated[Path | None, Option("--to", metavar="DIR", help="Copy the pages into this folder.")] = None,
    name: Annotated[str | None, Option("--page", metavar="NAME", help="Only pages of this name.")] = None,
    limit: Annotated[int | None, Option("--limit", metavar="N", min=1, help="Of at most N items.")] = None,
) -> None:
    """List the pages and files that a job kept, or copy them out.

    Into a pipe the columns are key, name, status, type, size, address, blob, offset and length, separated by tabs.
    """
    if to is not None:
        to.mkdir(parents=True, exist_ok=True)
    shown = limit or (100 if here.out.is_terminal and to is None and not here.json else None)
    copied = 0
    async with here.yard(asking=True) as yard:
        meant = await job_meant(here, yard.service, job)
        async for item in items_of(yard.service, meant.id, which.selection(), shown):
            for number, capture in enumerate(item.captures):
                if name is not None and capture.name != name:
                    continue
                path = None
                if to is not None:
                    kept = await yard.service.results.capture(meant.id, item.key, capture.name)
                    path = _copied(kept, to / f"{item.seq:08d}-{number}-{_safe(capture.name)}{_tail(capture)}")
                    copied += 1
                _list(here, item, capture, path)
    if to is not None:
        here.say(f"{counted(copied, 'page')} copied to {to}.")


async def manifest(
    here: Here,
    job: JobArgument,
    items: Annotated[
        bool, Option("--items", help="One JSON object a line for each item, instead of the head.")
    ] = False,
) -> None:
    """Print the list of everything that an ended job produced, as JSON."""
    async with here.yard(asking=True) as yard:
        if not items:
            here.write((await yard.service.results.manifest(job)).decode().rstrip())
            return
        async for line in yard.service.results.manifest_lines(job):
            here.write(line.decode().rstrip())


def _list(here: Here, item: Item, capture: Capture, path: Path | None) -> None:
    if here.json:
        here.give({"key": item.key, **shapes.capture_shape(capture), "path": None if path is None else str(path)})
        return
    row = (item.key, capture.name, str(capture.status), capture.content_type, str(capture.size), capture.url)
    if here.out.is_terminal:
        here.show("  ".join(wording.plain(cell) for cell in (str(path) if path else "", *row) if cell))
    else:
        place = capture.place
        here.row((*row, str(path)) if path else (*row, place.blob, str(place.offset), str(place.length)))


def _copied(kept: Kept, path: Path) -> Path:
    """A file of our own naming: neither keys nor the site decide where bytes go."""
    if path.is_symlink():
        raise Misused(f"{path} is a link to somewhere else; copy the pages into an empty folder.")
    if kept.path is None:
        path.write_bytes(kept.body)
    else:
        shutil.copyfile(kept.path, path)
    return path


def _tail(capture: Capture) -> str:
    return _TAILS.get(capture.content_type.partition(";")[0].strip().lower(), ".bin")


def _safe(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name)[:80].strip(".") or "_"
