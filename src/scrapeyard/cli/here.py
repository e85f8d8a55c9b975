"""Where a command finds itself: which folder and settings were meant, and whether a person or a program reads along.

Results go to standard output, everything said about them to standard error, so that a pipe carries results only. On a
terminal a list is a table; into a pipe it goes as tab-separated lines without a heading, never cut or wrapped.
"""

import os
import shlex
import sys
import tomllib
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import ValidationError
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text
from typer import Option

from scrapeyard.cli import shapes
from scrapeyard.cli.failing import Misused
from scrapeyard.cli.wording import plain
from scrapeyard.model.errors import NotFound, Refused

if TYPE_CHECKING:
    from scrapeyard.settings import Settings
    from scrapeyard.wiring import Yard

CONFIG = "SCRAPEYARD_CONFIG"
_PANEL = "Everywhere"


@dataclass(frozen=True, slots=True)
class Common:
    """The options that every command takes."""

    data: Annotated[
        Path | None,
        Option("--data", metavar="DIR", rich_help_panel=_PANEL, help="The folder where everything is kept."),
    ] = None
    config: Annotated[
        Path | None,
        Option("--config", metavar="FILE", rich_help_panel=_PANEL, help="Settings; else `scrapeyard.toml` here."),
    ] = None
    scrapers: Annotated[
        list[str] | None,
        Option(
            "--scrapers", metavar="PLACE", rich_help_panel=_PANEL, help="A file, folder or package; may be repeated."
        ),
    ] = None
    server: Annotated[
        str | None,
        Option("--server", metavar="URL", rich_help_panel=_PANEL, help="Ask a controller there; else storage here."),
    ] = None
    as_json: Annotated[
        bool, Option("--json", rich_help_panel=_PANEL, help="Print JSON: an object, or one object a line for a list.")
    ] = False
    debug: Annotated[bool, Option("--debug", rich_help_panel=_PANEL, help="Show the whole trace of an error.")] = False

    def over(self, other: "Common") -> "Common":
        """These options, and the other's where these say nothing."""
        return Common(
            self.data or other.data,
            self.config or other.config,
            self.scrapers or other.scrapers,
            self.server or other.server,
            self.as_json or other.as_json,
            self.debug or other.debug,
        )


class Paper(Console):
    """A console whose reader may go away."""

    def on_broken_pipe(self) -> None:
        """Tell the command, which ends with the code for that."""
        raise BrokenPipeError


class Here:
    """One command's surroundings."""

    def __init__(self, common: Common) -> None:
        self.common = common
        self.json = common.as_json
        self.out = Paper(file=sys.stdout, highlight=False)
        self.err = Paper(file=sys.stderr, highlight=False)

    def settings(self, **over: object) -> "Settings":
        """The settings with the options of this command on top; nested tables are merged."""
        from scrapeyard.settings import Settings  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

        said: dict[str, Any] = {name: value for name, value in over.items() if value is not None}
        if self.common.data is not None:
            said["data"] = self.common.data
        if self.common.server is not None:
            said["server"] = self.common.server
        if self.common.scrapers:
            said["scrapers"] = tuple(self.common.scrapers)
        with _config(self.common.config) as file:
            try:
                return Settings(**said)
            except ValidationError as error:
                raise Misused(_unset(error, file)) from error
            except tomllib.TOMLDecodeError as error:
                raise Refused(f"{file} is not well-formed TOML: {error}; mend it or choose another --config") from error

    @asynccontextmanager
    async def yard(
        self,
        settings: "Settings | None" = None,
        *,
        asking: bool = False,
        quiet: bool = True,
        measured: bool = False,
    ) -> AsyncGenerator["Yard"]:
        """Everything opened. Who is only `asking` does not want a new empty folder instead of an answer; figures of
        what is `measured` are taken whatever the settings say."""
        from scrapeyard.wiring import open_yard  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

        settings = settings or self.settings()
        if asking and not settings.server and not settings.storage.ledger and not settings.data.expanduser().is_dir():
            raise NotFound(
                f"Nothing is kept here yet: there is no folder {str(settings.data)!r}. Begin with "
                "`scrapeyard run SCRAPER LIST`, or name the folder with --data."
            )
        self.log(settings, quiet=quiet)
        async with open_yard(settings, measured=measured) as yard:
            yield yard

    @property
    def place(self) -> str:
        """What has to be added to a command so that it means the same folder."""
        return "" if self.common.data is None else f" --data {shlex.quote(str(self.common.data))}"

    @property
    def words(self) -> tuple[str, ...]:
        """The options of this command that say where it is, for another command of ours."""
        common = self.common
        places = (("--data", common.data), ("--config", common.config))
        said = [word for name, path in places if path is not None for word in (name, str(path.absolute()))]
        return (*said, *(word for place in common.scrapers or () for word in ("--scrapers", place)))

    def log(self, settings: "Settings", *, quiet: bool) -> None:
        """Set up the log of this process."""
        from scrapeyard.cli.logs import configure  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED
        from scrapeyard.wiring.blotted import redaction_of  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED
        from scrapeyard.wiring.yard import http_options, proxy_options  # noqa: PLC0415 - see LATE_IMPORTS_ALLOWED

        configure(settings.log, redaction_of(proxy_options(settings), http_options(settings)), quiet=quiet)

    def say(self, text: str) -> None:
        """A remark for a person, beside the results; nobody listens when JSON is asked for."""
        if not self.json:
            self.err.print(Text(text), soft_wrap=not self.err.is_terminal)

    def show(self, result: RenderableType) -> None:
        """A result for a person. Brackets in a text are no markup, and a pipe gets whole lines."""
        self.out.print(Text(result) if isinstance(result, str) else result, soft_wrap=not self.out.is_terminal)

    def give(self, shape: Mapping[str, Any]) -> None:
        """A result for a program."""
        self.write(shapes.line(shape))

    def write(self, text: str) -> None:
        """One line of results as it is."""
        sys.stdout.write(text + "\n")

    def row(self, cells: Iterable[str]) -> None:
        """One line of a list for a pipe."""
        self.write("\t".join(plain(cell, 10_000) for cell in cells))

    def flush(self) -> None:
        """Let whoever reads along have what was written so far."""
        sys.stdout.flush()

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A list for a person, or for a pipe. A column that ends in `#` is aligned to the right."""
        if not self.out.is_terminal:
            for row in rows:
                self.row(row)
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(
                column.removesuffix("#"), justify="right" if column.endswith("#") else "left", overflow="fold"
            )
        for row in rows:
            table.add_row(*(Text(plain(cell)) for cell in row))
        self.show(table)


@contextmanager
def _config(given: Path | None) -> Generator[str]:
    """Name the file of settings for as long as they are read."""
    if given is None:
        yield os.environ.get(CONFIG, "scrapeyard.toml")
        return
    if not given.is_file():
        raise Misused(f"There is no file {str(given)!r} for --config; check the path.")
    before = os.environ.get(CONFIG)
    os.environ[CONFIG] = str(given)
    try:
        yield str(given)
    finally:
        if before is None:
            del os.environ[CONFIG]
        else:
            os.environ[CONFIG] = before


def _unset(error: ValidationError, file: str) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"There is no setting {where!r}; look for a typing slip in {file} or in the environment."
    if first["type"] == "secret":
        return f"The setting {where!r} is not shown, because it may hold a secret: {first['msg']}."
    return f"The setting {where!r} cannot be {plain(repr(first['input']), 80)}: {first['msg'].lower()}."
