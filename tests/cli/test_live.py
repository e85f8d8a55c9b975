"""The live view answers, in this order: how far, how fast, until when, what came out, and what holds it up."""

from collections.abc import Sequence

import pytest
from rich.console import Console

from cli.statuses import START, status
from scrapeyard.cli.live import History, line, view
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.fleet import RunningNote
from scrapeyard.model.gate import ClosedGate, GateName
from scrapeyard.model.job import JobId
from scrapeyard.model.states import JobState


def history_of(*statuses: JobStatus) -> History:
    history = History()
    for each in statuses:
        history.add(each)
    return history


def drawn(history: History, running: Sequence[RunningNote] = (), remark: str = "") -> str:
    console = Console(width=120, force_terminal=False, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(view(history, running, remark))
    return console.export_text()


def steady(seconds: int, per_second: int) -> History:
    return history_of(*(status(at, succeeded=at * per_second) for at in range(0, seconds + 1, 2)))


def test_it_says_how_far_how_fast_and_until_when() -> None:
    shown = drawn(steady(60, 10))
    assert "600 of 2,000 items (30 %)" in shown
    assert "10.0/s" in shown
    assert "2 min left" in shown, "1,400 left at 10 a second, without spread as the pace is even"


def test_an_uneven_pace_shows_the_spread_of_the_end() -> None:
    done = [0, 40, 45, 90, 91, 150]
    said = line(history_of(*(status(2 * n, succeeded=count) for n, count in enumerate(done))))
    assert " to " in said
    assert "left" in said


def test_an_end_that_is_foreseen_is_not_told_in_milliseconds() -> None:
    history = steady(60, 10)
    history.add(status(62, succeeded=1_995))
    assert "under 1 s (under 1 s to 1.6 s) left" in drawn(history)
    assert " ms" not in line(history)


def test_outcomes_are_told_with_the_kinds_of_failure() -> None:
    shown = drawn(history_of(status(succeeded=1_180, absent=20, failed={"blocked": 3, "dns": 1}, waiting=796)))
    for said in ("1,180  succeeded", "20  absent", "3  failed: blocked", "1  failed: dns", "796  waiting"):
        assert said in shown


def test_a_closed_gate_is_told_in_words_and_with_the_time_at_which_it_opens() -> None:
    until = START + 7_200
    gate = ClosedGate(GateName.WINDOW, "The site allows visits from 20:00 to 06:00; it opens in 2 hours.", until)
    assert "it opens in 2 hours (at " in drawn(history_of(status(waiting=2_000, gates=(gate,))))
    assert "it opens in 2 hours (at " in line(history_of(status(waiting=2_000, gates=(gate,))))


def test_the_end_is_not_promised_before_what_is_closed_has_opened() -> None:
    history = steady(60, 10)
    gate = ClosedGate(GateName.RETRY_WAIT, "All 3 items left wait for the next try.", START + 62 + 90)
    history.add(status(62, succeeded=1_997, waiting=3, gates=(gate,)))
    assert history.left is not None
    assert history.left.low >= 90


def test_a_paused_job_promises_no_end() -> None:
    history = steady(60, 10)
    history.add(status(62, succeeded=620, state=JobState.PAUSED))
    assert history.left is None
    assert "left" not in drawn(history)


def test_going_as_fast_as_it_may_is_not_told_as_trouble_in_a_log() -> None:
    gate = ClosedGate(GateName.CAPACITY, "All 16 slots of the worker are busy.")
    assert "slots" not in line(history_of(status(succeeded=1, gates=(gate,))))
    assert "slots" in drawn(history_of(status(succeeded=1, gates=(gate,))))


def test_the_longest_running_items_are_named() -> None:
    notes = [RunningNote(JobId("abc"), n, f"key-{n}", START - n) for n in range(10)]
    shown = drawn(history_of(status()), notes)
    assert "Running: key-9 9.0 s, key-8 8.0 s" in shown
    assert "and 6 more" in shown


def test_a_remark_such_as_stopping_is_shown() -> None:
    assert "Ctrl-C again stops at once" in drawn(steady(4, 1), remark="Ctrl-C again stops at once.")


def test_while_the_list_is_loaded_no_share_is_made_up() -> None:
    shown = drawn(history_of(status(total=None, state=JobState.LOADING, waiting=120_000)))
    assert "loading, 120,000 items so far" in shown
    assert "left" not in shown


def test_an_ended_job_has_no_pace() -> None:
    shown = drawn(history_of(status(state=JobState.COMPLETED, succeeded=2_000)))
    assert "100 %" in shown
    assert "pace" not in shown


def test_a_site_that_slows_down_shows_within_minutes() -> None:
    history = steady(600, 10)
    for at in range(602, 902, 2):
        history.add(status(at, succeeded=6_000 + at - 600, total=100_000))
    assert history.pace is not None
    assert history.pace.mid == pytest.approx(1.0, rel=0.1)


def test_a_job_that_is_redriven_does_not_run_backwards() -> None:
    history = steady(60, 10)
    history.add(status(70, succeeded=500))
    history.add(status(74, succeeded=540))
    assert history.pace is not None
    assert history.pace.mid == pytest.approx(10)


def test_a_long_watch_does_not_grow() -> None:
    history = steady(10_000, 1)
    assert len(history._marks) <= 100


def test_the_time_of_work_leaves_out_what_came_before_and_after() -> None:
    history = History()
    quiet = status(0, waiting=20)
    history.add(JobStatus(quiet.job, quiet.tally, at=quiet.at))
    for at, done in ((5, 0), (7, 10), (9, 20), (30, 20)):
        history.add(status(at, succeeded=done))
    assert history.seconds == pytest.approx(4)


@pytest.mark.parametrize("hostile", ["[red]x[/nope]", "x\x1b[2J", "x\u202ey"])
def test_hostile_names_neither_break_the_view_nor_reach_the_terminal(hostile: str) -> None:
    gate = ClosedGate(GateName.PAUSED, f"The job is paused: {hostile}.")
    history = history_of(status(name=hostile, succeeded=1, gates=(gate,)))
    shown = drawn(history, [RunningNote(JobId("abc"), 1, hostile, START)])
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert line(history).isprintable()
