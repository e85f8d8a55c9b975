"""`scraper record-case` and `scraper test`: fixtures of real pages, and running all of them offline."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from typer import Argument, Option

from scrapeyard.cli.command import command
from scrapeyard.cli.failing import Code
from scrapeyard.cli.here import Here
from scrapeyard.cli.scraper.asked import PANEL, InputsArgument, ScraperArgument
from scrapeyard.cli.scraper.telling import verdict
from scrapeyard.cli.scraper.trying import last_case, tried
from scrapeyard.cli.wording import counted, plain
from scrapeyard.model.errors import BadInput, NotFound
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import VisitState
from scrapeyard.testing.benches import Benches, cases_of
from scrapeyard.testing.casefiles import Case, find_cases, read_case, write_case
from scrapeyard.testing.cases import Difference, checked, named_case, outcome_of, record
from scrapeyard.testing.trial import Trial


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    command(
        app,
        PANEL,
        examples=[
            "scrapeyard scraper record-case scrapers/assessor.py parcel_id=001-0001-001",
            "scrapeyard scraper record-case us.ca.alameda.assessment --last --name several-owners",
        ],
        name="record-case",
    )(record_case)
    command(
        app,
        PANEL,
        examples=["scrapeyard scraper test", "scrapeyard scraper test scrapers/assessor.py --update"],
        name="test",
    )(run_cases)


async def record_case(
    here: Here,
    scraper: ScraperArgument,
    inputs: InputsArgument = None,
    *,
    name: Annotated[str, Option("--name", help="The case's name; else made from the item's key.")] = "",
    last: Annotated[bool, Option("--last", help="Keep the last try instead of visiting again.")] = False,
) -> Code:
    """Keep one item's pages, and what was read from them, as a fixture beside the scraper.

    Cookies and credentials are blotted out. Look at expected.json once: what stands there is what `test` will expect.
    """
    benches = Benches(here.settings(), scraper)
    card = benches.card(scraper)
    trial = await tried(benches, card, inputs, offline=last)
    if last:
        asked = last_case(benches, card).asked
        trial = msgspec.structs.replace(trial, exchanges=asked)
    if not trial.exchanges and _unanswered(trial):
        raise BadInput(f"No case is kept, for the site gave no answer that could be replayed: {trial.detail}")
    case = record(benches.scraper(card), trial, cases_of(card), name)
    if here.json:
        here.give({"case": str(case), "folder": str(case.folder), "outcome": case.expected.outcome})
    else:
        here.write(_near(case.folder))
        here.say(f"{verdict(trial)} `scrapeyard scraper test` runs it from now on.")
    return Code.FINE


async def run_cases(
    here: Here,
    scraper: Annotated[
        str | None, Argument(metavar="[SCRAPER]", help="A name or a file; else all scrapers.", show_default=False)
    ] = None,
    *,
    update: Annotated[bool, Option("--update", help="Let what is found now be what is expected.")] = False,
) -> Code:
    """Run every recorded case offline and show what came out differently, field by field."""
    benches = Benches(here.settings(), scraper)
    cards = [benches.card(scraper)] if scraper is not None else list(benches.registry.catalogue())
    passed = failed = 0
    for card, folder in _cases(cards):
        differences, trial, case = await _one(benches, card, folder)
        if update and trial is not None and case is not None and differences:
            write_case(msgspec.structs.replace(case, expected=outcome_of(trial)), folder)
        passed, failed = (passed + 1, failed) if not differences else (passed, failed + 1)
        _tell(here, named_case(folder), differences, update=update)
    if not passed + failed:
        raise NotFound("There are no cases yet; `scrapeyard scraper record-case SCRAPER FIELD=VALUE` keeps one.")
    here.say(f"{counted(passed, 'case')} passed, {failed} {'updated' if update else 'failed'}.")
    broken = benches.registry.broken() if scraper is None else ()
    for each in broken:
        here.say(f"Not tested, because it cannot be read: {plain(each.source)}: {plain(each.reason)}")
    return Code.FAILED_ITEMS if (failed and not update) or broken else Code.FINE


def _near(path: Path) -> str:
    """A path as seen from here, if it lies below."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _cases(cards: Sequence[ScraperCard]) -> Iterator[tuple[ScraperCard, Path]]:
    for card in cards:
        for folder in find_cases(cases_of(card), card.ref.name):
            yield card, folder


async def _one(benches: Benches, card: ScraperCard, folder: Path) -> tuple[list[Difference], Trial | None, Case | None]:
    """One case; a spoilt one is a failure of its own and stops none of the others."""
    try:
        case = read_case(folder)
    except BadInput as error:
        return [Difference("case", "a case", str(error))], None, None
    differences, trial = await checked(benches.scraper(card), case)
    return differences, trial, case


def _unanswered(trial: Trial) -> bool:
    """Whether a visit came to its end for want of an answer, and not by what its own code makes of the inputs."""
    if trial.kind is None:
        return trial.state is VisitState.SKIPPED
    return bool(trial.sent) or VERDICTS[Kind(trial.kind)].fault not in (Fault.ITEM, Fault.SCRAPER)


def _tell(here: Here, name: str, differences: Sequence[Difference], *, update: bool) -> None:
    if here.json:
        here.give(
            {"case": name, "passed": not differences, "differences": [msgspec.to_builtins(one) for one in differences]}
        )
        return
    here.write(f"{'ok  ' if not differences else 'new ' if update else 'FAIL'} {name}")
    for one in differences:
        here.write(f"     {plain(one.where)}")
        here.write(f"       - {plain(one.expected)}")
        here.write(f"       + {plain(one.found)}")
