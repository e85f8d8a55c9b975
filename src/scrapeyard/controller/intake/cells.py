"""What a person sees in a cell, made of what the file stores.

A spreadsheet has no parcel numbers, it has numbers: 1234 may be stored as 1234.0, and 00123 as 123 with a format that
shows five digits. It has no dates either, only days since 1900. All of it has to come out as it was typed.
"""

import re
from datetime import date, datetime, time, timedelta

import msgspec

_BUILT_IN_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[[^\]]*\]|[_*].')
_DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
_ZEROS = re.compile(r"0[0\-/. ]*0|00")
_EXACT = 1e15
"""Whole numbers up to here are stored exactly."""


class Look(msgspec.Struct, frozen=True):
    """How numbers of one style are shown: as a date, or as so many digits with signs between them."""

    date: bool = False
    mask: str = ""


PLAIN = Look()


def look_of(number: int, code: str) -> Look:
    """The look of a number format, by its built-in number or its code."""
    if number in _BUILT_IN_DATES:
        return Look(date=True)
    first = code.partition(";")[0]
    if _DATE_SIGNS.search(_LITERAL.sub("", first)):
        return Look(date=True)
    mask = _LITERAL.sub(lambda found: found[1] or found[2] or "", first)
    return Look(mask=mask) if _ZEROS.fullmatch(mask) and "." not in mask else PLAIN


def typed(kind: str, look: Look, body: str, *, epoch_1904: bool) -> object:
    """A cell as it was typed, from its type, its look and its stored text."""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(body, body)
    if kind != "n" or not body:
        return body
    number = float(body)
    if look.date:
        return _day(number, epoch_1904=epoch_1904)
    if not number.is_integer() or abs(number) >= _EXACT:
        return body
    whole = str(int(number))
    return _masked(whole, look.mask) if look.mask and number >= 0 else whole


def plain(cell: object) -> object:
    """A value of a typed table as a CSV would have it: no needless fraction, dates in ISO form, nothing as no text."""
    match cell:
        case None:
            return ""
        case float() if cell.is_integer() and abs(cell) < _EXACT:
            return int(cell)
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case datetime() | date() | time():
            return cell.isoformat()
        case timedelta():
            return str(cell)
        case bytes():
            return cell.decode("utf-8", "surrogateescape")
        case _:
            return cell


def _masked(digits: str, mask: str) -> str:
    """`00-000` shows 1234 as 01-234; digits beyond the mask stand before it."""
    digits = digits.zfill(mask.count("0"))
    rest = len(digits)
    shown: list[str] = []
    for sign in reversed(mask):
        if sign == "0":
            rest -= 1
            shown.append(digits[rest])
        else:
            shown.append(sign)
    return digits[:rest] + "".join(reversed(shown))


def _day(serial: float, *, epoch_1904: bool) -> str:
    """Days since the workbook's epoch; before March 1900 one is missing, because 1900 was taken for a leap year."""
    start = datetime(1904, 1, 1) if epoch_1904 else datetime(1899, 12, 30) + timedelta(days=serial < 60)  # noqa: DTZ001 - a wall-clock date has no zone
    if not 0 <= serial < 2_958_466:
        return f"{serial:g}"
    moment = start + timedelta(seconds=round(serial * 86_400))
    if serial < 1:
        return moment.time().isoformat()
    return moment.date().isoformat() if moment.time() == time() else moment.isoformat()
