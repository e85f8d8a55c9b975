"""A trip is told in one sentence, with what going on would bring."""

import pytest

from scrapeyard.decisions.evidence import LATELY, evidence, forecast, words
from scrapeyard.model.breaker import CAUSE_MEANING, PHASE_MEANING, Breaker, Cause, Phase
from scrapeyard.model.evidence import Witness


def witnesses(*outcomes: str) -> list[Witness]:
    return [
        Witness(seq, 0.0, outcome, 50, 1, "w1", failed=outcome not in ("succeeded", "absent"))
        for seq, outcome in enumerate(outcomes)
    ]


def test_the_forecast_is_a_range_over_what_is_left() -> None:
    assert forecast(12, 20, 912_000) == "39–78 % of the remaining 912,000 will fail"


def test_only_the_run_that_led_to_the_trip_is_judged() -> None:
    seen = witnesses(*["succeeded"] * 60, *["blocked"] * 12, *["timeout_read"] * 8)
    found = evidence(Cause.FAILURES, Breaker(run=20), "direct", seen, 912_000)
    assert words(found) == "20 of the last 20 items failed (blocked 12, timeout_read 8)"
    assert (found.failed, found.size, len(found.outcomes)) == (20, 20, LATELY)
    assert found.forecast == "84–100 % of the remaining 912,000 will fail"


def test_a_canary_is_judged_by_all_that_it_saw() -> None:
    seen = witnesses(*["blocked"] * 12, *["succeeded"] * 8)
    found = evidence(Cause.CANARY, Breaker(Phase.CANARY, seen=20), "direct", seen, 500)
    assert words(found) == "12 of the first 20 items failed (blocked 12)"
    assert found.forecast == "39–78 % of the remaining 500 will fail"


def test_absent_items_are_counted() -> None:
    seen = witnesses(*["absent"] * 13, "succeeded", "succeeded")
    found = evidence(Cause.ABSENT, Breaker(), "direct", seen, 10)
    assert words(found) == "the site says of 13 of the last 15 items that there is no such record"


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_has_words_also_when_nothing_was_seen(cause: Cause) -> None:
    assert words(evidence(cause, Breaker(), "direct", [], 0))


def test_every_phase_and_cause_has_a_meaning() -> None:
    assert set(PHASE_MEANING) == set(Phase)
    assert set(CAUSE_MEANING) == set(Cause)
