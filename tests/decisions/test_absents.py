"""A dead session looks like a site that knows nobody; the usual share of absent items is learned and watched."""

import random
from math import exp

import pytest

from scrapeyard.decisions.absents import ALARM, LEARN, Absents, hear, learned, step
from scrapeyard.decisions.marks import Outcome, mark

GOOD, ABSENT = mark(Outcome("succeeded")), mark(Outcome("absent"))
BAD = mark(Outcome("failed", "blocked"))


def known(absent: int, *, of: int = LEARN) -> Absents:
    return hear(Absents(), [ABSENT] * absent + [GOOD] * (of - absent), 5.0)


def until_alarm(absents: Absents) -> int:
    count = 0
    while not absents.alarming:
        absents, count = hear(absents, [ABSENT], 9.0), count + 1
    return count


def test_nothing_is_believed_before_a_hundred_answers_are_in() -> None:
    assert hear(Absents(), [ABSENT] * 99, 0.0).share is None
    assert not hear(Absents(), [ABSENT] * 10_000, 0.0).alarming
    assert hear(Absents(), [BAD] * 10_000, 0.0) == Absents()


def test_a_session_that_dies_is_noticed_the_sooner_the_fewer_items_are_usually_absent() -> None:
    assert [until_alarm(known(absent)) for absent in (0, 20, 50)] == [12, 26, 72]


def test_the_moment_from_which_it_went_wrong_is_remembered() -> None:
    absents = hear(known(3), [GOOD] * 50, 20.0)
    absents = hear(absents, [ABSENT, GOOD, GOOD, GOOD], 30.0)
    for second in range(40, 60):
        absents = hear(absents, [ABSENT], float(second))
    assert absents.alarming
    assert absents.since == 40.0


def test_half_the_evidence_is_worth_a_question() -> None:
    half = hear(known(0), [ABSENT] * 6, 9.0)
    assert (half.suspicious, half.alarming) == (True, False)
    assert not half.calmed().suspicious
    assert half.calmed().share == half.share


def test_a_list_in_which_nearly_all_is_absent_says_nothing_more() -> None:
    assert not hear(known(LEARN), [ABSENT] * 100_000, 9.0).alarming


@pytest.mark.parametrize("percent", [0, 3, 15, 40, 75])
def test_a_list_whose_share_stays_as_it_was_is_left_alone(percent: int) -> None:
    rng = random.Random(percent)
    absents = known(percent)
    marks = [ABSENT if rng.random() < percent / 100 else GOOD for _ in range(200_000)]
    for start in range(0, len(marks), 1_000):
        absents = hear(absents, marks[start : start + 1_000], 9.0)
        assert not absents.alarming


def test_the_sum_is_a_likelihood_ratio_so_its_exponential_keeps_its_mean() -> None:
    """What the stated 0.1 % rests on: under the usual share the expected factor of one answer is exactly 1."""
    for missing in (0, 5, 20, 50, 80):
        share = learned(missing, LEARN)
        factor = sum(chance * exp(step(share, absent=absent)) for chance, absent in ((share, True), (1 - share, False)))
        assert factor == pytest.approx(1.0)
    assert exp(ALARM) == pytest.approx(1e9)
