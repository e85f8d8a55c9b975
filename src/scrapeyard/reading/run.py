"""Run a scraper's extractor over captures, and tell a bug of the extractor from a page that is not what we asked for.

Both arrive as an exception, but they mean opposite things: a page without its required part is evidence about the
visit, which may be tried again; a bug or a value of the wrong type says nothing against the kept page, so the visit
stands and only its reading is `unreadable`, to be made again once the extractor is mended.
"""

from collections.abc import Sequence
from pathlib import PurePath
from traceback import walk_tb

import msgspec
from pydantic import ValidationError

from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import Absent, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.record import Record
from scrapeyard.model.states import ReadingState
from scrapeyard.pages.errors import PageError
from scrapeyard.ports.scrapers import LoadedScraper
from scrapeyard.reading.limits import LARGEST_ROW, MOST_RECORDS

_LONGEST_REASON = 500
_EVIDENCE = frozenset({Kind.PARSE_EMPTY, Kind.WRONG_ITEM})

Row = tuple[str, bytes]
"""The record model's name, and the record as JSON."""


class Reading(msgspec.Struct, frozen=True):
    """What came of reading one item's captures. `refusal` is evidence that ends the visit itself as failed."""

    state: ReadingState
    rows: tuple[Row, ...] = ()
    reason: str | None = None
    refusal: Exception | None = None


class BadRecords(Exception):
    """The extractor gave something that is not a record of its declared models, or too much of it."""


def read(scraper: LoadedScraper, inputs: bytes, captures: Sequence[Kept]) -> Reading:
    """Run the extractor; everything it raises is told in the reading."""
    try:
        records = scraper.read(inputs, captures)
        if len(records) > MOST_RECORDS:
            raise BadRecords(f"the extractor gave more than {MOST_RECORDS:,} records for one item")
        return Reading(ReadingState.READ, tuple(_row(record) for record in records))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's code can raise anything; it is told, not hidden
        return judge(error, scraper.card.source)


def judge(error: BaseException, source: str) -> Reading:
    """What an extractor's error means. `source` is its module's path, so that the reason can name the line."""
    if isinstance(error, PageError):
        evidence = error.failure in _EVIDENCE
    else:
        # an author who raises Blocked or SessionExpired while reading says what the page is
        evidence = isinstance(error, VisitError | MemoryError)
    if evidence and isinstance(error, Exception):
        return Reading(ReadingState.NONE, refusal=error)
    return Reading(ReadingState.UNREADABLE, reason=_reason(error, source))


def _row(record: Record) -> Row:
    line = record.__pydantic_serializer__.to_json(record)
    name = type(record).__name__
    if len(line) > LARGEST_ROW:
        raise BadRecords(f"a record of {name} has {len(line):,} bytes; at most {LARGEST_ROW:,} are kept")
    return name, line


def _reason(error: BaseException, source: str) -> str:
    line = _line(error, source)
    told = " ".join(f"{_said(error)}{f' (line {line})' if line else ''}".split())
    return told if len(told) <= _LONGEST_REASON else told[: _LONGEST_REASON - 1] + "…"


def _said(error: BaseException) -> str:
    match error:
        case ValidationError():
            first, *rest = error.errors(include_url=False, include_context=False)
            where = ".".join([error.title, *(str(part) for part in first["loc"])])
            more = f" (and {len(rest)} more)" if rest else ""
            return f"{where}: {first['msg']}, not {_shown(first['input'])}{more}"
        case Absent():
            return "Absent was raised by the extractor; raise it in the scraper, where the site is asked"
        case BadRecords() | PageError():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _line(error: BaseException, source: str) -> int | None:
    """The innermost line of the author's own code, which may lie in a module beside the scraper's."""
    folder = PurePath(source).parent
    own: int | None = None
    for frame, line in walk_tb(error.__traceback__):
        if PurePath(frame.f_code.co_filename).parent == folder:
            own = line
    return own
