"""Token buckets as values, and their fair division."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapeyard.decisions.pacing import divide, empty

wants = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 50), max_size=12)


@given(st.floats(2.0, 500.0), st.lists(st.floats(0.001, 3.0), min_size=1, max_size=200))
def test_in_any_ten_seconds_no_more_than_a_twentieth_above_the_rate_passes(rate: float, pauses: list[float]) -> None:
    bucket, now = empty(rate, 0.0), 0.0
    taken: list[tuple[float, int]] = []
    for pause in pauses:
        now += pause
        bucket = bucket.filled(now)
        taken.append((now, bucket.whole))
        bucket = bucket.spent(bucket.whole)
    for start, _ in taken:
        within = sum(count for when, count in taken if start <= when < start + 10.0)
        assert within <= rate * 10.5 + 1e-3


def test_a_new_bucket_is_empty_and_a_full_one_holds_half_a_second() -> None:
    assert empty(10.0, 5.0).filled(5.0).whole == 0
    assert empty(10.0, 5.0).filled(500.0).whole == 5


def test_a_slow_rate_still_gets_its_one_token() -> None:
    bucket = empty(0.1, 0.0)
    assert bucket.filled(9.9).whole == 0
    assert bucket.filled(10.0).whole == 1
    assert bucket.filled(1000.0).whole == 1


def test_many_small_steps_add_up_to_a_token() -> None:
    bucket = empty(1.0, 0.0)
    for step in range(1, 21):
        bucket = bucket.filled(step * 0.05)
    assert bucket.whole == 1


def test_a_clock_that_goes_back_neither_gives_nor_takes() -> None:
    bucket = empty(10.0, 100.0).filled(100.3)
    assert bucket.filled(50.0).tokens == pytest.approx(3.0)


def test_the_wait_is_until_the_token_is_there() -> None:
    bucket = empty(4.0, 0.0)
    assert bucket.wait() == pytest.approx(0.25)
    assert bucket.filled(bucket.wait()).whole == 1
    assert empty(4.0, 0.0).wait(100) == pytest.approx(0.5), "no more can be waited for than it holds"


def test_a_bucket_that_is_tuned_down_keeps_no_more_than_it_may_hold() -> None:
    full = empty(100.0, 0.0).filled(10.0)
    assert full.tuned(4.0).whole == 2
    assert full.tuned(1000.0).whole == 50


@given(st.integers(0, 200), wants, st.integers(0, 20))
def test_nobody_gets_more_than_they_want_nor_all_together_more_than_there_is(
    tokens: int, wanted: dict[str, int], turn: int
) -> None:
    given_out = divide(tokens, wanted, turn)
    assert all(0 < count <= wanted[name] for name, count in given_out.items())
    assert sum(given_out.values()) == min(tokens, sum(wanted.values()))


@given(st.integers(0, 200), wants, st.integers(0, 20))
def test_who_gets_less_than_they_want_gets_at_most_one_less_than_anybody(
    tokens: int, wanted: dict[str, int], turn: int
) -> None:
    given_out = divide(tokens, wanted, turn)
    most = max(given_out.values(), default=0)
    assert all(given_out.get(name, 0) >= min(count, most - 1) for name, count in wanted.items())


def test_what_does_not_divide_goes_round() -> None:
    wanted = {"a": 5, "b": 5, "c": 5}
    assert [max(divide(1, wanted, turn)) for turn in range(4)] == ["a", "b", "c", "a"]
