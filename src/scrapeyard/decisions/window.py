"""May the site be visited at this hour?

A county allows crawling "weekdays from 20:00 to 06:00", in its own time zone, and twice a year the clock
there jumps. So every opening is worked out as two moments in that zone and compared in absolute time: an
opening is as long on the night of a change as its wall clock says from its start, and never happens twice.
"""

import datetime
import math
import re
from collections.abc import Sequence
from zoneinfo import ZoneInfo

import msgspec

from scrapeyard.model.errors import BadInput
from scrapeyard.model.policy import Window

_CLOCK_TIME = re.compile(r"([01]\d|2[0-4]):([0-5]\d)")
_DAY = datetime.timedelta(days=1)
_AHEAD = 9
"""Days to look ahead: a week, and one on each side for zones and nights."""


class Opening(msgspec.Struct, frozen=True):
    """Open or not, and until when that stays so; None means for good.

    `closed` is the window that is shut; `trouble` says in a sentence why one cannot be understood.
    """

    open: bool
    until: float | None = None
    closed: Window | None = None
    trouble: str | None = None


def opening(windows: Sequence[Window], now: float) -> Opening:
    """All windows must be open. While one is closed, `until` is the earliest moment worth looking again."""
    each = [_one(window, now) for window in windows]
    closed = [one for one in each if not one.open]
    if closed:
        return max(closed, key=lambda one: math.inf if one.until is None else one.until)
    return Opening(open=True, until=min((one.until for one in each if one.until is not None), default=None))


def checked(window: Window) -> Window:
    """The window itself, or `BadInput` with a sentence that says what to change."""
    zone_of(window.timezone)
    _minutes(window.start)
    _minutes(window.end)
    if any(day not in range(7) for day in window.days):
        raise BadInput("A crawl window's days are numbers from 0 (Monday) to 6 (Sunday).")
    return window


def _one(window: Window, now: float) -> Opening:
    if set(window.days) >= set(range(7)) and _length(window) == 24 * 60:
        return Opening(open=True)
    spans = _spans(window, now)
    for start, end in spans:
        if start <= now < end:
            return Opening(open=True, until=end)
    return Opening(open=False, until=next((start for start, _ in spans if start > now), None), closed=window)


def _spans(window: Window, now: float) -> list[tuple[float, float]]:
    """The openings around now in absolute time, in order; those that touch are one."""
    zone = zone_of(window.timezone)
    today = datetime.datetime.fromtimestamp(now, zone).date()
    spans: list[tuple[float, float]] = []
    for ahead in range(-1, _AHEAD):
        day = today + ahead * _DAY
        if day.weekday() not in window.days:
            continue
        opens = _minutes(window.start)
        start, end = _moment(day, opens, zone), _moment(day, opens + _length(window), zone)
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        elif start < end:
            spans.append((start, end))
    return spans


def _moment(day: datetime.date, minutes: int, zone: ZoneInfo) -> float:
    """So many wall-clock minutes after the day's midnight. In a doubled hour the first one is meant."""
    wall = datetime.datetime.combine(day, datetime.time()) + datetime.timedelta(minutes=minutes)
    return wall.replace(tzinfo=zone).timestamp()


def _length(window: Window) -> int:
    """Minutes from start to end; an end at or before the start is on the next day."""
    span = _minutes(window.end) - _minutes(window.start)
    return span if span > 0 else span + 24 * 60


def _minutes(text: str) -> int:
    match = _CLOCK_TIME.fullmatch(text)
    minutes = int(match[1]) * 60 + int(match[2]) if match else -1
    if not 0 <= minutes <= 24 * 60:
        raise BadInput(f"{text[:20]!r} is not a time of day; write it as HH:MM, from 00:00 to 24:00.")
    return minutes


def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError) as error:
        raise BadInput(f"{name[:60]!r} is not a time zone; write a name such as America/Chicago.") from error
