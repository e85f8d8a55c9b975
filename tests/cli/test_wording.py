"""Figures read as a person would say them, and strangers' text cannot take over a terminal."""

import pytest

from scrapeyard.cli import wording
from scrapeyard.model.span import Span


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 ms"),
        (0.25, "250 ms"),
        (3.14, "3.1 s"),
        (43.4, "43 s"),
        (119.4, "119 s"),
        (120, "2 min"),
        (3599, "60 min"),
        (12_000, "3 h 20 min"),
        (7_200, "2 h"),
        (187_200, "2 d 4 h"),
        (864_000, "10 d"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, said: str) -> None:
    assert wording.duration(seconds) == said


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (16_363, "16.4 kB"),
        (123_456, "123 kB"),
        (999_600, "1.0 MB"),
        (3.4e9, "3.4 GB"),
        (5e15, "5000 TB"),
    ],
)
def test_sizes_go_up_in_thousands(count: float, said: str) -> None:
    assert wording.size(count) == said


@pytest.mark.parametrize(("rate", "said"), [(250, "250/s"), (18.42, "18.4/s"), (0.5, "30.0/min"), (0.001, "3.6/h")])
def test_a_slow_pace_is_told_per_minute_or_hour(rate: float, said: str) -> None:
    assert wording.pace(rate) == said


@pytest.mark.parametrize(("dollars", "said"), [(0, "$0"), (0.001, "under $0.01"), (1234.5, "$1,234.50")])
def test_money_is_never_rounded_to_nothing(dollars: float, said: str) -> None:
    assert wording.money(dollars) == said


@pytest.mark.parametrize(
    ("part", "whole", "said"), [(0, 0, "0 %"), (1, 2_000, "<1 %"), (1_999, 2_000, "99 %"), (2_000, 2_000, "100 %")]
)
def test_all_done_is_not_said_before_it_is_true(part: int, whole: int, said: str) -> None:
    assert wording.share(part, whole) == said


def test_a_span_without_spread_is_one_figure() -> None:
    assert wording.spanned(Span(2, 2, 2), wording.number) == "2"
    assert wording.spanned(Span(2, 1, 3), wording.number) == "2 (1 to 3)"


def test_one_thing_is_not_plural() -> None:
    assert (wording.counted(1, "item"), wording.counted(2_000, "item")) == ("1 item", "2,000 items")


@pytest.mark.parametrize("text", ["a\x1b[2Jb", "a\x9b31mb", "a\u202eb", "a\x07b", "a\x00b", "a\u2028b"])
def test_what_a_terminal_would_obey_is_shown_as_a_dot(text: str) -> None:
    shown = wording.plain(text)
    assert shown.isprintable()
    assert shown[0] == "a"
    assert "·" in shown


def test_lines_become_one_and_endless_text_is_cut() -> None:
    assert wording.plain("a\nb\tc") == "a b c"
    assert wording.plain("x" * 1_000_000, 10) == "xxxxxxxxx…"


def test_machines_get_iso_times_in_utc() -> None:
    assert wording.stamp(0.1234) == "1970-01-01T00:00:00.123Z"
