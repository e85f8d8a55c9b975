"""One gzip member: the unit in which segments are written, read and, after a crash, judged whole or torn.

ISA-L at its first level costs a sixth of zlib's usual level and packs pages nearly as well. Reading is bounded:
a member that unpacks to more than was promised is damaged or hostile, and is refused before it fills memory.
"""

from typing import Protocol, cast

from isal import igzip_lib

from scrapeyard.model.errors import StorageError

_LEVEL = 1


class _Unpacker(Protocol):
    """What igzip's decompressor is, told to the type checker; its own stubs are half empty."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


class _Pack(Protocol):
    def __call__(self, data: bytes, level: int, flag: int, /) -> bytes: ...


_pack = cast(_Pack, igzip_lib.compress)  # pyright: ignore[reportUnknownMemberType] - igzip's stubs name no type
_Bad = cast(type[Exception], igzip_lib.IsalError)


def _unpacker() -> _Unpacker:
    return cast(_Unpacker, igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP))


def pack(data: bytes) -> bytes:
    """One gzip member with these bytes in it."""
    return _pack(data, _LEVEL, igzip_lib.COMP_GZIP)


def unpack(member: bytes, limit: int, blob: str) -> bytes:
    """What is in exactly one member, at most `limit` bytes of it; its checksum is verified."""
    reader = _unpacker()
    try:
        data = reader.decompress(member, limit + 1)
    except _Bad as error:
        raise damaged(blob, f"it does not unpack: {error}") from error
    if len(data) > limit:
        raise damaged(blob, f"it unpacks to more than {limit} bytes")
    if not reader.eof or reader.unused_data:
        raise damaged(blob, "it is not one whole gzip member")
    return data


def damaged(blob: str, why: str) -> StorageError:
    """The error for bytes that are there but are not what was written."""
    return StorageError(f"An entry of {blob} is damaged ({why}): restore the blob, or redrive the item.", final=True)


class MemberScan:
    """Finds the end of the last whole member in bytes that come piece by piece."""

    def __init__(self, start: int = 0) -> None:
        self.whole = start
        self.torn = False
        self._seen = start
        self._reader = _unpacker()

    def feed(self, piece: bytes) -> bool:
        """Go on with the next piece; False once there is something that is no gzip member."""
        while piece and not self.torn:
            before = len(piece)
            try:
                piece = self._skip(piece)
            except _Bad:
                self.torn = True
                return False
            self._seen += before - len(piece)
            if self._reader.eof:
                self.whole = self._seen
                self._reader = _unpacker()
        return not self.torn

    def _skip(self, piece: bytes) -> bytes:
        """Unpack to nowhere; gives what follows after the member."""
        reader = self._reader
        reader.decompress(piece, 1 << 20)
        while not reader.eof and not reader.needs_input:
            reader.decompress(b"", 1 << 20)
        return reader.unused_data if reader.eof else b""
