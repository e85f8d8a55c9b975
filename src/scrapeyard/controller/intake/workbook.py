"""The first sheet of an .xlsx workbook, row by row, without ever holding the sheet.

A workbook is a zip of XML written by anybody: a sheet of two cells may claim a billion, a small file may unpack to a
full memory. So the parts are read as streams with a limit on what they unpack to, whatever they claim, and documents
that declare entities are refused.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO
from xml.parsers import expat

from scrapeyard.controller.intake.cells import PLAIN, Look, look_of, typed
from scrapeyard.controller.intake.options import IntakeLimits
from scrapeyard.controller.intake.sheet_xml import Cells, Start, Texts, local, parser_of
from scrapeyard.controller.intake.tables import Row, Spoiled
from scrapeyard.model.errors import BadInput

_BLOCK = 1 << 16
_MOST_PARTS = 10_000
_SMALL = 16 << 20
"""Bytes of the parts that only describe others."""

_FAILURES = (
    zipfile.BadZipFile,
    zlib.error,
    expat.ExpatError,
    EOFError,
    LookupError,
    RuntimeError,  # a password, or a way of packing that we do not know
    ValueError,
)


class Workbook:
    """See Table. The first row that has anything in it is the header."""

    unit = "row"

    def __init__(self, file: BinaryIO, limits: IntakeLimits) -> None:
        self._limits = limits
        try:
            self._zip = zipfile.ZipFile(file)
            if len(self._zip.infolist()) > _MOST_PARTS:
                raise BadInput("The workbook has too many parts: save the list as CSV.")
            name, path, sheets, self._epoch_1904 = self._first_sheet()
            self.remarks: Sequence[str] = [f"read the first sheet, {name!r}, of {sheets}"] if sheets > 1 else []
            self._looks = self._styles()
            self._shared = self._strings()
            cells = Cells(self._pieces(path, limits.sheet), self._typed, limits.fields)
            self._rows = cells.rows()
            header = next(((number, cells) for number, cells in self._rows if any(cells)), None)
        except _FAILURES as error:
            raise _broken(error) from error
        if header is None:
            raise BadInput("The workbook's first sheet is empty; put the list there, with a header row.")
        self.columns: Sequence[str] | None = [str(cell).strip() for cell in header[1]]

    def rows(self) -> Iterator[tuple[int, Row]]:
        width = len(self.columns or ())
        try:
            for number, cells in self._rows:
                if any(cell != "" for cell in cells[width:]):
                    reason = f"it has {len(cells):,} cells where the header has {width:,}"
                    yield number, Spoiled(reason, cells=cells)
                elif any(cell != "" for cell in cells):
                    yield number, cells[:width]
        except _FAILURES as error:
            raise _broken(error) from error

    def _typed(self, kind: str, look: int, body: str) -> object:
        """A cell of the sheet as a person sees it."""
        if kind == "s":
            place = int(body or -1)
            if not 0 <= place < len(self._shared):
                raise ValueError(f"it has no shared text {body[:20]!r}")
            return self._shared[place]
        shape = self._looks[look] if look < len(self._looks) else PLAIN
        return typed(kind, shape, body, epoch_1904=self._epoch_1904)

    def _first_sheet(self) -> tuple[str, str, int, bool]:
        """Name and part of the first sheet, how many there are, and from when the workbook counts days."""
        sheets: list[tuple[str, str]] = []
        old_epoch: list[bool] = []
        targets: dict[str, str] = {}

        def book(tag: str, attributes: dict[str, str]) -> None:
            if tag == "sheet":
                relation = next((value for name, value in attributes.items() if local(name) == "id"), "")
                sheets.append((attributes.get("name", ""), relation))
            elif tag == "workbookPr":
                old_epoch.append(attributes.get("date1904", "0") in {"1", "true"})

        def relations(tag: str, attributes: dict[str, str]) -> None:
            if tag == "Relationship":
                targets[attributes.get("Id", "")] = attributes.get("Target", "")

        self._scan("xl/workbook.xml", book)
        self._scan("xl/_rels/workbook.xml.rels", relations)
        if not sheets:
            raise BadInput("The workbook has no sheet; put the list on its first.")
        name, relation = sheets[0]
        path = posixpath.normpath(posixpath.join("/xl", targets.get(relation, ""))).lstrip("/")
        return name, path, len(sheets), any(old_epoch)

    def _styles(self) -> list[Look]:
        formats: dict[int, str] = {}
        looks: list[Look] = []
        inside: list[bool] = [False]

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag == "numFmt":
                formats[int(attributes.get("numFmtId", 0))] = attributes.get("formatCode", "")
            elif tag in {"cellXfs", "cellStyleXfs"}:
                inside[0] = tag == "cellXfs"
            elif tag == "xf" and inside[0]:
                number = int(attributes.get("numFmtId", 0))
                looks.append(look_of(number, formats.get(number, "")))

        if "xl/styles.xml" in self._zip.NameToInfo:
            self._scan("xl/styles.xml", start)
        return looks

    def _strings(self) -> list[str]:
        """The texts that cells share. They are needed in any order, so these alone are held."""
        if "xl/sharedStrings.xml" not in self._zip.NameToInfo:
            return []
        found: list[str] = []
        texts = Texts(found.append)
        parser = parser_of(texts.start, texts.end, texts.data)
        for piece in self._pieces("xl/sharedStrings.xml", self._limits.strings):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
        return found

    def _scan(self, path: str, start: Start) -> None:
        parser = parser_of(lambda tag, attributes: start(local(tag), attributes))
        for piece in self._pieces(path, _SMALL):
            parser.Parse(piece, False)
        parser.Parse(b"", True)

    def _pieces(self, path: str, most: int) -> Iterator[bytes]:
        """One part of the archive. What it claims to unpack to is not believed: the bytes that come are counted."""
        with self._zip.open(path) as part:
            size = 0
            while piece := part.read(_BLOCK):
                size += len(piece)
                if size > most:
                    raise BadInput(
                        f"The workbook unpacks to more than {most >> 20:,} MiB in {path!r}: save the list as CSV."
                    )
                yield piece


def _broken(error: Exception) -> BadInput:
    return BadInput(f"The workbook cannot be read ({error}): save it again, or save it as CSV.")
