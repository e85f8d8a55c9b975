"""May the site be visited at this hour? In its own time zone, and on the nights when the clock there jumps."""

import datetime
from zoneinfo import ZoneInfo

import pytest

from scrapeyard.decisions.window import checked, opening
from scrapeyard.model.errors import BadInput
from scrapeyard.model.policy import Window

NEW_YORK = ZoneInfo("America/New_York")


def at(text: str, zone: datetime.tzinfo = NEW_YORK, fold: int = 0) -> float:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).timestamp()


NIGHT = Window("America/New_York", start="20:00", end="06:00")
WORKDAYS = Window("America/New_York", days=(0, 1, 2, 3, 4), start="09:00", end="17:00")


@pytest.mark.parametrize(
    ("moment", "is_open", "until"),
    [
        ("2025-06-16T19:59:59", False, "2025-06-16T20:00:00"),
        ("2025-06-16T20:00:00", True, "2025-06-17T06:00:00"),
        ("2025-06-17T05:59:59", True, "2025-06-17T06:00:00"),
        ("2025-06-17T06:00:00", False, "2025-06-17T20:00:00"),
    ],
)
def test_a_window_over_midnight_is_open_from_its_start_to_just_before_its_end(
    moment: str, is_open: bool, until: str
) -> None:
    seen = opening([NIGHT], at(moment))
    assert (seen.open, seen.until) == (is_open, at(until))


def test_days_name_the_day_on_which_the_window_opens() -> None:
    friday_night = Window("America/New_York", days=(4,), start="22:00", end="04:00")
    assert opening([friday_night], at("2025-06-21T03:00")).open  # Saturday morning
    assert not opening([friday_night], at("2025-06-20T03:00")).open  # Friday morning
    assert opening([friday_night], at("2025-06-21T05:00")).until == at("2025-06-27T22:00")


def test_at_the_weekend_a_window_of_workdays_opens_on_monday() -> None:
    seen = opening([WORKDAYS], at("2025-06-20T17:00"))
    assert (seen.open, seen.until) == (False, at("2025-06-23T09:00"))
    assert seen.closed == WORKDAYS


@pytest.mark.parametrize(
    ("evening", "length"),
    [("2025-03-08", 9), ("2025-11-01", 11), ("2025-06-16", 10)],
    ids=["clocks go forward", "clocks go back", "an ordinary night"],
)
def test_a_night_in_which_the_clock_jumps_is_shorter_or_longer_but_ends_by_the_wall(evening: str, length: int) -> None:
    start = at(f"{evening}T20:00")
    assert not opening([NIGHT], start - 1).open
    seen = opening([NIGHT], start)
    assert seen.open
    assert seen.until is not None
    assert seen.until - start == length * 3600
    ends = datetime.datetime.fromtimestamp(seen.until, NEW_YORK)
    assert (ends.hour, ends.minute) == (6, 0)


def test_an_hour_that_does_not_exist_opens_the_window_no_earlier_and_no_later_than_the_jump() -> None:
    early = Window("America/New_York", start="02:30", end="05:00")
    jump = at("2025-03-09T01:59:59") + 1  # here 02:00 becomes 03:00
    seen = opening([early], jump - 60)
    assert not seen.open
    assert seen.until is not None
    assert jump <= seen.until <= jump + 1800
    assert opening([early], at("2025-03-09T04:59")).open
    assert not opening([early], at("2025-03-09T05:00")).open


def test_an_hour_that_comes_twice_opens_the_window_once() -> None:
    early = Window("America/New_York", start="01:30", end="03:00")
    first, second = at("2025-11-02T01:30"), at("2025-11-02T01:30", fold=1)
    assert second - first == 3600
    seen = opening([early], first)
    assert (seen.open, seen.until) == (True, at("2025-11-02T03:00"))
    changes = 0
    was = False
    for minute in range(-120, 300):
        now = opening([early], first + 60 * minute).open
        changes += now is not was
        was = now
    assert changes == 2


def test_a_window_without_limits_is_open_for_good() -> None:
    assert opening([], 0.0).until is None
    assert opening([Window()], 0.0).open
    assert opening([Window()], 0.0).until is None


def test_whole_days_that_touch_are_one_opening() -> None:
    seen = opening([Window(days=(0, 1, 2))], at("2025-06-16T12:00", datetime.UTC))
    assert seen.until == at("2025-06-19T00:00", datetime.UTC)


def test_of_several_windows_all_must_be_open() -> None:
    both = [NIGHT, Window("UTC", start="00:00", end="04:00")]
    assert opening(both, at("2025-06-16T21:00")).open  # 01:00 in UTC
    seen = opening(both, at("2025-06-17T01:00"))  # 05:00 in UTC
    assert (seen.open, seen.closed) == (False, both[1])
    assert opening(both, at("2025-06-16T20:30")).until == at("2025-06-17T04:00", datetime.UTC)


def test_a_window_without_days_never_opens() -> None:
    assert opening([Window(days=())], 0.0).until is None
    assert not opening([Window(days=())], 0.0).open


@pytest.mark.parametrize(
    ("window", "sentence"),
    [
        (Window("Mars/Olympus"), "time zone"),
        (Window("../../etc/passwd"), "time zone"),
        (Window(start="8:00"), "HH:MM"),
        (Window(end="24:30"), "HH:MM"),
        (Window(days=(7,)), "0 .Monday. to 6"),
    ],
)
def test_a_window_that_cannot_be_meant_is_refused_with_what_to_write(window: Window, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        checked(window)
