"""The test kit for scrapers: run recorded cases offline and say, field by field, what came out differently.

`scrapeyard scraper record-case` writes cases, `scrapeyard scraper test` runs them. In a test suite of your own:

    from scrapeyard.testing.cases import cases_below, check
    from scrapers.alameda import assessment

    @pytest.mark.parametrize("case", cases_below("scrapers/cases", assessment), ids=str)
    async def test_assessment(case):
        assert await check(assessment, case) == []
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec

from scrapeyard.model.states import VisitState
from scrapeyard.scraping.author.declare import Scraper
from scrapeyard.testing.casefiles import Case, Expected, case_name, find_cases, folder_name, read_case, write_case
from scrapeyard.testing.exchanges import NotRecorded
from scrapeyard.testing.trial import Trial, Workbench

__all__ = ["Case", "Difference", "Expected", "cases_below", "check", "checked", "named_case", "outcome_of", "record"]

_MOST = 200


class Difference(msgspec.Struct, frozen=True):
    """One thing that is not as the case says. `where` is `outcome`, `visit`, or `Model[2].field`."""

    where: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}, found {self.found}"


def cases_below(folder: str | Path, scraper: Scraper[...] | str | None = None) -> list[Case]:
    """The cases below a folder `cases`, of one scraper or of all."""
    name = scraper.declared.name if isinstance(scraper, Scraper) else scraper
    return [read_case(one) for one in find_cases(Path(folder), name)]


async def check(scraper: Scraper[...], case: Case) -> list[Difference]:
    """Run a case offline and tell every difference; an empty list is a passed test."""
    return (await checked(scraper, case))[0]


async def checked(scraper: Scraper[...], case: Case) -> tuple[list[Difference], Trial]:
    """The differences, and the trial that showed them."""
    trial = await _replayed(scraper, case)
    differences: list[Difference] = []
    if isinstance(trial.error, NotRecorded):
        differences.append(Difference("visit", "the recorded requests", str(trial.error)))
        if case.expected.outcome != "succeeded":
            return differences, trial
        trial = await _read(scraper, case)  # the visit has changed; the extractor is tested all the same
    return [*differences, *_between(case.expected, outcome_of(trial), trial)], trial


def record(scraper: Scraper[...], trial: Trial, folder: Path, name: str = "") -> Case:
    """Keep a trial as a case below the folder `cases`; what came of it is what will be expected."""
    inputs: dict[str, Any] = msgspec.json.decode(trial.inputs)
    named = case_name(name) if name else folder_name(trial.key)
    home = folder / folder_name(scraper.declared.name) / named
    case = Case(named, scraper.declared.name, inputs, outcome_of(trial), trial.exchanges, trial.kept, home)
    write_case(case, home)
    return case


def outcome_of(trial: Trial) -> Expected:
    """What came of a trial, in the form in which a case keeps it."""
    records: dict[str, list[dict[str, Any]]] = {}
    for model, line in trial.rows:
        records.setdefault(model, []).append(msgspec.json.decode(line))
    unreadable = trial.state is VisitState.SUCCEEDED and trial.reading == "unreadable"
    return Expected("unreadable" if unreadable else str(trial.state), trial.kind, records)


def named_case(folder: Path) -> str:
    """A case's name with its scraper's, from its folder."""
    return f"{folder.parent.name}/{folder.name}"


async def _replayed(scraper: Scraper[...], case: Case) -> Trial:
    if not case.asked:
        return await _read(scraper, case)
    bench = Workbench(scraper, replay=case.asked)
    try:
        return await bench.visit(case.inputs)
    finally:
        await bench.close()


async def _read(scraper: Scraper[...], case: Case) -> Trial:
    bench = Workbench(scraper, replay=())
    try:
        return bench.read(case.inputs, case.kept)
    finally:
        await bench.close()


def _between(expected: Expected, found: Expected, trial: Trial) -> list[Difference]:
    differences: list[Difference] = []
    if (expected.outcome, expected.kind) != (found.outcome, found.kind):
        detail = f" ({trial.detail})" if trial.detail else ""
        differences.append(Difference("outcome", _said(expected), f"{_said(found)}{detail}"))
        if not found.records:
            return differences  # why there are no records is told already
    for model in dict.fromkeys([*expected.records, *found.records]):
        differences += _rows(model, expected.records.get(model, []), found.records.get(model, []))
    return differences[:_MOST]


def _rows(model: str, expected: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]]) -> list[Difference]:
    """Differences of one model's records, compared in their order."""
    differences: list[Difference] = []
    for at, (before, now) in enumerate(zip_longest(expected, found)):
        where = f"{model}[{at}]" if max(len(expected), len(found)) > 1 else model
        if before is None or now is None:
            differences.append(Difference(where, _shown(before), _shown(now)))
            continue
        for field in dict.fromkeys([*before, *now]):
            one, other = before.get(field, _NOTHING), now.get(field, _NOTHING)
            if one != other:
                differences.append(Difference(f"{where}.{field}", _shown(one), _shown(other)))
    return differences


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


_NOTHING = _Nothing()


def _shown(value: object) -> str:
    text = "no record" if value is None else repr(value)
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _said(outcome: Expected) -> str:
    return f"{outcome.outcome} ({outcome.kind})" if outcome.kind else outcome.outcome
