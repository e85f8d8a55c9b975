"""Retries are at most one start in five over two minutes."""

from hypothesis import given
from hypothesis import strategies as some

from scrapeyard.decisions.repeats import ONE_IN, SPAN, Repeats


def test_nothing_is_granted_before_anything_was_started():
    assert Repeats().room(1000.0) == 0


def test_four_fresh_starts_pay_for_one_retry():
    starts = Repeats().started(10.0, fresh=3, again=0)
    assert starts.room(10.0) == 0
    starts = starts.started(11.0, fresh=1, again=0)
    assert starts.room(11.0) == 1
    assert starts.started(12.0, fresh=0, again=1).room(12.0) == 0


def test_what_is_older_than_two_minutes_counts_no_more():
    starts = Repeats().started(0.0, fresh=400, again=0)
    assert starts.room(SPAN - 10) == 100
    assert starts.room(SPAN + 10) == 0


def test_a_day_of_starts_is_remembered_in_a_few_numbers():
    starts = Repeats()
    for second in range(0, 86_400, 3):
        starts = starts.started(float(second), fresh=5, again=1)
    assert len(starts.steps) <= 25


@given(
    some.lists(
        some.tuples(some.floats(0.05, 40.0), some.integers(0, 60), some.integers(0, 60)), min_size=1, max_size=60
    )
)
def test_whenever_a_retry_starts_no_more_than_a_fifth_of_what_started_lately_were_retries(turns):
    """The site is asked for more retries than it may be given, at all sorts of moments, in steps of five seconds."""
    now, starts = 0.0, Repeats()
    said: list[tuple[float, int, int]] = []
    for wait, fresh, wanted in turns:
        now += wait
        starts = starts.started(now, fresh=fresh, again=0)
        again = min(wanted, starts.room(now))
        starts = starts.started(now, fresh=0, again=again)
        said.append((now, fresh, again))
        lately = [(fresh, again) for when, fresh, again in said if when // 5 > (now - SPAN) // 5]
        total = sum(fresh + again for fresh, again in lately)
        if again:
            assert ONE_IN * sum(again for _, again in lately) <= total
