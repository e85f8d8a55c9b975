"""`scraper shell`: a page at a Python prompt, to find the selectors for what one sees."""

import code
import sys
import traceback
from typing import Annotated, Any

import typer
from typer import Option

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code
from scrapeyard.cli.here import Here
from scrapeyard.cli.scraper.asked import PANEL, InputsArgument, OfflineOption, ScraperArgument
from scrapeyard.cli.scraper.telling import verdict
from scrapeyard.cli.scraper.trying import tried
from scrapeyard.cli.wording import plain
from scrapeyard.model.errors import NotFound
from scrapeyard.pages import Page
from scrapeyard.testing.benches import Benches
from scrapeyard.testing.trial import Trial, pages_of


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard scraper shell scrapers/assessor.py parcel_id=001-0001-001",
            "scrapeyard scraper shell us.ca.alameda.assessment --offline --command \"page.value_beside('Owner')\"",
        ],
    )(shell)


async def shell(
    here: Here,
    scraper: ScraperArgument,
    inputs: InputsArgument = None,
    *,
    offline: OfflineOption = False,
    run: Annotated[str | None, Option("--command", "-c", metavar="CODE", help="Run this and leave.")] = None,
) -> Code:
    """Visit the site for one item and open a Python prompt with its pages.

    `page` is the last page, `pages` has all by name, `css` and `text` are the page's own, `inputs` is the item's row.
    """
    benches = Benches(here.settings(), scraper)
    card = benches.card(scraper)
    trial = await tried(benches, card, inputs, offline=offline)
    names = _names(trial)
    if run is not None:
        return _run(run, names)
    here.say(verdict(trial))
    page: Page = names["page"]
    banner = f"{plain(page.url)}\npage, pages, css('…'), text('…'), inputs; Ctrl-D leaves."
    code.interact(banner=banner, local=names, exitmsg="")
    return Code.FINE


def _names(trial: Trial) -> dict[str, Any]:
    found = pages_of(trial.kept)
    if not found:
        raise NotFound(
            f"The visit brought no page home ({trial.kind or 'it kept none'}), so there is nothing to look at."
        )
    page = found[-1]
    pages: dict[str, Page] = {str(one.name): one for one in found}
    return {"page": page, "pages": pages, "css": page.css, "text": page.text, "inputs": trial.inputs.decode()}


def _run(text: str, names: dict[str, Any]) -> Code:
    """One line, as at the prompt: the value of an expression is printed."""
    try:
        exec(compile(text, "<command>", "single"), names)  # noqa: S102 - the person's own code, typed at their own prompt
    except Exception as error:  # noqa: BLE001 - it is told, as a prompt would
        sys.stderr.write(traceback.format_exception_only(error)[-1])
        return Code.REFUSED
    return Code.FINE
