"""When a schedule is due: over leaps of the wall clock, after a night in which nobody could act, and never twice."""

import datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from scrapeyard.decisions.schedules import MOST_CAUGHT_UP, checked, due, following, kept_waiting
from scrapeyard.model.errors import BadInput
from scrapeyard.model.schedule import CatchUp, ItemsOf, Schedule, ScheduleView

CHICAGO = "America/Chicago"


def at(text: str, zone: str = CHICAGO, fold: int = 0) -> float:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def view(cron: str, seen: float, zone: str = CHICAGO, **more: Any) -> ScheduleView:
    return ScheduleView(Schedule("s", cron, "x", zone, file="l.csv", **more), 0.0, seen)


def lived(cron: str, start: float, end: float, step: float = 60.0, zone: str = CHICAGO) -> list[float]:
    """The due times that somebody sees who looks every so often."""
    found, seen = [], start
    while seen < end:
        now = min(end, seen + step)
        found += due(view(cron, seen, zone), now)
        seen = now
    return found


def test_a_time_that_the_clock_leaps_over_comes_right_after_the_leap() -> None:
    assert following("30 2 * * *", CHICAGO, at("2026-03-08 00:00")) == at("2026-03-08 03:00")
    assert lived("30 2 * * *", at("2026-03-07 12:00"), at("2026-03-09 12:00")) == [
        at("2026-03-08 03:00"),
        at("2026-03-09 02:30"),
    ]


def test_a_time_that_the_clock_shows_twice_comes_once() -> None:
    assert lived("30 1 * * *", at("2026-10-31 12:00"), at("2026-11-02 12:00")) == [
        at("2026-11-01 01:30"),
        at("2026-11-02 01:30"),
    ]


def test_a_schedule_of_every_half_hour_goes_by_real_time_when_the_clock_is_set() -> None:
    for day in ("2026-03-08", "2026-11-01"):
        start = at(f"{day} 00:00")
        assert lived("*/30 * * * *", start, start + 5 * 3600) == [start + 1800 * n for n in range(1, 11)]


@pytest.mark.parametrize("cron", ["30 1 * * *", "30 2 * * *", "0 3 * * *", "*/20 * * * *", "15 1,2 * * *"])
@pytest.mark.parametrize("day", ["2026-03-08", "2026-11-01"])
def test_whoever_looks_seldom_finds_the_same_times_as_whoever_looks_often(cron: str, day: str) -> None:
    start = at(f"{day} 00:00")
    often = lived(cron, start, start + 6 * 3600, 60.0)
    for step in (77.0, 299.0):
        assert lived(cron, start, start + 6 * 3600, step) == often
    forwards, moment = [], start
    while (moment := following(cron, CHICAGO, moment) or 0.0) <= start + 6 * 3600:
        forwards.append(moment)
    assert forwards == often


def test_a_missed_time_is_left_out_made_up_for_once_or_as_often_as_it_was_missed() -> None:
    seen, now = at("2026-05-01 00:30"), at("2026-05-01 04:20")
    hours = [at(f"2026-05-01 0{hour}:00") for hour in (1, 2, 3, 4)]
    for policy, expected in ((CatchUp.NONE, []), (CatchUp.LAST, hours[-1:]), (CatchUp.ALL, hours)):
        assert list(due(view("0 * * * *", seen, catch_up=policy), now)) == expected
    punctual = at("2026-05-01 04:01")
    assert list(due(view("0 * * * *", seen, catch_up=CatchUp.NONE), punctual)) == hours[-1:]


def test_a_year_of_missed_minutes_is_not_a_year_of_jobs() -> None:
    now = at("2026-05-01 00:00")
    found = due(view("* * * * *", now - 366 * 86_400, catch_up=CatchUp.ALL), now)
    assert len(found) == MOST_CAUGHT_UP
    assert found[-1] == now
    assert len(kept_waiting(found, [now + 60])) == MOST_CAUGHT_UP


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cron": "61 * * * *"}, "cron expression"),
        ({"cron": "* * * * * *"}, "five fields"),
        ({"cron": "* " * 400}, "five fields"),
        ({"cron": "0 0 30 2 *"}, "30 2"),
        ({"timezone": "Mars/Olympus"}, "time zone"),
        ({"timezone": "../../etc/passwd"}, "time zone"),
        ({"fresh": 0.0}, "span of time"),
        ({"file": ""}, "exactly one"),
        ({"items": ItemsOf("bills")}, "exactly one"),
    ],
)
def test_what_cannot_work_is_refused_with_a_sentence(changes: dict[str, object], words: str) -> None:
    good = Schedule("s", "0 2 * * *", "x", file="l.csv")
    assert checked(good) == good
    with pytest.raises(BadInput, match=words):
        checked(msgspec.structs.replace(good, **changes))
