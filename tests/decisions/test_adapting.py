"""A site's pace: never above what it allows, down when it complains, up again only by good answers."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapeyard.decisions.adapting import BACK, CALM, LEAST, LEAST_SLOW, LONGEST_WAIT, Because, Pace, heard
from scrapeyard.model.fleet import Answers

SECONDS = st.floats(0.0, 30.0)
COUNT = st.integers(0, 50)


@st.composite
def answers(draw: st.DrawFn, *, throttled: bool = True) -> Answers:
    good, bad = draw(COUNT), draw(COUNT)
    asked = draw(st.integers(0, 5)) if throttled else 0
    wait = draw(st.none() | st.floats(0, 1e6)) if asked else None
    return Answers(good, good * draw(SECONDS), bad, bad * draw(SECONDS), asked, wait)


HISTORY = st.lists(st.tuples(st.floats(0.05, 5.0), answers()), max_size=60)


def after(history: list[tuple[float, Answers]], pace: Pace | None = None) -> tuple[Pace, float]:
    pace, now = pace or Pace(0.0), 0.0 if pace is None else pace.at
    for elapsed, some in history:
        now += elapsed
        pace = heard(pace, some, now)
    return pace, now


def steady(seconds: float, *, latency: float = 0.2, count: int = 5) -> list[tuple[float, Answers]]:
    return [(0.25, Answers(count, count * latency))] * round(seconds / 0.25)


@given(HISTORY, st.none() | st.floats(0.1, 1000))
def test_a_pace_stays_within_what_is_allowed(history: list[tuple[float, Answers]], allowed: float | None) -> None:
    pace, now = after(history)
    assert LEAST <= pace.share <= 1
    assert (pace.share < 1) == (pace.because is not None)
    rate = pace.rate(allowed)
    assert rate is None or (0 < rate <= (math.inf if allowed is None else allowed))
    assert pace.wait_until <= now + LONGEST_WAIT
    assert math.isfinite(pace.recent)
    assert math.isfinite(pace.usual)


@given(HISTORY, COUNT, st.floats(0.0, 0.01))
def test_fast_errors_never_speed_a_site_up(history: list[tuple[float, Answers]], bad: int, seconds: float) -> None:
    pace, _ = after(history)
    for _ in range(200):
        before = pace
        pace = heard(pace, Answers(bad=bad, bad_seconds=bad * seconds), pace.at + 0.25)
        assert pace.share <= before.share
        assert pace.recent >= before.recent


@given(HISTORY, answers(throttled=False), st.floats(0.0, 60.0), st.floats(0.05, 5.0))
def test_slower_answers_never_bring_more(
    history: list[tuple[float, Answers]], some: Answers, more: float, elapsed: float
) -> None:
    pace, now = after(history)
    slower = msgspec.structs.replace(some, good_seconds=some.good_seconds + some.good * more)
    if pace.seen >= 40:  # while the usual latency is still being learned, whatever comes is usual
        assert heard(pace, slower, now + elapsed).share <= heard(pace, some, now + elapsed).share


@given(HISTORY, st.floats(0.05, 5.0))
def test_a_request_to_slow_down_is_never_answered_by_more(history: list[tuple[float, Answers]], elapsed: float) -> None:
    pace, now = after(history)
    assert heard(pace, Answers(good=50, throttled=1), now + elapsed).share <= pace.share


REFUSED = Answers(throttled=4)


def test_one_burst_of_complaints_halves_once_and_the_next_halves_again() -> None:
    pace, _ = after(steady(20))
    for _ in range(8):
        pace = heard(pace, REFUSED, pace.at + 0.2)
    assert pace.share == 0.5
    assert pace.because is Because.ASKED
    for _ in range(4):
        pace = heard(pace, Answers(throttled=1), pace.at + 3)
    assert pace.share == 0.25
    for _ in range(100):
        pace = heard(pace, REFUSED, pace.at + 3)
    assert pace.share == LEAST


def test_a_complaint_now_and_then_slows_nobody_down_and_its_wait_is_its_own() -> None:
    pace, _ = after(steady(20))
    for turn in range(2_000):
        some = Answers(19, 3.8, throttled=1, retry_after=60.0) if turn % 5 == 0 else Answers(20, 4.0)
        pace = heard(pace, some, pace.at + 0.25)
        assert pace.share == 1
        assert not pace.waits(pace.at)


def test_a_share_of_complaints_takes_as_much_as_was_refused() -> None:
    pace, _ = after(steady(20))
    for _ in range(8):
        pace = heard(pace, Answers(15, 3.0, throttled=5), pace.at + 0.25)
    assert 0.65 <= pace.share <= 0.75


def test_complaints_through_proxies_are_weighed_against_what_came_through_them() -> None:
    pace, _ = after([(0.25, Answers(proxied=30, throttled=1))] * 200)
    assert pace.share == 1
    pace, _ = after([(0.25, Answers(proxied=5, throttled=1))] * 20, pace)
    slowed = pace.share
    assert slowed < 1
    pace, _ = after([(0.25, Answers(proxied=5))] * 80, pace)
    assert pace.share > slowed


def test_what_was_taken_comes_back_while_all_is_well() -> None:
    pace, _ = after(steady(20))
    pace = heard(pace, REFUSED, pace.at + 1)
    still, _ = after(steady(CALM - 1), pace)
    assert still.share == pace.share
    half, _ = after(steady(CALM + 0.25 * BACK), pace)
    assert pace.share < half.share < 1
    whole, _ = after(steady(CALM + 0.5 * BACK + 2), pace)
    assert whole.share == 1
    assert whole.because is None


def test_silence_brings_nothing_back() -> None:
    pace, _ = after(steady(20))
    pace = heard(pace, REFUSED, pace.at + 1)
    later = heard(pace, Answers(good=1, good_seconds=0.2), pace.at + 3600)
    assert later.share < 0.55


def test_a_site_that_grows_slow_is_eased_but_not_stopped() -> None:
    pace, _ = after(steady(60))
    slow, _ = after(steady(60, latency=3.0), pace)
    assert LEAST_SLOW <= slow.share < 0.5
    assert slow.because is Because.SLOW
    again, _ = after(steady(120), slow)
    assert again.share == 1


@pytest.mark.parametrize("latency", [0.001, 0.05, 1.0, 5.0])
def test_a_site_that_is_always_like_that_is_left_as_it_is(latency: float) -> None:
    pace, _ = after([(0.25, Answers(4, 4 * latency * (0.5 + turn % 5 / 4))) for turn in range(2000)])
    assert pace.share == 1


def test_requests_that_run_into_the_time_out_ease_it_too() -> None:
    pace, _ = after(steady(60))
    pace, _ = after([(0.25, Answers(bad=3, bad_seconds=30.0))] * 80, pace)
    assert pace.because is Because.SLOW


def test_a_site_without_a_limit_is_halved_from_what_it_was_asked() -> None:
    pace, _ = after(steady(30, count=10))
    assert pace.rate(None) is None
    pace = heard(pace, REFUSED, pace.at + 0.25)
    assert pace.rate(None) == pytest.approx(20, rel=0.15)
    pace, _ = after(steady(CALM + BACK), pace)
    assert pace.rate(None) is None


def test_a_wait_that_was_asked_for_is_kept_up_to_an_hour() -> None:
    pace = heard(Pace(0.0), Answers(throttled=4, retry_after=120.0), 10.0)
    assert pace.waits(129.9)
    assert not pace.waits(130.1)
    assert heard(pace, Answers(throttled=1, retry_after=1.0), 11.0).waits(129.9)
    assert not heard(pace, Answers(throttled=1, retry_after=1e9), 11.0).waits(3612.0)
    assert not heard(Pace(0.0), Answers(throttled=1, retry_after=120.0), 10.0).waits(10.1), "one alone holds nobody"


def test_a_crawl_delay_is_a_limit_until_it_is_taken_back() -> None:
    pace = heard(Pace(0.0), Answers(crawl_delay=10.0), 1.0)
    assert pace.rate(None) == 0.1
    assert pace.rate(20.0) == 0.1
    assert pace.rate(0.05) == 0.05
    assert heard(pace, Answers(crawl_delay=0.0), 2.0).rate(20.0) == 20.0
