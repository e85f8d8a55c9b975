"""Open a list, whatever it is wrapped in, and tell its format from its first bytes rather than from its name.

Names lie: a `.csv` may be a gzip of a workbook. What unpacks is bounded, since a small file can unpack to a full disk.
"""

import io
import os
import stat
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from isal import igzip, isal_zlib

from scrapeyard.controller.intake.options import IntakeLimits
from scrapeyard.model.errors import BadInput, NotFound

_IsalError = cast("type[Exception]", isal_zlib.error)
_BLOCK = 1 << 18
_PEEK = 4_096
_MOST_RATIO = 250
_RATIO_FROM = 8 << 20
"""Bytes from which on the ratio counts; a short list of equal rows may well be packed tighter."""


class Format(StrEnum):
    """What a list can be."""

    DELIMITED = "csv"
    JSON_LINES = "jsonl"
    JSON_ARRAY = "json"
    PARQUET = "parquet"
    SHEET = "xlsx"


class Counted(io.RawIOBase):
    """Bytes of a source, counted. With `packed`, they are what that one unpacks to, and limited."""

    def __init__(self, source: BinaryIO, packed: "Counted | None" = None, limit: int = 0) -> None:
        self._source = source
        self._packed = packed
        self._limit = limit
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, into: "bytearray | memoryview") -> int:  # type: ignore[override] - narrower than the library's
        try:
            block = self._source.read(len(into))
        except (EOFError, igzip.BadGzipFile, _IsalError) as error:
            raise BadInput(f"The list cannot be unpacked: {error}; fetch it or compress it again.") from error
        except OSError as error:
            raise BadInput(f"The list cannot be read to its end: {error.strerror or error}.") from error
        self.count += len(block)
        if self._packed is not None:
            self._guard(self._packed.count)
        into[: len(block)] = block
        return len(block)

    def _guard(self, packed: int) -> None:
        if self.count > self._limit or self.count > max(_RATIO_FROM, packed * _MOST_RATIO):
            raise BadInput(
                f"The list unpacks to more than {self.count >> 20:,} MiB, which is more than is taken of its size: "
                "split it, or give it unpacked."
            )


class Opened(NamedTuple):
    """An open list: `read` counts the bytes of its file, of which there are `total` where that is known."""

    format: Format
    stream: BinaryIO
    read: Counted
    total: int | None


@contextmanager
def opened(source: Path | None, limits: IntakeLimits) -> Generator[Opened]:
    """The format and the unpacked bytes of a list; `None` is standard input. Tables that need seeking can seek."""
    with _raw(source) as raw:
        read = Counted(raw)
        start = io.BufferedReader(read, _BLOCK)
        if start.peek(2)[:2] == b"\x1f\x8b":
            unpacked = Counted(cast("BinaryIO", igzip.IGzipFile(fileobj=start, mode="rb")), read, limits.decoded)
            stream = io.BufferedReader(unpacked, _BLOCK)
        else:
            stream = start
        kind, total = _format(stream.peek(_PEEK)[:_PEEK]), _size(raw)
        if kind in {Format.PARQUET, Format.SHEET}:
            with _seekable(cast("BinaryIO", stream), limits.sheet) as file:
                yield Opened(kind, file, read, total)
        else:
            yield Opened(kind, cast("BinaryIO", stream), read, total)


@contextmanager
def _raw(source: Path | None) -> Generator[BinaryIO]:
    if source is None:
        yield sys.stdin.buffer
        return
    try:
        file = source.open("rb")
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {str(source)!r}; check the path, or give - for standard input.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{str(source)!r} cannot be read: {reason}.") from error
    with file:
        yield file


def _size(raw: BinaryIO) -> int | None:
    try:
        status = os.fstat(raw.fileno())
    except (OSError, ValueError):  # standard input that is no file of the system
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


@contextmanager
def _seekable(stream: BinaryIO, most: int) -> Generator[BinaryIO]:
    with tempfile.TemporaryFile() as file:
        size = 0
        while block := stream.read(_BLOCK):
            size += len(block)
            if size > most:
                raise BadInput(f"A table of more than {most >> 20:,} MiB is not taken: save it as CSV.")
            file.write(block)
        file.seek(0)
        yield cast("BinaryIO", file)


def _format(start: bytes) -> Format:
    if start[:4] == b"PAR1":
        return Format.PARQUET
    if start[:4] == b"PK\x03\x04":
        return Format.SHEET
    if start[:4] == b"\xd0\xcf\x11\xe0":
        raise BadInput("The list is a workbook of the old format, or has a password: save it as .xlsx or CSV.")
    if not start:
        raise BadInput("The list is empty; give it a header line and at least one row.")
    if b"\x00" in start and start[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
        raise BadInput("The list is neither CSV, JSON lines, Parquet nor a workbook: save it as one of these.")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"{":
        return Format.JSON_LINES
    if text[:1] == b"[":
        return Format.JSON_ARRAY
    return Format.DELIMITED
