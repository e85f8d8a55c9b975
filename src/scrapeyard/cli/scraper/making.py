"""`scraper new`: the first draft of a scraper, from a template or from what a browser did."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code, Misused
from scrapeyard.cli.here import Here
from scrapeyard.cli.scraper.asked import PANEL
from scrapeyard.cli.scraper.drafts.asked import Asked, checked_url
from scrapeyard.cli.scraper.drafts.code import TEMPLATES, Draft, from_steps, from_template
from scrapeyard.cli.scraper.drafts.curl import LONGEST, parse_curl
from scrapeyard.cli.scraper.drafts.har import read_har
from scrapeyard.cli.scraper.drafts.route import plan
from scrapeyard.model.errors import Conflict

_FROM = "From a browser"


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """What the draft is made from."""

    template: Annotated[
        str | None,
        Option("--template", metavar="NAME", help=f"One of {', '.join(TEMPLATES)}.", show_default="one-page"),
    ] = None
    url: Annotated[str, Option("--url", metavar="URL", help="Where the visit begins.")] = (
        "https://assessor.example/search"
    )
    inputs: Annotated[
        list[str] | None,
        Option("--input", metavar="FIELD[=EXAMPLE]", help="An input, with an example that exists; may be repeated."),
    ] = None
    site: Annotated[str, Option("--site", help="The site whose limits apply; else the address's host.")] = ""
    from_curl: Annotated[
        str | None,
        Option("--from-curl", metavar="COMMAND", rich_help_panel=_FROM, help="A copied curl command; - reads it."),
    ] = None
    from_har: Annotated[
        Path | None,
        Option("--from-har", metavar="FILE", rich_help_panel=_FROM, help="A HAR file saved from the network panel."),
    ] = None


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard scraper new us.ca.alameda.assessment --url https://assessor.example/search",
            "scrapeyard scraper new us.fl.leon.bill --template pdf-bill --input parcel_id=001-0001-001",
            "scrapeyard scraper new us.tx.travis.roll --from-har search.har --input parcel_id=001-0001-001",
        ],
    )(new)


async def new(
    here: Here,
    name: Annotated[str, Argument(metavar="NAME", help="Such as us.ca.alameda.assessment.", show_default=False)],
    *,
    draft: DraftOptions,
    to: Annotated[
        Path | None, Option("--to", metavar="DIR", help="The folder for it.", show_default="scrapers")
    ] = None,
    force: Annotated[bool, Option("--force", help="Replace a file that is there.")] = False,
) -> Code:
    """Begin a scraper: a file to edit, of one of the usual shapes or as a browser was seen to do it.

    An example value that is given with --input is replaced by the input wherever it turns up in what was recorded.
    Cookies, tokens and passwords of the recording are left out.
    """
    chosen, text = _drafted(name, draft)
    folder = to if to is not None else Path(here.settings().scrapers[0])
    file = (folder.parent if folder.suffix == ".py" else folder) / chosen.file_name
    if file.exists() and not force:
        raise Conflict(f"{file} is there already; edit it, take another name, or replace it with --force.")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    if here.json:
        here.give({"scraper": chosen.name, "file": str(file)})
        return Code.FINE
    here.write(str(file))
    example = " ".join(f"{field}={value or '…'}" for field, value in chosen.inputs.items())
    here.say(f"Edit it, then try it: scrapeyard scraper try {file} {example}")
    return Code.FINE


def _drafted(name: str, options: DraftOptions) -> tuple[Draft, str]:
    if sum(each is not None for each in (options.template, options.from_curl, options.from_har)) > 1:
        raise Misused("Give one of --template, --from-curl and --from-har.")
    inputs = dict(_input(word) for word in options.inputs or ["parcel_id"])
    asked = _recorded(options)
    url = checked_url(asked[0].url if asked else options.url)
    draft = Draft(name, url, inputs, options.site)
    return draft, from_steps(draft, plan(asked)) if asked else from_template(draft, options.template or "one-page")


def _recorded(options: DraftOptions) -> list[Asked]:
    if options.from_har is not None:
        return read_har(options.from_har)
    if options.from_curl is None:
        return []
    text = sys.stdin.read(LONGEST + 1) if options.from_curl == "-" else options.from_curl
    return [parse_curl(text)]


def _input(word: str) -> tuple[str, str]:
    field, _, example = word.partition("=")
    return field, example
