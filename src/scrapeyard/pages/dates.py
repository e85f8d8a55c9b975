"""Calendar days as US pages write them, or refused.

Months are read by our own table, not by the machine's language. `1/5/2024` is the fifth of January; a page
that means the first of May says so by an explicit format.
"""

import datetime
import re
from typing import Final

from scrapeyard.pages.errors import BadValue
from scrapeyard.pages.wording import tidy

LONGEST: Final = 60

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ),
        start=1,
    )
    for name in names.split()
}
_TIME: Final = (
    r"(?:[T ,]\s?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"\s?(?:[AaPp]\.?[Mm]\.?)?\s?(?:Z|[+-][0-9]{2}:?[0-9]{2}|[A-Z]{2,4})?)?"
)
_WEEKDAY: Final = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s)?"
_US: Final = re.compile(
    rf"{_WEEKDAY}(?P<m>[0-9]{{1,2}})(?P<by>[/.-])(?P<d>[0-9]{{1,2}})(?P=by)(?P<y>[0-9]{{4}}|[0-9]{{2}}){_TIME}",
    re.IGNORECASE,
)
_ISO: Final = re.compile(rf"(?P<y>[0-9]{{4}})(?P<by>[/-]?)(?P<m>[0-9]{{2}})(?P=by)(?P<d>[0-9]{{2}}){_TIME}")
_MONTH_FIRST: Final = re.compile(
    rf"{_WEEKDAY}(?P<m>[a-z]{{3,9}})\.?\s?(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>[0-9]{{4}}){_TIME}",
    re.IGNORECASE,
)
_DAY_FIRST: Final = re.compile(
    rf"{_WEEKDAY}(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?[\s-]?(?P<m>[a-z]{{3,9}})\.?,?[\s-]?(?P<y>[0-9]{{4}}|[0-9]{{2}}){_TIME}",
    re.IGNORECASE,
)
_WAYS: Final = (_US, _ISO, _MONTH_FIRST, _DAY_FIRST)


def as_date(text: str, *formats: str) -> datetime.date:
    """The day a text names. With formats (those of `strptime`) only these are tried. Raises BadValue."""
    line = tidy(text)
    if not line or len(line) > LONGEST:
        raise BadValue(text, "a date")
    found = _by_formats(line, formats) if formats else _as_usual(line)
    if found is None:
        raise BadValue(text, f"a date written as {' or '.join(formats)}" if formats else "a date")
    return found


def _as_usual(line: str) -> datetime.date | None:
    for way in _WAYS:
        match = way.fullmatch(line)
        if match:
            return _day(match["y"], match["m"], match["d"])
    return None


def _day(year: str, month: str, day: str) -> datetime.date | None:
    number = int(month) if month.isdigit() else _MONTHS.get(month.lower(), 0)
    full = int(year)
    if len(year) == 2:  # POSIX: 69–99 are of the last century
        full += 1900 if full >= 69 else 2000
    try:
        return datetime.date(full, number, int(day))
    except ValueError:
        return None


def _by_formats(line: str, formats: tuple[str, ...]) -> datetime.date | None:
    for way in formats:
        try:
            # a calendar day has no time zone, so the naive reading is the right one
            return datetime.datetime.strptime(line, way).date()  # noqa: DTZ007
        except ValueError:
            continue
    return None
