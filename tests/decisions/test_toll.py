"""What running items again would take: a range that a person can plan with."""

import msgspec

from cli.statuses import status
from scrapeyard.decisions.toll import Room, room, toll
from scrapeyard.model.pace import Pace
from scrapeyard.model.policy import Policy
from scrapeyard.model.span import Span
from scrapeyard.model.states import JobState

BASE = status(100, total=1_000, state=JobState.COMPLETED, succeeded=800, failed={"blocked": 150, "tls_error": 50})
JOB = BASE.job
TALLY = msgspec.structs.replace(
    BASE.tally, attempts=1_500, requests=6_000, wire_bytes=30_000_000, cost_micros=3_000_000, busy_ms=3_000_000
)


def test_it_is_one_try_each_at_least_and_all_that_their_kind_allows_at_most() -> None:
    found = toll(200, {"blocked"}, JOB, TALLY, Room(rate=10.0))
    assert found is not None
    assert found.tries == Span(300.0, 200.0, 600.0), "1.5 tries an item so far; a block allows 3"
    assert found.requests == Span(1_200.0, 800.0, 2_400.0)
    assert found.wire_bytes == Span(6_000_000.0, 4_000_000.0, 12_000_000.0)
    assert found.dollars.mid == 0.6
    assert found.hours is not None
    assert round(found.hours.mid * 3600) == 120


def test_a_kind_that_is_not_tried_again_costs_the_usual_at_most() -> None:
    found = toll(50, {"tls_error"}, JOB, TALLY, Room())
    assert found is not None
    assert (found.tries.low, found.tries.high, found.hours) == (50.0, 75.0, None)


def test_without_a_kind_the_kinds_that_the_job_has_seen_count_and_the_owner_has_the_last_word() -> None:
    everything = toll(100, (), JOB, TALLY, Room())
    mine = toll(100, (), msgspec.structs.replace(JOB, policy=Policy(attempts=2)), TALLY, Room())
    assert everything is not None
    assert mine is not None
    assert (everything.tries.high, mine.tries.high) == (300.0, 200.0)


def test_the_tighter_of_rate_and_room_says_how_long_it_takes() -> None:
    found = toll(200, {"blocked"}, JOB, TALLY, Room(rate=1_000.0, at_once=4))
    assert found is not None
    assert found.hours is not None
    assert round(found.hours.mid * 3600) == 150, "300 tries of 2 s, four at once"


def test_the_room_is_what_the_dispatcher_says_else_what_job_and_site_say() -> None:
    assert room(JOB, Pace(site_rate=2.0, site_at_once=8, slots=6)) == Room(2.0, 6)
    assert room(msgspec.structs.replace(JOB, policy=Policy(rate=1.0)), None) == Room(1.0, JOB.site.concurrency)


def test_before_the_first_try_nothing_is_known() -> None:
    assert toll(5, (), JOB, msgspec.structs.replace(TALLY, attempts=0), Room()) is None
