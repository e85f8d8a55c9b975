"""A breaker trips when a site has stopped working, not when it works badly, and finds its way back by itself."""

import random

import msgspec
import pytest

from scrapeyard.decisions.breaker import (
    AT_ONCE,
    GIVE_UP,
    RAMP,
    RAMP_OUTCOMES,
    Occasion,
    absents_allowed,
    begin,
    failures,
    given_up,
    hear,
    room,
    tick,
    trip,
)
from scrapeyard.decisions.marks import Mark, Outcome, ended_late, late, mark
from scrapeyard.model.breaker import Breaker, Cause, Phase
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.policy import BreakerPolicy, OnTrip

NOW = Occasion(1_000.0)
GOOD = mark(Outcome("succeeded"))
ABSENT = mark(Outcome("absent"))
UNREADABLE = mark(Outcome("succeeded", readable=False))


def bad(kind: Kind = Kind.BLOCKED, **changes) -> Mark:
    return mark(msgspec.structs.replace(Outcome("failed", kind), **changes))


def probes(good: int, failed: int, absent: int = 0) -> list[Mark]:
    marks = [mark(Outcome("succeeded", probe=True))] * good + [bad(probe=True)] * failed
    return marks + [mark(Outcome("absent", probe=True))] * absent


def at(now: float, **rules) -> Occasion:
    return Occasion(now, rules=BreakerPolicy(**rules))


def opened(**rules) -> Breaker:
    return trip(Breaker(), Cause.FAILURES, at(1_000.0, **rules))


def probing() -> Breaker:
    breaker = opened()
    return tick(breaker, Occasion(breaker.until or 0.0))


def test_twenty_failures_on_end_trip_it_and_every_success_takes_a_point_off() -> None:
    assert hear(Breaker(), [bad()] * 19, NOW).phase is Phase.CLOSED
    assert hear(Breaker(), [bad()] * 20, NOW).phase is Phase.OPEN
    heard = hear(Breaker(), [bad()] * 10 + [GOOD] * 15, NOW)
    assert (heard.phase, heard.score) == (Phase.CLOSED, 5)
    assert hear(heard, [GOOD] * 100, NOW).score == 0


def test_one_failure_after_each_two_successes_never_trips_it() -> None:
    assert hear(Breaker(), [bad(), GOOD, GOOD] * 100_000, NOW).phase is Phase.CLOSED


@pytest.mark.parametrize("silent", [ABSENT, bad(Kind.INVALID_INPUT), bad(Kind.PROXY_ERROR), bad(Kind.STORAGE_ERROR)])
def test_what_says_nothing_of_the_site_is_left_out(silent: Mark) -> None:
    heard = hear(Breaker(), [bad(), silent] * 19, NOW)
    assert (heard.phase, heard.score) == (Phase.CLOSED, 38)


def test_a_retry_is_no_second_failure() -> None:
    assert hear(Breaker(), [bad(first=False)] * 1_000, NOW).score == 0


def test_a_site_that_asks_us_to_slow_down_counts_half() -> None:
    assert hear(Breaker(), [bad(Kind.RATE_LIMITED)] * 39, NOW).phase is Phase.CLOSED
    assert hear(Breaker(), [bad(Kind.RATE_LIMITED)] * 40, NOW).phase is Phase.OPEN


def test_a_failure_that_only_sends_its_item_up_a_rung_counts_half() -> None:
    assert hear(Breaker(), [bad(climbs=True), GOOD] * 10_000, NOW).phase is Phase.CLOSED
    assert hear(Breaker(), [bad(Kind.SITE_5XX, climbs=True)] * 20, NOW).phase is Phase.OPEN


def test_a_maintenance_notice_trips_it_after_five_items_and_a_bug_after_ten() -> None:
    for kind in (Kind.MAINTENANCE, Kind.SCRAPER_BUG):
        needed = VERDICTS[kind].streak
        assert hear(Breaker(), [bad(kind)] * (needed - 1) + [GOOD] + [bad(kind)], NOW).phase is Phase.CLOSED
        tripped = hear(Breaker(), [bad(kind), bad()] * needed, NOW)
        assert (tripped.phase, tripped.cause) == (Phase.OPEN, Cause.STREAK)


def test_what_takes_too_long_is_a_failure_before_it_has_ended_and_is_not_counted_twice() -> None:
    assert hear(Breaker(), [late()] * 20, NOW).phase is Phase.OPEN
    slow = hear(Breaker(), [late()] * 10, NOW)
    assert slow.score == 20
    assert hear(slow, [ended_late(bad())] * 10, NOW).score == 20
    assert hear(slow, [ended_late(GOOD)] * 10, NOW).score == 0
    assert hear(slow, [ended_late(ABSENT)] * 10, NOW).score == 0


def test_a_healthy_site_where_one_in_ten_is_slow_does_not_trip_it() -> None:
    rng = random.Random(7)
    marks: list[Mark] = []
    for _ in range(200_000):
        marks += [late(), ended_late(GOOD)] if rng.random() < 0.1 else [GOOD]
    assert hear(Breaker(), marks, NOW).phase is Phase.CLOSED


def test_a_list_longer_than_the_canary_begins_with_it_and_five_items_at_once() -> None:
    assert begin(NOW, left=30).phase is Phase.CLOSED
    canary = begin(NOW, left=31)
    assert (canary.phase, room(canary, 200)) == (Phase.CANARY, AT_ONCE)
    assert begin(at(0.0, canary=0)).phase is Phase.CLOSED


def test_a_canary_of_thirty_bears_eleven_failures_and_not_twelve() -> None:
    canary = begin(NOW)
    assert hear(canary, [bad(), GOOD] * 11 + [GOOD] * 7, NOW).phase is Phase.CANARY
    assert hear(canary, [bad(), GOOD] * 11 + [GOOD] * 8, NOW).phase is Phase.CLOSED
    stopped = hear(canary, [GOOD, bad()] * 12, NOW)
    assert (stopped.phase, stopped.cause) == (Phase.OPEN, Cause.CANARY)


def test_a_canary_hears_retries_too_or_it_would_never_end_when_only_those_are_left() -> None:
    assert hear(begin(NOW), [mark(Outcome("succeeded", first=False))] * 30, NOW).phase is Phase.CLOSED


def test_a_canary_that_cannot_read_its_pages_asks_a_person_at_once() -> None:
    assert hear(begin(NOW), [GOOD] * 24 + [UNREADABLE] * 6, NOW).phase is Phase.CLOSED
    stopped = hear(begin(NOW), [GOOD] * 23 + [UNREADABLE] * 7, NOW)
    assert (stopped.cause, given_up(stopped, NOW.rules)) == (Cause.UNREADABLE, True)


@pytest.mark.parametrize(
    ("kind", "bears", "cause"), [(Kind.INVALID_INPUT, 6, Cause.REFUSED), (Kind.DENIED, 4, Cause.DENIED)]
)
def test_a_list_that_the_site_or_our_rules_refuse_is_for_a_person(kind: Kind, bears: int, cause: Cause) -> None:
    assert hear(begin(NOW), [bad(kind)] * bears + [GOOD] * 30, NOW).phase is Phase.CLOSED
    stopped = hear(begin(NOW), [bad(kind)] * (bears + 1), NOW)
    assert (stopped.cause, given_up(stopped, NOW.rules)) == (cause, True)


def test_a_list_of_which_the_site_knows_nothing_at_all_is_stopped() -> None:
    stopped = hear(begin(NOW), [ABSENT] * 30, NOW)
    assert (stopped.phase, stopped.cause) == (Phase.OPEN, Cause.ALL_ABSENT)
    assert hear(begin(at(0.0)), [ABSENT] * 90, at(0.0, absents=False)).phase is Phase.CLOSED
    few = hear(begin(NOW), [ABSENT] * 29 + [GOOD] * 30, NOW)
    assert few.phase is Phase.CLOSED


def test_open_times_grow_and_are_spread_and_never_end_before_the_site_wants_us_back() -> None:
    first = (
        trip(Breaker(), Cause.FAILURES, Occasion(0.0, luck=0.0)),
        trip(Breaker(), Cause.FAILURES, Occasion(0.0, 0.999)),
    )
    assert [round(each.until or 0.0) for each in first] == [48, 72]
    assert trip(Breaker(), Cause.FAILURES, Occasion(0.0, retry_after=900.0)).until == 900.0
    assert trip(Breaker(), Cause.FAILURES, Occasion(0.0, retry_after=9e9)).until == 3600.0
    breaker, waits = opened(), list[float]()
    while not given_up(breaker, NOW.rules):
        waits.append((breaker.until or 0.0) - breaker.since)
        breaker = hear(tick(breaker, Occasion(breaker.until or 0.0)), probes(0, 5), Occasion(breaker.until or 0.0))
    times = NOW.rules.open_times
    assert waits == [*times, times[-1]]
    assert len(waits) == GIVE_UP


def test_the_owner_says_how_long_it_waits() -> None:
    hasty = Occasion(0.0, rules=BreakerPolicy(open_times=(4.0, 6.0)))
    first = trip(Breaker(), Cause.FAILURES, hasty)
    again = trip(msgspec.structs.replace(first, phase=Phase.PROBING, probings=3), Cause.FAILURES, hasty)
    assert [first.until, again.until] == [4.0, 6.0]


def test_while_it_is_open_nothing_is_heard_and_nothing_goes_through() -> None:
    breaker = opened()
    assert room(breaker, 200) == 0
    assert hear(breaker, [GOOD] * 1_000 + [bad()] * 1_000, NOW) == breaker
    assert tick(breaker, Occasion((breaker.until or 0.0) - 1)) == breaker


def test_four_of_twenty_probes_may_fail() -> None:
    assert hear(probing(), probes(16, 4), NOW).phase is Phase.RAMP
    assert hear(probing(), probes(15, 4), NOW).phase is Phase.PROBING
    again = hear(probing(), probes(15, 5), NOW)
    assert (again.phase, again.probings, again.cause) == (Phase.OPEN, 1, Cause.FAILURES)


def test_the_verdict_falls_as_soon_as_it_is_certain() -> None:
    assert hear(probing(), probes(16, 0), NOW).phase is Phase.RAMP
    assert hear(probing(), probes(0, 5), NOW).phase is Phase.OPEN


def test_only_probes_are_judged_while_it_is_probed() -> None:
    breaker = probing()
    assert hear(breaker, [GOOD, bad()] * 100, NOW) == breaker
    assert room(breaker, 200) == AT_ONCE


def test_probes_of_a_list_that_is_mostly_absent_are_judged_in_the_end() -> None:
    assert hear(probing(), probes(5, 0, absent=40), NOW).phase is Phase.PROBING
    assert hear(probing(), probes(5, 0, absent=55), NOW).phase is Phase.RAMP


def test_after_a_wrong_share_of_absent_items_absent_probes_count() -> None:
    dead = msgspec.structs.replace(probing(), absent_share=0.1)
    assert hear(dead, probes(15, 0, absent=5), NOW).phase is Phase.OPEN
    assert hear(dead, probes(16, 0, absent=4), NOW).phase is Phase.RAMP
    assert [absents_allowed(share, 20) for share in (0.1, 0.3, 0.6, 0.9)] == [4, 9, 16, 20]


def test_a_recovery_is_a_ramp_of_four_steps() -> None:
    breaker = hear(probing(), probes(16, 0), NOW)
    rooms = [room(breaker, 200)]
    while breaker.phase is Phase.RAMP:
        breaker = hear(breaker, [GOOD] * RAMP_OUTCOMES, NOW)
        rooms.append(room(breaker, 200))
    assert rooms == [round(200 * share) for share in RAMP] + [None]
    assert (breaker.phase, breaker.probings, breaker.cause) == (Phase.CLOSED, 0, None)


def test_on_the_ramp_ten_failures_are_enough_and_the_next_wait_is_longer() -> None:
    ramp = hear(probing(), probes(16, 0), NOW)
    assert hear(ramp, [bad()] * 9, NOW).phase is Phase.RAMP
    again = hear(ramp, [bad()] * 10, NOW)
    assert (again.phase, (again.until or 0.0) - again.since) == (Phase.OPEN, NOW.rules.open_times[1])


def test_every_change_of_phase_is_a_new_epoch() -> None:
    breaker = begin(NOW, epoch=3)
    epochs = [breaker.epoch]
    for marks in ([GOOD] * 30, [bad()] * 20):
        breaker = hear(breaker, marks, NOW)
        epochs.append(breaker.epoch)
    assert epochs == [4, 5, 6]


def test_the_owner_may_have_it_slowed_instead_of_stopped() -> None:
    slow = at(0.0, on_trip=OnTrip.SLOW)
    breaker = hear(Breaker(), [bad()] * 20, slow)
    assert (breaker.phase, room(breaker, 200)) == (Phase.RAMP, 20)
    for _ in range(20):
        breaker = hear(breaker, [bad()] * 10, slow)
    assert (breaker.phase, breaker.step, given_up(breaker, slow.rules)) == (Phase.RAMP, 0, False)
    hopeless = hear(begin(slow), [bad(Kind.DENIED)] * 5, slow)
    assert given_up(hopeless, slow.rules)


def test_the_owner_may_have_it_fail_at_once_or_never() -> None:
    strict = at(0.0, on_trip=OnTrip.FAIL)
    assert given_up(hear(Breaker(), [bad()] * 20, strict), strict.rules)
    assert hear(Breaker(), [bad()] * 10_000, at(0.0, trip=0)).phase is Phase.CLOSED


def test_in_list_order_neighbours_that_fail_together_make_it_suspicious_and_a_sample_decides() -> None:
    listed = Occasion(0.0, listed=True)
    suspect = hear(Breaker(), [bad()] * 10, listed)
    assert suspect.phase is Phase.SUSPECT
    assert hear(suspect, [bad()] * 50, listed) == suspect
    assert hear(suspect, probes(16, 14), listed).phase is Phase.CLOSED
    tripped = hear(suspect, probes(10, 15), listed)
    assert (tripped.phase, tripped.cause) == (Phase.OPEN, Cause.FAILURES)


def test_failures_of_a_phase_are_counted_by_weight() -> None:
    assert failures(hear(begin(NOW), [bad()] * 3 + [bad(Kind.RATE_LIMITED)] * 3 + [GOOD] * 5, NOW)) == 4.5
