"""Values made to fit the type of their column, for formats in which a column has one.

A value that does not fit raises `ValueError`; it is not bent into something else.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

import msgspec

from scrapeyard.export.columns import Column, Type

Fit = Callable[[object], object]

_LARGEST = 1 << 63


def fit_for(column: Column) -> Fit:
    """What turns a value of a record, never None, into a value of this column."""
    if column.type is Type.DECIMAL:
        return lambda value: _decimal(value, column.digits, column.places)
    return _FITS[column.type]


def json_text(value: object) -> str:
    """A value as JSON, for a cell that can only hold text."""
    return msgspec.json.encode(value).decode()


def whole_text(value: str) -> str:
    """Text that can be stored: half a character becomes a question mark."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def _text(value: object) -> str:
    return whole_text(value) if isinstance(value, str) else json_text(value)


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -_LARGEST <= value < _LARGEST:
        raise ValueError("no whole number of 64 bits")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("no number")  # noqa: TRY004 - every misfit is told in one way
    try:
        return float(value)
    except OverflowError as error:
        raise ValueError("too large a number") from error


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("neither true nor false")  # noqa: TRY004 - every misfit is told in one way
    return value


def _date(value: object) -> date:
    return date.fromisoformat(str(value))


def _time(value: object) -> datetime:
    """A moment; one without a zone is taken as UTC."""
    found = datetime.fromisoformat(str(value))
    try:
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time out of range") from error


def _decimal(value: object, digits: int, places: int) -> Decimal:
    if isinstance(value, bool):
        raise ValueError("no number")  # noqa: TRY004 - every misfit is told in one way
    try:
        found = Decimal(str(value))
        exact = found.quantize(Decimal(1).scaleb(-places))
    except InvalidOperation as error:
        raise ValueError("no decimal number") from error
    if exact != found or len(exact.as_tuple().digits) > digits:
        raise ValueError("more digits than the column has")
    return exact


_FITS: dict[Type, Fit] = {
    Type.TEXT: _text,
    Type.INTEGER: _integer,
    Type.NUMBER: _number,
    Type.BOOLEAN: _boolean,
    Type.DATE: _date,
    Type.TIME: _time,
    Type.JSON: json_text,
}
