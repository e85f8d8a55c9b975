"""Which list, how it is read, and what the job made of it is called."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from scrapeyard.cli.failing import Misused
from scrapeyard.controller.intake.options import IntakeOptions, Shard, parse_columns
from scrapeyard.model.errors import NotFound
from scrapeyard.model.scraper import ScraperCard

_PANEL = "List"
_JOB = "Job"
_TAILS = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".xls", ".gz"})


@dataclass(frozen=True, slots=True)
class ListOptions:
    """How the list is read, and what is done with rows that do not fit."""

    columns: Annotated[
        list[str] | None,
        Option("--map", metavar="INPUT=COLUMN", rich_help_panel=_PANEL, help='Such as parcel_id="Parcel No".'),
    ] = None
    no_header: Annotated[
        bool,
        Option(
            "--no-header", rich_help_panel=_PANEL, help='The first line is data; columns are "column 1", "column 2" …'
        ),
    ] = False
    on_bad_row: Annotated[
        Literal["fail", "skip"],
        Option("--on-bad-row", rich_help_panel=_PANEL, help="Refuse the list, or go on without the row."),
    ] = "fail"
    rejects: Annotated[
        Path | None,
        Option("--rejects", metavar="FILE", rich_help_panel=_PANEL, help="Write bad rows there, with the reason."),
    ] = None
    limit: Annotated[
        int | None,
        Option("--limit", metavar="N", min=1, rich_help_panel=_PANEL, help="Only the first N items, as a sample."),
    ] = None
    shard: Annotated[
        str | None,
        Option("--shard", metavar="0/4", rich_help_panel=_PANEL, help="This machine's part; they share nothing."),
    ] = None

    def intake(self, card: ScraperCard) -> IntakeOptions:
        """The same for the room that reads lists."""
        return IntakeOptions(
            schema=card.input_schema,
            columns=parse_columns(self.columns or []),
            header=not self.no_header,
            on_bad_row=self.on_bad_row,
            rejects=self.rejects,
            shard=None if self.shard is None else Shard.parsed(self.shard),
            limit=self.limit,
        )


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What the job is called, and whether an unfinished one of that name is gone on with."""

    name: Annotated[
        str | None,
        Option("--name", rich_help_panel=_JOB, help="Else made from scraper and list.", show_default=False),
    ] = None
    new: Annotated[
        bool, Option("--new", rich_help_panel=_JOB, help="Begin another job, even if one of that name is unfinished.")
    ] = False

    def called(self, card: ScraperCard, source: Path | None, given: ListOptions) -> str:
        """A sample and a part are jobs of their own: going on with one must not pass for the whole list."""
        if self.name is not None:
            return self.name
        parts = [card.ref.name, "stdin" if source is None else _stem(source)]
        if given.limit is not None:
            parts.append(f"first-{given.limit}")
        if given.shard is not None:
            parts.append(f"shard-{given.shard.replace('/', '-of-')}")
        return "-".join("".join(sign if sign.isprintable() else "_" for sign in part) for part in parts)[:200].strip()


def source_of(text: str) -> Path | None:
    """The list's path; `-` is standard input."""
    if text == "-":
        return None
    source = Path(text).expanduser()
    if source.is_dir():
        raise Misused(f"{text!r} is a folder; name the list itself, or give - for standard input.")
    if not source.exists():
        raise NotFound(f"There is no file {text!r}; check the path, or give - for standard input.")
    return source


def _stem(source: Path) -> str:
    name = Path(source.name)
    while name.suffix.lower() in _TAILS and name.stem:
        name = Path(name.stem)
    return name.name
