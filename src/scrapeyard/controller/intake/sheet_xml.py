"""The XML of a sheet, as events: texts and rows are made while the bytes arrive.

Nothing is made larger than the cells that are really there, whatever size the sheet claims to have.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from xml.parsers import expat

from scrapeyard.model.errors import BadInput

Start = Callable[[str, dict[str, str]], None]
Typed = Callable[[str, int, str], object]
"""What a person sees in a cell, from its type, its style and its stored text."""


class Texts:
    """Collects the text of shared or inline strings; the reading aids of East Asian texts are left out."""

    def __init__(self, take: Callable[[str], None], unit: str = "si") -> None:
        self._take = take
        self._unit = unit
        self._parts: list[str] = []
        self._aid = 0
        self._open = False

    def start(self, tag: str, _: dict[str, str]) -> None:
        tag = local(tag)
        self._aid += tag == "rPh"
        self._open = tag == "t" and not self._aid

    def data(self, text: str) -> None:
        if self._open:
            self._parts.append(text)

    def end(self, tag: str) -> None:
        tag = local(tag)
        self._open = False
        if tag == "rPh":
            self._aid -= 1
        elif tag == self._unit:
            self._take("".join(self._parts))
            self._parts.clear()


class Cells:
    """The rows of one sheet, made as its pieces arrive."""

    def __init__(self, pieces: Iterator[bytes], typed: Typed, widest: int) -> None:
        self._typed = typed
        self._pieces = pieces
        self._widest = widest
        self._done: list[tuple[int, list[object]]] = []
        self._row: list[object] = []
        self._number = 0
        self._place = 0
        self._kind = ""
        self._look = 0
        self._text: list[str] = []
        self._open = False
        self._aid = 0

    def rows(self) -> Iterator[tuple[int, list[object]]]:
        parser = parser_of(self._start, self._end, self._data)
        for piece in self._pieces:
            parser.Parse(piece, False)
            yield from self._done
            self._done.clear()
        parser.Parse(b"", True)
        yield from self._done

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = local(tag)
        if tag == "c":
            reference = attributes.get("r", "")
            self._place = _column(reference) if reference else len(self._row)
            self._kind = attributes.get("t", "n")
            self._look = int(attributes.get("s", 0))
            if self._place >= self._widest:
                raise BadInput(f"The workbook has more than {self._widest:,} columns: leave some out.")
        elif tag == "row":
            self._number = int(attributes.get("r", self._number + 1))
            self._row = []
        elif tag in {"v", "t"}:
            self._open = not self._aid
        elif tag == "rPh":
            self._aid += 1

    def _data(self, text: str) -> None:
        if self._open:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        tag = local(tag)
        if tag == "c":
            value = self._typed(self._kind, self._look, "".join(self._text))
            self._text.clear()
            row = self._row
            if self._place >= len(row):
                row.extend([""] * (self._place - len(row)))
                row.append(value)
            else:
                row[self._place] = value
        elif tag in {"v", "t"}:
            self._open = False
        elif tag == "row":
            self._done.append((self._number, self._row))
        elif tag == "rPh":
            self._aid -= 1


def _column(reference: str) -> int:
    """`AB12` is in column 27, counted from 0."""
    column = 0
    for sign in islice(reference, 4):
        if not "A" <= sign <= "Z":
            break
        column = column * 26 + ord(sign) - 64
    if column == 0:
        raise ValueError(f"{reference[:20]!r} is no cell")
    return column - 1


def parser_of(
    start: Start, end: Callable[[str], None] | None = None, data: Callable[[str], None] | None = None
) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data
    parser.StartDoctypeDeclHandler = _no_doctype
    return parser


def _no_doctype(*_: object) -> None:
    raise BadInput("The workbook declares a document type, which none has of itself: save it again, or as CSV.")


def local(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition(":")[2]
