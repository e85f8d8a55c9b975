"""All labelled endings, and what the classifier makes of them."""

from typing import NamedTuple

from decisions.cases.afield import AFIELD
from decisions.cases.broken import BROKEN
from decisions.cases.case import Case
from decisions.cases.firewalls import FIREWALLS
from decisions.cases.good import GOOD
from decisions.cases.languages import LANGUAGES
from decisions.cases.ordinary import ORDINARY
from decisions.cases.strangers import STRANGERS
from decisions.cases.troubles import TROUBLES
from decisions.cases.walls import WALLS
from decisions.cases.words import WORDS
from scrapeyard.decisions.classify import diagnose, observe
from scrapeyard.model.failures import Kind

CASES: list[Case] = [*WALLS, *FIREWALLS, *TROUBLES, *BROKEN, *LANGUAGES, *WORDS, *GOOD, *ORDINARY, *AFIELD, *STRANGERS]


class Judged(NamedTuple):
    """One ending with its label, the kind that was found (None: an ordinary page) and the rule that found it."""

    case: Case
    kind: Kind | None
    rule: str


def judged() -> list[Judged]:
    """Every ending, judged."""
    return [_judge(case) for case in CASES]


def _judge(case: Case) -> Judged:
    seen = observe(case.error, status=case.status, headers=case.headers, body=case.body, proxied=case.proxied)
    diagnosis = diagnose(seen)
    return Judged(case, diagnosis.kind, diagnosis.rule) if diagnosis else Judged(case, None, "")
