"""Why a visit failed, in the words that the ledger keeps: kind, matched rule, and one sentence.

The classifier judges plain facts. Here they are gathered from what a visit brought home: its error, its last
status, and the last page that was kept, which is often the block page itself.
"""

from collections.abc import Sequence

import msgspec

from scrapeyard.decisions.classify import Observation, diagnose, observe
from scrapeyard.model.errors import Absent, Disallowed, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.rules import SiteRule
from scrapeyard.model.secret import Redaction
from scrapeyard.model.states import VisitState
from scrapeyard.ports.scrapers import Visited

_LONGEST = 500
_MOST = 20_000


class Finding(msgspec.Struct, frozen=True):
    """One judged failure. `retry_after` is what the site asked for, in seconds; `detail` is not yet fit to be kept."""

    kind: Kind
    rule: str
    detail: str = ""
    retry_after: float | None = None


def find(error: BaseException, visited: Visited | None = None, rules: Sequence[SiteRule] = ()) -> Finding:
    """What this error means, in the light of the last page. `rules` are those of the scraper's author."""
    diagnosis = diagnose(_seen(error, visited or Visited()), rules)
    kind, rule = (diagnosis.kind, diagnosis.rule) if diagnosis else (Kind.UNKNOWN, "none")
    asked = error.retry_after if isinstance(error, VisitError) else None
    return Finding(kind, rule, _told(error), asked)


def state_of(error: Exception | None) -> VisitState:
    """What a visit came to that ended like this, as far as that is no failure."""
    match error:
        case Absent():
            return VisitState.ABSENT
        case Disallowed():
            return VisitState.SKIPPED
        case _:
            return VisitState.SUCCEEDED


def suspect(visited: Visited, rules: Sequence[SiteRule] = ()) -> Finding | None:
    """Whether pages that nobody complained of are a block page all the same."""
    diagnosis = diagnose(_seen(None, visited), rules)  # a status that the scraper did not allow would have been raised
    if diagnosis is None:
        return None
    return Finding(diagnosis.kind, diagnosis.rule, f"The page shows the sign '{diagnosis.rule}'.")


def _seen(error: BaseException | None, visited: Visited) -> Observation:
    last = visited.kept[-1] if visited.kept else None
    return observe(
        error,
        status=last.status if last else visited.last_status,
        headers=dict(last.headers) if last else None,
        body=last.body if last else b"",
        proxied=bool(visited.proxy),
        allowed=error is None,
    )


def _told(error: BaseException) -> str:
    said = str(error) if isinstance(error, VisitError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    line = " ".join(said.split())
    return line[:_MOST]


def kept_words(said: str, redaction: Redaction) -> str:
    """A sentence as it is kept: without secrets, and then cut. A secret that was cut first is not known again."""
    line = redaction.text(said)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
