"""What is made of sentinels: when they are doubted, when believed, and how they are written."""

import pytest

from scrapeyard.decisions.sentinels import (
    NO_DOUBT,
    WITNESSES,
    Doubt,
    Finding,
    asked,
    called,
    judged,
    known_good,
    silences,
    witnessed,
)
from scrapeyard.model.breaker import Breaker, Cause, Phase
from scrapeyard.model.errors import BadInput
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.scraper import ScraperCard, ScraperRef


def answer(state: str, kind: str | None = None, *, readable: bool = True) -> OutcomeNote:
    return OutcomeNote("j", -1, "s", "direct", 1, state, kind, 5, readable=readable)


def after(*answers: OutcomeNote) -> Doubt:
    doubt = NO_DOUBT
    for one in answers:
        doubt = asked(doubt, one, 7.0)
    return doubt


def with_witnesses(doubt: Doubt, *states: str) -> Doubt:
    for state in states:
        doubt = witnessed(doubt, state)
    return doubt


DENIED, RIGHT = answer("absent"), answer("succeeded")


def test_a_single_denial_is_only_a_doubt_and_a_right_answer_ends_it():
    assert judged(after(DENIED), alone=True) is Finding.DOUBTED
    assert judged(after(DENIED, RIGHT), alone=True) is Finding.SOUND
    assert after(DENIED).since == 7.0


@pytest.mark.parametrize(
    "wrong",
    [
        DENIED,
        answer("succeeded", readable=False),
        answer("failed", Kind.WRONG_ITEM),
        answer("failed", Kind.PARSE_EMPTY),
    ],
)
def test_two_denials_alarm_when_nothing_else_can_tell(wrong: OutcomeNote):
    assert judged(after(wrong, wrong), alone=True) is Finding.ALARMING


def test_failures_weigh_half_of_a_denial():
    failed = answer("failed", Kind.SITE_5XX)
    assert judged(after(failed, failed, failed), alone=True) is Finding.DOUBTED
    assert judged(after(failed, failed, failed, failed), alone=True) is Finding.ALARMING


@pytest.mark.parametrize(
    "ours",
    [answer("failed", Kind.STORAGE_ERROR), answer("failed", Kind.PROXY_ERROR), answer("skipped"), answer("waiting")],
)
def test_what_the_site_did_not_say_is_not_held_against_it(ours: OutcomeNote):
    assert after(ours) == NO_DOUBT
    assert after(DENIED, ours) == after(DENIED)


def test_ordinary_items_decide_whether_it_is_the_site_or_the_sentinel():
    sure = after(DENIED, DENIED)
    assert judged(sure, alone=False) is Finding.DOUBTED, "nobody has witnessed it yet"
    assert judged(with_witnesses(sure, *["absent"] * WITNESSES), alone=False) is Finding.ALARMING
    assert judged(with_witnesses(sure, "absent", "succeeded", "succeeded"), alone=False) is Finding.STALE
    assert judged(with_witnesses(sure, *["failed"] * 50), alone=False) is Finding.DOUBTED, "a failure answers nothing"
    one_late = with_witnesses(sure, "succeeded", *["absent"] * (WITNESSES - 1))
    assert judged(one_late, alone=False) is Finding.ALARMING, "one may have been on its way when the session died"


def test_probes_wait_for_a_sentinel_only_after_a_trip_that_silence_caused():
    assert silences(Breaker(Phase.PROBING, cause=Cause.ABSENT))
    assert not silences(Breaker(Phase.PROBING, cause=Cause.FAILURES))
    assert not silences(Breaker(Phase.OPEN, cause=Cause.ABSENT))


def card(*fields: str, required: tuple[str, ...] | None = None, sentinels: tuple[str, ...] = ()) -> ScraperCard:
    schema: dict[str, object] = {
        "properties": {field: {} for field in fields},
        "required": list(fields if required is None else required),
    }
    return ScraperCard(ScraperRef("us.x", "1", "d"), SitePolicy("x.example"), input_schema=schema, sentinels=sentinels)


def test_a_sentinel_is_the_only_input_or_an_object_of_inputs():
    assert known_good(card("id", sentinels=("007",)), None) == ('{"id":"007"}',)
    assert known_good(card("id", sentinels=("007",)), ()) == ()
    assert known_good(card("id", "year", required=("id",)), ("8",)) == ('{"id":"8"}',)
    assert known_good(card("id", "year"), ('{"id": "8", "year": 2024}',)) == ('{"id":"8","year":2024}',)
    written = known_good(card("id"), ("é ' ☃",))
    assert known_good(card("id"), written) == written


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("8",), "does not say which input it is: write it as a JSON object of id, year"),
        (('{"id": ',), "is no JSON object"),
        (('{"county": "x"}',), "has no input 'county'; the inputs are id, year"),
        (("x" * 4_001,), "is too long"),
        (("8",) * 21, "21 sentinels are not taken: give at most 20"),
    ],
)
def test_a_sentinel_that_cannot_be_asked_is_refused_with_what_to_write(given: tuple[str, ...], said: str):
    with pytest.raises(BadInput, match=said):
        known_good(card("id", "year"), given)


def test_a_sentinel_is_called_by_its_key():
    assert called('{"id":"8","year":2024}', ("id",)) == "8"
    assert called('{"id":"8","year":2024}', ("id", "year")) == "8|2024"
    assert called('{"id":"8"}', ()) == '{"id":"8"}'
