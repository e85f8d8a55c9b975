"""Rows that cannot be taken, as a table that a person opens, mends and gives again.

It is opened in a spreadsheet, and its cells are a stranger's text, so none of them may begin like a formula.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import orjson

from scrapeyard.controller.intake.tables import Row, Spoiled
from scrapeyard.model.errors import BadInput

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\x00")
_LONGEST = 32_767
"""Characters that a spreadsheet takes in one cell."""


class Rejects:
    """The file, made when the list is opened, so that an earlier one is not mistaken for this one's."""

    def __init__(self, path: Path | None, source: Path | None, unit: str, columns: Sequence[str] | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._writer: Any = None
        if path is None:
            return
        if source is not None and path.exists() and path.samefile(source):
            raise BadInput(f"The rejects would overwrite the list {str(source)!r} itself: name another file.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        except OSError as error:
            raise BadInput(f"The rejects cannot be written to {str(path)!r}: {error.strerror}.") from error
        self._writer = csv.writer(self._file)
        self._writer.writerow([unit, "reason", *map(safe, columns if columns is not None else ["row"])])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, number: int, reason: str, row: Row) -> None:
        """Write one row down."""
        if self._writer is not None:
            self._writer.writerow([number, safe(reason), *map(safe, _texts(row))])


def safe(value: object) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)[:_LONGEST]
    return f"'{text}" if text.startswith(_FORMULA) else text


def _texts(row: Row) -> Sequence[object]:
    if isinstance(row, Spoiled):
        return row.cells or [row.raw]
    if isinstance(row, dict):
        return [orjson.dumps(row, default=str, option=orjson.OPT_NON_STR_KEYS).decode()]
    return row
