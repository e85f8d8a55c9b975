"""CSV as people save it: comma, semicolon, tab or bar, with or without a mark at the start, in several encodings.

Quotation marks are taken strictly. A lenient reader takes everything after one that is not closed for a single cell,
and a thousand rows are gone without a word.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO

from scrapeyard.controller.intake.lines import Lines
from scrapeyard.controller.intake.options import IntakeLimits
from scrapeyard.controller.intake.tables import Row, Spoiled
from scrapeyard.model.errors import BadInput

_SIGNS = ",;\t|"
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


_BEYOND = 100
"""So many cells more than there are columns are written down of a row that has too many."""


class Delimited:
    """See Table."""

    unit = "line"

    def __init__(self, stream: BinaryIO, limits: IntakeLimits, *, header: bool) -> None:
        self._lines = Lines(stream, limits.line)
        self._before = 0
        lines = iter(self._lines)
        first = self._first(lines)
        self._sign = _sign(first)
        if first[:4].casefold() == "sep=" and len(first.strip()) == 5:  # a spreadsheet's own hint
            self._sign = first[4]
            self._before += 1
            first = self._first(lines)
        self._reader = csv.reader(chain([first], lines), delimiter=self._sign, strict=True)
        cells = self._header(limits.fields)
        self._ahead: list[tuple[int, list[str]]] = [] if header else [(self._before + 1, cells)]
        names = [cell.strip() for cell in cells] if header else [f"column {n}" for n in range(1, len(cells) + 1)]
        self.columns: Sequence[str] | None = names

    @property
    def remarks(self) -> Sequence[str]:
        sign = [f"read as separated by {_NAMES.get(self._sign, repr(self._sign))}"] if self._sign != "," else []
        return sign + self._lines.remarks

    def rows(self) -> Iterator[tuple[int, Row]]:
        yield from self._ahead
        reader, before, width = self._reader, self._before, len(self.columns or ())
        while True:
            started = reader.line_num
            try:
                for cells in reader:
                    started = reader.line_num
                    if len(cells) <= width:
                        if cells:
                            yield started + before, cells
                    elif any(cell.strip() for cell in cells[width:]):
                        reason = f"it has {len(cells):,} cells where the header has {width:,}"
                        yield started + before, Spoiled(reason, cells=cells[: width + _BEYOND])
                    else:
                        yield started + before, cells[:width]
            except csv.Error as error:
                yield self._spoiled(started + before + 1, error)
            else:
                return

    def _spoiled(self, start: int, error: csv.Error) -> tuple[int, Row]:
        """A row that is not well-formed. Where it swallowed others, nobody knows how many rows are meant."""
        end = self._reader.line_num + self._before
        if end > start or "end of data" in str(error):
            raise BadInput(
                f"Line {start:,} opens a quotation mark that is not closed by line {end:,}, so nobody can tell where "
                "its row ends: close the mark, or double it if it belongs to the text."
            ) from error
        return end, Spoiled(f"it is not well-formed CSV: {error}", self._lines.last)

    def _first(self, lines: Iterator[str]) -> str:
        for line in lines:
            if line.strip():
                return line
            self._before += 1
        raise BadInput("The list is empty; give it a header line and at least one row.")

    def _header(self, most: int) -> list[str]:
        try:
            cells: list[str] = next(self._reader)
        except (csv.Error, StopIteration) as error:
            raise BadInput(f"The list's first line is not well-formed CSV: {error}.") from error
        if len(cells) > most:
            raise BadInput(f"The list has {len(cells):,} columns; at most {most:,} are taken: leave some out.")
        return cells


def _sign(line: str) -> str:
    """The separator that stands most often in the header, quoted text left out."""
    bare = "".join(islice(line.split('"'), 0, None, 2))
    return max(_SIGNS, key=bare.count) if any(sign in bare for sign in _SIGNS) else ","
