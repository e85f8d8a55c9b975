"""A worker is blamed for what it does worse than others, and not for what it happened to be given."""

import pytest

from scrapeyard.decisions.marks import Outcome, mark
from scrapeyard.dispatcher.ways import Way
from scrapeyard.model.breaker import Breaker
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.states import VisitState


def ended(way: Way, worker: str, count: int, *, attempt: int = 1, fails: bool = False) -> None:
    state, kind = (VisitState.FAILED, Kind.SITE_5XX) if fails else (VisitState.SUCCEEDED, None)
    for seq in range(count):
        note = OutcomeNote("job", seq, "site", "direct", attempt, state.value, kind, 200)
        way.learn(mark(Outcome(state, kind, first=attempt == 1)), note, worker)


@pytest.mark.parametrize(("attempt", "blamed"), [(1, ["w1"]), (2, [])])
def test_a_clump_of_second_tries_is_nobodys_fault(attempt, blamed):
    way = Way(Breaker())
    for worker in ("w1", "w2"):
        ended(way, worker, 40)
    ended(way, "w1", 32, attempt=attempt, fails=True)
    assert way.worse() == blamed
