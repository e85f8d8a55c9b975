"""Figures as people say them: 1,204 items, 1 h 12 min, 3.4 GB, $1.20; the same words on every screen and page."""

import math
from collections.abc import Callable

from scrapeyard.model.span import Span

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def number(count: float) -> str:
    """`1,204`."""
    return f"{round(count):,}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 item`, `1,204 items`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def share(part: float, whole: float) -> str:
    """`60 %`; never 100 before all is done, never 0 once something is."""
    if whole <= 0:
        return "0 %"
    percent = 100 * part / whole
    if 0 < percent < 1:
        return "<1 %"
    return f"{99 if 99 < percent < 100 else round(percent)} %"


def duration(seconds: float) -> str:
    """`850 ms`, `43 s`, `12 min`, `3 h 20 min`, `2 d 4 h`: two units at most."""
    if seconds < 1:
        return f"{max(0, round(seconds * 1000))} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if round(seconds) < 2 * _MINUTE:
        return f"{round(seconds)} s"
    if seconds < _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    if seconds < _DAY:
        hours, minutes = divmod(round(seconds / _MINUTE), 60)
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(round(seconds / _HOUR), 24)
    return f"{number(days)} d {hours} h" if hours else f"{number(days)} d"


def coming(seconds: float) -> str:
    """A length of time that is only foreseen: finer than a second would be a pretence."""
    return "under 1 s" if seconds < 1 else duration(seconds)


def size(count: float) -> str:
    """`3.4 GB`, in steps of a thousand."""
    unit = "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if count < 999.5:
            break
        count, unit = count / 1000, larger
    return f"{count:.1f} {unit}" if unit != "B" and count < 99.95 else f"{round(count)} {unit}"


def money(dollars: float) -> str:
    """`$1.20`."""
    if dollars <= 0:
        return "$0"
    return "under $0.01" if dollars < 0.01 else f"${dollars:,.2f}"


def small_money(dollars: float) -> str:
    """`$0.00042`: two digits that say something."""
    if dollars <= 0 or dollars >= 0.01:
        return money(dollars)
    return f"${dollars:.{1 - math.floor(math.log10(dollars))}f}"


def pace(per_second: float) -> str:
    """`18.4/s`, or per minute or hour where that reads better."""
    rate, unit = per_second, "s"
    for factor, slower in ((_MINUTE, "min"), (_HOUR, "h")):
        if rate >= 1:
            break
        rate, unit = per_second * factor, slower
    return f"{rate:.1f}/{unit}" if rate < 100 else f"{number(rate)}/{unit}"


def spanned(span: Span, said: Callable[[float], str]) -> str:
    """`43 s (38 s to 52 s)`; the middle alone where nothing is uncertain."""
    mid, low, high = said(span.mid), said(span.low), said(span.high)
    return mid if low == high else f"{mid} ({low} to {high})"


def ago(at: float, now: float) -> str:
    """`12 min ago`."""
    return f"{duration(now - at)} ago" if now - at >= 1 else "just now"
