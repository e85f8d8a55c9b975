"""Forecasts are honest: a span around every figure, wide for little evidence, never past what is possible."""

import pytest

from scrapeyard.decisions.progress import Mark, Sample, forecast, outcomes, pace, remaining, wilson
from scrapeyard.model.job import Tally
from scrapeyard.model.span import Span
from scrapeyard.model.states import VisitState


def tally(**fields: object) -> Tally:
    standard = {
        "states": {VisitState.SUCCEEDED: 18, VisitState.ABSENT: 1, VisitState.FAILED: 1},
        "failed": {"blocked": 1},
    }
    return Tally(**(standard | {"requests": 40, "busy_ms": 20_000, "wire_bytes": 1_000_000} | fields))  # type: ignore[arg-type] - fields by name


@pytest.mark.parametrize(
    ("hits", "size", "low", "high"), [(3, 60, 0.017, 0.137), (12, 20, 0.387, 0.781), (0, 20, 0, 0.161)]
)
def test_a_share_has_the_span_that_the_tables_of_statistics_give(hits: int, size: int, low: float, high: float) -> None:
    span = wilson(hits, size)
    assert (span.low, span.high) == (pytest.approx(low, abs=0.002), pytest.approx(high, abs=0.002))
    assert span.low <= span.mid <= span.high


def test_nothing_seen_may_be_anything() -> None:
    assert wilson(0, 0) == Span(0.0, 0.0, 1.0)


def test_an_even_pace_is_known_exactly() -> None:
    span = pace([Mark(at, int(at * 5)) for at in range(10)])
    assert span is not None
    assert span.mid == pytest.approx(5) == pytest.approx(span.low) == pytest.approx(span.high)


def test_an_uneven_pace_has_a_span_around_it_and_never_runs_backwards() -> None:
    span = pace([Mark(0, 0), Mark(1, 20), Mark(2, 20), Mark(3, 20), Mark(4, 40)])
    assert span is not None
    assert 0 < span.low < span.mid == 10 < span.high


def test_two_moments_are_little_evidence() -> None:
    assert pace([Mark(0, 0), Mark(2, 10)]) == Span(5, 2.5, 10)


@pytest.mark.parametrize("marks", [[], [Mark(0, 5)], [Mark(0, 5), Mark(9, 5)], [Mark(1, 5), Mark(1, 9)]])
def test_where_nothing_moves_there_is_no_pace_and_no_end(marks: list[Mark]) -> None:
    assert pace(marks) is None
    assert remaining(10, pace(marks)) is None


def test_a_faster_pace_is_a_nearer_end() -> None:
    assert remaining(100, Span(10, 5, 20)) == Span(10, 5, 20)


def test_a_forecast_grows_with_the_list_and_keeps_its_shares() -> None:
    small, large = (forecast(Sample(tally(), slots=8), items) for items in (1_000, 10_000))
    assert small is not None
    assert large is not None
    assert large.hours.mid == pytest.approx(10 * small.hours.mid)
    assert large.wire_bytes.mid == pytest.approx(500_000_000)
    assert [each.outcome for each in large.outcomes] == ["succeeded", "absent", "failed: blocked"]
    succeeded = large.outcomes[0]
    assert succeeded.items.mid == 9_000
    assert 6_500 < succeeded.items.low < succeeded.items.mid < succeeded.items.high < 10_000


def test_the_time_is_what_slots_allow_or_what_the_rate_allows_whichever_is_slower() -> None:
    by_slots = forecast(Sample(tally(), slots=8), 7_200)  # 1 s an item, 8 at once
    by_rate = forecast(Sample(tally(), slots=8, rate=1.0), 7_200)  # 2 requests an item, 1 a second
    assert by_slots is not None
    assert by_rate is not None
    assert by_slots.hours.mid == pytest.approx(0.25)
    assert by_rate.hours.mid == pytest.approx(4)


def test_a_sample_that_took_longer_than_it_had_to_widens_the_span() -> None:
    quick = forecast(Sample(tally(), slots=8), 1_000)
    slow = forecast(Sample(tally(), seconds=60, slots=8), 1_000)
    assert quick is not None
    assert slow is not None
    assert slow.hours.mid == quick.hours.mid
    assert slow.hours.low == pytest.approx(quick.hours.low)
    assert slow.hours.high > 10 * quick.hours.high


def test_money_is_forecast_in_dollars() -> None:
    told = forecast(Sample(tally(cost_micros=20_000), slots=1), 1_000)
    assert told is not None
    assert told.dollars.mid == pytest.approx(1.0)


def test_a_sample_of_which_nothing_ended_says_nothing() -> None:
    assert forecast(Sample(Tally(), seconds=5, slots=8), 1_000) is None
    assert forecast(Sample(tally()), 1_000) is None, "nothing says how long it took"


def test_outcomes_tell_the_failed_by_kind_and_the_most_frequent_first() -> None:
    counts = outcomes(Tally(states={VisitState.FAILED: 5, VisitState.SUCCEEDED: 3}, failed={"blocked": 4, "dns": 1}))
    assert list(counts.items()) == [("failed: blocked", 4), ("succeeded", 3), ("failed: dns", 1)]
