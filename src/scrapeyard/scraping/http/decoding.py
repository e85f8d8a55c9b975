"""Content-Encoding undone in bounded steps.

A kilobyte can unpack to a gigabyte. Every decoder here gives its output in pieces of known size, so whoever reads
can stop at a limit before the memory is spent, and says at the end whether the body was complete.
"""

import zlib
from collections.abc import Iterator
from typing import Any, Final, Protocol

import brotli
import zstandard
from isal import isal_zlib

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind

PIECE: Final = 64 << 10
"""Bytes of output in one step, about. Larger ones leave holes in the heap that add up to a fifth of a body."""
_SLICE: Final = 128
"""Bytes of zstd input in one step: four of them can stand for a block of 128 KiB."""
_WINDOW: Final = 8 << 20
"""The largest zstd window that HTTP allows."""
_BROTLI: Any = brotli  # neither ships types that say enough
_ISAL: Any = isal_zlib
_DAMAGED: Final[tuple[type[Exception], ...]] = (zlib.error, _ISAL.error)
_IGNORED: Final = frozenset({"", "identity"})
_UNREADABLE: Final = frozenset({"compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"})


class Decoder(Protocol):
    """Takes an encoded body apart, chunk by chunk."""

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """The output for one more chunk. Stop iterating and no further output is made."""
        ...

    @property
    def complete(self) -> bool:
        """Whether the encoded body has come to its own end."""
        ...


def decoder_for(encoding: str, where: str) -> Decoder | None:
    """A decoder for a Content-Encoding; None if the body is to be taken as it is.

    Unknown words are taken as no encoding, as browsers do; more than one layer is refused, for nobody needs it but
    a bomb.
    """
    layers = [layer for layer in map(str.strip, encoding.lower().split(",")) if layer not in _IGNORED]
    if not layers:
        return None
    if len(layers) > 1:
        raise VisitError(f"The body of {where} is encoded {len(layers)} times over; it is refused.", kind=Kind.BAD_BODY)
    match layers[0]:
        case "gzip" | "x-gzip":
            return _Deflate(where, _GZIP)
        case "deflate":
            return _Deflate(where, None)
        case "br":
            return _Brotli(where)
        case "zstd":
            return _Zstd(where)
        case unreadable if unreadable in _UNREADABLE:
            raise VisitError(f"The body of {where} is encoded as {unreadable}, which is not read.", kind=Kind.BAD_BODY)
        case _:
            return None


_GZIP: Final = 31
_ZLIB: Final = 15
_RAW: Final = -15


class _Deflate:
    """gzip with any number of members, and deflate with or without its zlib header. Bytes after the end are ignored."""

    def __init__(self, where: str, wrapping: int | None) -> None:
        self._where = where
        self._wrapping = wrapping
        self._ahead: bytes = b""
        self._stream: Any = None if wrapping is None else _ISAL.decompressobj(wrapping)
        self.complete = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        chunk = self._ahead + chunk
        if self._stream is None:
            if len(chunk) < 2:
                self._ahead = chunk
                return
            self._wrapping = _ZLIB if chunk[0] & 15 == 8 and (chunk[0] << 8 | chunk[1]) % 31 == 0 else _RAW
            self._stream = _ISAL.decompressobj(self._wrapping)
            self._ahead = b""
        while True:
            if self.complete and not self._another_member(chunk):
                return
            try:
                piece: bytes = self._stream.decompress(chunk, PIECE)
            except _DAMAGED as error:
                raise _broken(self._where) from error
            if piece:
                yield piece
            self.complete = self._stream.eof
            chunk = self._stream.unused_data if self.complete else self._stream.unconsumed_tail
            if not chunk and len(piece) < PIECE:
                return

    def _another_member(self, chunk: bytes) -> bool:
        self._ahead = b""
        if self._wrapping != _GZIP or not chunk:
            return False
        if len(chunk) < 2 and chunk[0] == 0x1F:
            self._ahead = chunk
            return False
        if chunk[:2] != b"\x1f\x8b":
            return False
        self._stream = _ISAL.decompressobj(_GZIP)
        self.complete = False
        return True


class _Brotli:
    def __init__(self, where: str) -> None:
        self._where = where
        self._stream = _BROTLI.Decompressor()

    @property
    def complete(self) -> bool:
        return bool(self._stream.is_finished())

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        try:
            if self._stream.is_finished():
                return
            piece = self._stream.process(chunk, output_buffer_limit=PIECE)
            while piece or not self._stream.can_accept_more_data():
                yield piece
                if self._stream.is_finished():
                    return
                piece = self._stream.process(b"", output_buffer_limit=PIECE)
        except _BROTLI.error as error:
            raise _broken(self._where) from error


class _Zstd:
    """zstd with any number of frames."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._context = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        self._stream = self._context.decompressobj()
        self.complete = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        view = memoryview(chunk)
        at = 0
        while at < len(view):
            if self.complete:
                self._stream = self._context.decompressobj()
                self.complete = False
            part = view[at : at + _SLICE]
            at += len(part)
            try:
                piece = self._stream.decompress(part)
            except zstandard.ZstdError as error:
                raise _broken(self._where) from error
            if piece:
                yield piece
            self.complete = self._stream.eof
            if self.complete:
                at -= len(self._stream.unused_data)


def _broken(where: str) -> VisitError:
    return VisitError(f"The body of {where} cannot be decoded as its headers promise.", kind=Kind.BAD_BODY)
