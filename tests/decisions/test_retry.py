"""What becomes of an item after a try that did not end well."""

import msgspec
import pytest

from scrapeyard.decisions.retry import (
    PATIENCE,
    RETRY_AFTER_CAP,
    Asked,
    Moment,
    after_crash,
    after_failure,
    after_loss,
    after_release,
    backoff,
)
from scrapeyard.model.failures import POISON_AT, VERDICTS, Fault, Kind
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import VisitState

NOW = Moment(1_000.0, 0.5)


def offer(**changes) -> Offer:
    return msgspec.structs.replace(Offer(JobId("j"), 1, "k", b"{}", ScraperRef("s", "1", "d"), 0, 1, 0.0), **changes)


def test_a_site_error_is_tried_again_later_and_in_the_end_given_up():
    first = after_failure(offer(), Kind.SITE_5XX, Policy(), NOW)
    assert (first.state, first.attempts) == (VisitState.WAITING, 1)
    assert 1_000.0 < first.not_before <= 1_015.0
    last = after_failure(offer(attempt=3), Kind.SITE_5XX, Policy(), NOW)
    assert (last.state, last.attempts, last.kind) == (VisitState.FAILED, 3, Kind.SITE_5XX)


def test_a_hopeless_kind_is_never_tried_again_whatever_the_policy_says():
    turn = after_failure(offer(), Kind.INVALID_INPUT, Policy(attempts=9), NOW)
    assert turn.state is VisitState.FAILED


def test_the_policy_decides_how_often():
    assert after_failure(offer(attempt=3), Kind.SITE_5XX, Policy(attempts=5), NOW).state is VisitState.WAITING
    assert after_failure(offer(), Kind.SITE_5XX, Policy(attempts=1), NOW).state is VisitState.FAILED


def test_what_the_site_asks_for_is_obeyed_up_to_an_hour():
    turn = after_failure(offer(), Kind.RATE_LIMITED, Policy(), NOW, Asked(600.0))
    assert turn.not_before == 1_600.0
    endless = after_failure(offer(), Kind.RATE_LIMITED, Policy(), NOW, Asked(1e9))
    assert endless.not_before == 1_000.0 + RETRY_AFTER_CAP


@pytest.mark.parametrize("kind", [kind for kind, verdict in VERDICTS.items() if not verdict.spends])
def test_a_fault_of_ours_or_of_a_proxy_spends_no_attempt(kind):
    turn = after_failure(offer(attempt=1), kind, Policy(attempts=1), NOW)
    assert (turn.state, turn.attempts, turn.losses) == (VisitState.WAITING, 0, 1)
    assert VERDICTS[kind].fault in {Fault.OURS, Fault.PROXY} or kind is Kind.LOGIN_FAILED


def test_even_our_own_faults_end_some_day():
    turn = after_failure(offer(losses=PATIENCE - 1), Kind.STORAGE_ERROR, Policy(), NOW)
    assert (turn.state, turn.kind) == (VisitState.FAILED, Kind.STORAGE_ERROR)


def test_only_crashes_of_the_item_alone_make_it_poison():
    shared = offer()
    for _ in range(5):
        turn = after_crash(shared, Policy(), NOW, alone=False)
        shared = offer(crashes=turn.crashes, losses=turn.losses)
    assert shared.crashes == 1
    turn = after_crash(offer(crashes=POISON_AT - 1), Policy(), NOW, alone=True)
    assert (turn.state, turn.kind) == (VisitState.FAILED, Kind.POISON)


def test_a_lost_worker_costs_an_item_time_and_nothing_else():
    turn = after_loss(offer(attempt=2), Policy(), NOW)
    assert (turn.state, turn.attempts) == (VisitState.WAITING, 1)


def test_what_must_not_be_repeated_is_left_to_a_person():
    turn = after_loss(offer(repeatable=False), Policy(), NOW)
    assert turn.state is VisitState.UNCERTAIN


def test_a_release_is_as_if_nothing_had_been():
    turn = after_release(offer(attempt=2, crashes=1, losses=4, last_kind="dns"), 7.0)
    assert (turn.state, turn.attempts, turn.crashes, turn.losses, turn.kind) == (VisitState.WAITING, 1, 1, 4, "dns")
    assert turn.not_before == 7.0


def test_back_off_is_capped_and_has_full_jitter():
    assert backoff(10, 1, 900, 0.0) == 0.0
    assert backoff(10, 3, 900, 1.0) == 40.0
    assert backoff(10, 10_000, 900, 1.0) == 900.0


def test_a_failure_that_asks_for_a_better_way_moves_the_item_up_and_spends_no_attempt():
    turn = after_failure(offer(), Kind.BLOCKED, Policy(), NOW, Asked(rungs=3))
    assert (turn.state, turn.rung, turn.strikes, turn.attempts) == (VisitState.WAITING, 1, 0, 0)
    assert turn.not_before <= NOW.now + 1
    once = after_failure(offer(), Kind.FORBIDDEN, Policy(), NOW, Asked(rungs=3))
    assert (once.rung, once.strikes, once.attempts) == (0, 1, 1)
    twice = after_failure(offer(strikes=1, attempt=2), Kind.FORBIDDEN, Policy(), NOW, Asked(rungs=3))
    assert (twice.state, twice.rung, twice.strikes, twice.attempts) == (VisitState.WAITING, 1, 0, 1)


def test_on_the_highest_rung_the_attempts_are_spent_as_ever():
    turn = after_failure(offer(rung=2, attempt=3), Kind.BLOCKED, Policy(), NOW, Asked(rungs=3))
    assert (turn.state, turn.rung, turn.attempts) == (VisitState.FAILED, 2, 3)


def test_an_item_that_was_sent_higher_climbs_from_there_and_its_strikes_are_counted_there():
    turn = after_failure(offer(way=1), Kind.BLOCKED, Policy(), NOW, Asked(rungs=3))
    assert (turn.rung, turn.strikes, turn.attempts) == (2, 0, 0)
    once = after_failure(offer(way=1, strikes=1), Kind.FORBIDDEN, Policy(), NOW, Asked(rungs=3))
    assert (once.rung, once.strikes) == (1, 1)


def test_a_failure_that_says_nothing_of_the_way_leaves_the_item_on_its_own_rung():
    turn = after_failure(offer(way=2, strikes=1), Kind.SITE_5XX, Policy(), NOW, Asked(rungs=3))
    assert (turn.rung, turn.strikes) == (0, 1)


def test_a_probe_that_fails_costs_the_item_nothing():
    for kind in (Kind.BLOCKED, Kind.SITE_5XX, Kind.TLS_ERROR):
        turn = after_failure(offer(probe=True), kind, Policy(), NOW, Asked(rungs=3))
        assert (turn.state, turn.rung, turn.strikes, turn.attempts) == (VisitState.WAITING, 0, 0, 0)


@pytest.mark.parametrize("end", ["released", "crashed", "ours"])
def test_an_item_stays_on_its_rung_whatever_else_happens(end):
    held = offer(rung=1, strikes=1)
    turn = {
        "released": lambda: after_release(held, 5.0),
        "crashed": lambda: after_crash(held, Policy(), NOW, alone=True),
        "ours": lambda: after_failure(held, Kind.STORAGE_ERROR, Policy(), NOW),
    }[end]()
    assert (turn.rung, turn.strikes) == (1, 1)
