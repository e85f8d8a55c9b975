"""A case on disk: the inputs of one item, every page that its visit saw, and what should come of it.

It is made to be read and reviewed: plain JSON, and pages as files that a browser opens. A folder looks like this:

    cases/us.ca.alameda.assessment/001-0001-001/
        inputs.json      {"parcel_id": "001-0001-001"}
        expected.json    the outcome, and the records by model
        pages.json       the conversation and the captures, each naming a file below
        pages/01.html    …

Page files are named by number, never after what a site or a list said.
"""

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import orjson

from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import BadInput
from scrapeyard.testing.exchanges import Exchange, redacted, redacted_url

LARGEST_PAGE = 64 << 20
LARGEST_INDEX = 8 << 20
_FORMAT = 1
_FILE = re.compile(r"[0-9]{2,4}\.[a-z0-9]{1,5}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ENDINGS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/json": "json",
    "application/pdf": "pdf",
    "text/plain": "txt",
    "text/xml": "xml",
    "application/xml": "xml",
    "image/png": "png",
    "image/jpeg": "jpg",
}


class Expected(msgspec.Struct, frozen=True, omit_defaults=True):
    """What should come of a case. Records are grouped by model, in the order in which the extractor gives them."""

    outcome: str
    kind: str | None = None
    records: dict[str, list[dict[str, Any]]] = {}


class Case(msgspec.Struct, frozen=True):
    """One case. `asked` is the conversation in full, which replays the visit; `kept` are the captures it gave."""

    name: str
    scraper: str
    inputs: dict[str, Any]
    expected: Expected
    asked: tuple[Exchange, ...] = ()
    kept: tuple[Kept, ...] = ()
    folder: Path = Path()

    def __str__(self) -> str:
        return f"{self.scraper}/{self.name}"


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One page in the index: an answer of the conversation, or a capture if it has a name."""

    url: str
    status: int
    file: str = ""
    method: str = "GET"
    sent: str = ""
    name: str = ""
    content_type: str = ""
    fetched: str = ""
    headers: list[tuple[str, str]] = []


class _Index(msgspec.Struct, frozen=True):
    format: int
    scraper: str
    conversation: list[_Line]
    captures: list[_Line]


def write_case(case: Case, folder: Path) -> None:
    """Write a case into a folder of its own, replacing what an earlier recording left there."""
    pages = folder / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    for old in pages.iterdir():
        if _FILE.fullmatch(old.name):
            old.unlink()
    files: dict[bytes, str] = {}

    def file_for(body: bytes, content_type: str) -> str:
        if body and body not in files:
            ending = _ENDINGS.get(content_type.partition(";")[0].strip().lower(), "bin")
            files[body] = f"{len(files) + 1:02d}.{ending}"
            (pages / files[body]).write_bytes(body)
        return files.get(body, "")

    conversation = [_said(one, file_for(one.body, _type_of(one))) for one in case.asked]
    captures = [_kept(one, file_for(_body(one), one.content_type)) for one in case.kept]
    _write(folder / "pages.json", _Index(_FORMAT, case.scraper, conversation, captures))
    _write(folder / "inputs.json", case.inputs)
    _write(folder / "expected.json", case.expected)


def read_case(folder: Path) -> Case:
    """Read a case. `BadInput` says what is wrong with its files."""
    index = _read(folder / "pages.json", _Index)
    if index.format != _FORMAT:
        raise BadInput(
            f"{folder / 'pages.json'} is of format {index.format}, which this version does not know; record it again."
        )
    return Case(
        name=folder.name,
        scraper=index.scraper,
        inputs=_read(folder / "inputs.json", dict[str, Any]),
        expected=_read(folder / "expected.json", Expected),
        asked=tuple(
            Exchange(line.method, line.url, line.status, tuple(line.headers), _page(folder, line.file), line.sent)
            for line in index.conversation
        ),
        kept=tuple(_capture(folder, line) for line in index.captures),
        folder=folder,
    )


def find_cases(folder: Path, scraper: str | None = None) -> Iterator[Path]:
    """The folders of all cases below a folder named `cases`, of one scraper or of all, in order of name."""
    if not folder.is_dir():
        return
    for home in sorted(folder.iterdir()):
        if home.is_dir() and (scraper is None or home.name == folder_name(scraper)):
            yield from sorted(one for one in home.iterdir() if (one / "pages.json").is_file())


def folder_name(text: str) -> str:
    """A folder's name for a scraper or an item's key: only harmless characters, told apart by a digest if need be."""
    kept = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "-" for sign in text[:60])
    name = kept.strip(".-_")
    if name == text:
        return name
    return f"{name}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}".lstrip("-")


def case_name(text: str) -> str:
    """A name that can be a folder's; `BadInput` if it cannot."""
    if not _NAME.fullmatch(text) or text.endswith("."):
        raise BadInput(f"{text[:100]!r} is no name for a case; take letters, digits, dots and dashes (--name).")
    return text


def _said(one: Exchange, file: str) -> _Line:
    return _Line(
        redacted_url(one.url), one.status, file, one.method, sent=one.sent, headers=list(redacted(one.headers))
    )


def _kept(one: Kept, file: str) -> _Line:
    return _Line(
        redacted_url(one.url),
        one.status,
        file,
        one.method,
        name=one.name,
        content_type=one.content_type,
        fetched=datetime.fromtimestamp(one.fetched, UTC).isoformat(timespec="seconds"),
        headers=list(redacted(one.headers)),
    )


def _capture(folder: Path, line: _Line) -> Kept:
    try:
        fetched = datetime.fromisoformat(line.fetched).timestamp()
    except ValueError as error:
        raise BadInput(f"{folder / 'pages.json'}: {line.fetched[:40]!r} is not a time.") from error
    body = _page(folder, line.file)
    return Kept(
        line.name, line.url, line.status, tuple(line.headers), line.content_type, fetched, body, method=line.method
    )


def _page(folder: Path, file: str) -> bytes:
    if not file:
        return b""
    if not _FILE.fullmatch(file):
        raise BadInput(f"{folder / 'pages.json'} names {file[:60]!r}, which is no page of the case.")
    return _bytes(folder / "pages" / file, LARGEST_PAGE)


def _bytes(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(most + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); record the case again.") from error
    if len(body) > most:
        raise BadInput(f"{path} is larger than {most >> 20} MiB; that is no page of a case.")
    return body


def _read(path: Path, kind: Any) -> Any:
    try:
        return msgspec.json.decode(_bytes(path, LARGEST_INDEX), type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not as it should be ({str(error)[:200]}); record the case again.") from error


def _write(path: Path, what: object) -> None:
    text = orjson.dumps(msgspec.to_builtins(what), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    path.write_bytes(text)


def _body(one: Kept) -> bytes:
    return one.body if one.path is None else one.path.read_bytes()


def _type_of(one: Exchange) -> str:
    return next((value for name, value in one.headers if name.lower() == "content-type"), "")
