"""What one outcome tells a breaker.

Only a success and a counted failure speak of the way that an item took. That there is no such record, that an input
is malformed, that our own storage failed: these are left out, as if the item had not been tried. The running score
hears the first try of each item on each rung; the retries of a few bad items would drown the rest.
"""

from functools import cache

import msgspec

from scrapeyard.model.breaker import Told
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.states import VisitState

FAILURE = 2
"""Points for a counted failure; one that is half a failure has half of them."""
SUCCESS = -1
LINES = frozenset({Kind.TIMEOUT_CONNECT, Kind.CONN_RESET, Kind.TLS_ERROR})
"""A line that breaks. Where a proxy is part of it, it is as likely the proxy's fault as the site's."""


class Mark(msgspec.Struct, frozen=True):
    """An outcome as a breaker hears it. `points` go into the running score, and are 0 for what is no first try.

    `told` is what it says in a sample, whichever try it was; after `streak` of its `kind`, with nothing good between,
    the breaker trips at once.
    """

    told: Told
    points: int = 0
    kind: str = ""
    streak: int = 0
    probe: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """What is known of an outcome. `climbs` says that a failure which asks for a better way has one to go to, `proxied`
    that a proxy stood between us and the site."""

    state: str
    kind: str | None = None
    first: bool = True
    probe: bool = False
    readable: bool = True
    climbs: bool = False
    proxied: bool = False


@cache
def mark(outcome: Outcome) -> Mark:
    """What the outcome tells."""
    told = _told(outcome)
    points = {Told.GOOD: SUCCESS, Told.UNREADABLE: SUCCESS, Told.BAD: FAILURE, Told.HALF: FAILURE // 2}.get(told, 0)
    streak = VERDICTS[Kind(outcome.kind)].streak if outcome.kind is not None and outcome.first else 0
    return Mark(told, points if outcome.first else 0, outcome.kind or "", streak, outcome.probe)


def late(*, probe: bool = False) -> Mark:
    """A first try that takes far longer than usual counts as a failure before it has ended."""
    return Mark(Told.NOTHING, FAILURE, probe=probe)


def ended_late(found: Mark) -> Mark:
    """The outcome of one that was taken for a failure: what was counted already is not counted again."""
    return msgspec.structs.replace(found, points=found.points - FAILURE)


def _told(outcome: Outcome) -> Told:
    match outcome.state:
        case VisitState.SUCCEEDED:
            return Told.GOOD if outcome.readable else Told.UNREADABLE
        case VisitState.ABSENT:
            return Told.ABSENT
        case VisitState.FAILED:
            return _failed(Kind(outcome.kind or Kind.UNKNOWN), outcome)
        case _:
            return Told.NOTHING


def _failed(kind: Kind, outcome: Outcome) -> Told:
    verdict = VERDICTS[kind]
    if verdict.counts:
        half = verdict.weight < 1 or (outcome.climbs and verdict.escalate) or (outcome.proxied and kind in LINES)
        return Told.HALF if half else Told.BAD
    if kind in (Kind.INVALID_INPUT, Kind.DENIED):
        return Told.REFUSED if kind is Kind.INVALID_INPUT else Told.DENIED
    return Told.NOTHING
