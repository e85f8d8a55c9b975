"""Durations and crawl windows as people write them."""

import pytest

from scrapeyard.cli.failing import Misused
from scrapeyard.cli.policies import PolicyOptions, parse_duration, parse_window
from scrapeyard.model.policy import Policy, Window


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("2 min", 120), ("1H", 3600)])
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "5 days", "-3s", "1m30s"])
def test_a_duration_that_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Misused, match="90s, 5m or 1h"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("20:00-06:00", Window("UTC", (0, 1, 2, 3, 4, 5, 6), "20:00", "06:00")),
        ("Mon-Fri 20:00-06:00 America/New_York", Window("America/New_York", (0, 1, 2, 3, 4), "20:00", "06:00")),
        ("sat,sunday 8:00-24:00", Window("UTC", (5, 6), "08:00", "24:00")),
        ("Fri-Mon 00:00-05:00 Europe/Berlin", Window("Europe/Berlin", (0, 4, 5, 6), "00:00", "05:00")),
    ],
)
def test_windows(text: str, window: Window) -> None:
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["", "at night", "Mon", "20:00", "Mo-Fr 20:00-06:00", "20:00-06:00 A B"])
def test_a_window_that_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Misused, match=r"write|day of the week"):
        parse_window(text)


def test_what_is_not_said_is_left_to_the_scraper() -> None:
    assert PolicyOptions().policy() == Policy()
