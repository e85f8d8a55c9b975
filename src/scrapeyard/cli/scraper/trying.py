"""`scraper try`: one item, visited and read, with everything that happened told on the way."""

from typing import Any

import typer

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code, Misused
from scrapeyard.cli.here import Here
from scrapeyard.cli.scraper.asked import PANEL, InputsArgument, OfflineOption, ScraperArgument, inputs_of
from scrapeyard.cli.scraper.telling import shape, told
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.testing.benches import Benches
from scrapeyard.testing.casefiles import Case, folder_name, read_case
from scrapeyard.testing.cases import record
from scrapeyard.testing.trial import Trial, Workbench

_LAST = "last"


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard scraper try scrapers/assessor.py parcel_id=001-0001-001",
            "scrapeyard scraper try us.ca.alameda.assessment --offline",
        ],
        name="try",
    )(try_one)


async def try_one(
    here: Here, scraper: ScraperArgument, inputs: InputsArgument = None, *, offline: OfflineOption = False
) -> Code:
    """Visit the site for one item and show every request, every kept page, every field that was read.

    The pages are kept: --offline runs the extractor over them again, as often as it takes to get it right.
    """
    benches = Benches(here.settings(), scraper)
    card = benches.card(scraper)
    trial = await tried(benches, card, inputs, offline=offline)
    if here.json:
        here.give(shape(card, trial))
    else:
        for line in told(card, trial):
            here.write(line)
        if not offline:
            here.say(f"Its pages are kept; `scrapeyard scraper try {scraper} --offline` reads them again.")
    return Code.FINE if trial.good else Code.FAILED_ITEMS


async def tried(benches: Benches, card: ScraperCard, words: list[str] | None, *, offline: bool) -> Trial:
    """One item, from the network or from the last try; a visit is kept for the next time."""
    if offline:
        return await _again(benches, card, words)
    bench = benches.bench(card)
    try:
        trial = await bench.visit(inputs_of(card, words))
        record(benches.scraper(card), trial, benches.tries, _LAST)
    finally:
        await bench.close()
    return trial


def last_case(benches: Benches, card: ScraperCard) -> Case:
    """The last try of a scraper, with its conversation."""
    folder = benches.tries / folder_name(card.ref.name) / _LAST
    if not (folder / "pages.json").is_file():
        raise Misused(f"{card.ref.name} has not been tried here yet; try it once without --offline.")
    return read_case(folder)


async def _again(benches: Benches, card: ScraperCard, words: list[str] | None) -> Trial:
    """The extractor over the last pages; where the visit had not got so far, the visit too, over what was said then."""
    case = last_case(benches, card)
    row: dict[str, Any] = inputs_of(card, words) if words else case.inputs
    enough = {one.name for one in case.kept}.issuperset(card.expect)
    bench = Workbench(
        benches.scraper(card), replay=() if enough else case.asked, digest=card.ref.digest, source=card.source
    )
    try:
        return bench.read(row, case.kept) if enough else await bench.visit(row)
    finally:
        await bench.close()
