"""What is said in a terminal: figures as everywhere, times of day, and strangers' text made harmless.

Keys, reasons and addresses come from lists and pages. A control character among them could repaint the screen or
retype the last command, so whatever is not printable is shown as a dot.
"""

import datetime

from scrapeyard.model.figures import (
    ago,
    coming,
    counted,
    duration,
    money,
    number,
    pace,
    share,
    size,
    small_money,
    spanned,
)

__all__ = [
    "ago",
    "clock",
    "coming",
    "counted",
    "duration",
    "moment",
    "money",
    "number",
    "pace",
    "plain",
    "share",
    "size",
    "small_money",
    "spanned",
    "stamp",
]


def moment(at: float, now: float) -> str:
    """A time of day, with its date unless it is today; local time."""
    then, today = datetime.datetime.fromtimestamp(at).astimezone(), datetime.datetime.fromtimestamp(now).astimezone()
    return f"{then:%H:%M}" if then.date() == today.date() else f"{then:%Y-%m-%d %H:%M}"


def clock(at: float, now: float) -> str:
    """A time of day to the second, with its date unless it is today; local time."""
    then, today = datetime.datetime.fromtimestamp(at).astimezone(), datetime.datetime.fromtimestamp(now).astimezone()
    return f"{then:%H:%M:%S}" if then.date() == today.date() else f"{then:%Y-%m-%d %H:%M:%S}"


def stamp(at: float) -> str:
    """The time for machines: ISO 8601 in UTC."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plain(text: str, longest: int = 400) -> str:
    """A stranger's text on one line, without anything that a terminal obeys."""
    shown = "".join(sign if sign.isprintable() else " " if sign in "\t\r\n" else "·" for sign in text[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
