"""What a visit keeps, and where it lies.

A `Kept` is in memory, on its way into a segment; a `Capture` is what the ledger remembers of it. Captures
are found again by place, never by a name made from an item's key, because keys are a stranger's input.
"""

from pathlib import Path

import msgspec


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Bytes within a blob: one range read."""

    blob: str
    offset: int
    length: int


class Kept(msgspec.Struct, frozen=True):
    """One page or file as a visit brought it home. A large download is a `path` instead of a `body`."""

    name: str
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    content_type: str
    fetched: float
    body: bytes = b""
    path: Path | None = None
    method: str = "GET"


class Capture(msgspec.Struct, frozen=True, array_like=True):
    """One kept page or file, as the ledger remembers it. `sha256` and `size` are of the body as served, decoded."""

    name: str
    place: Place
    sha256: str
    size: int
    url: str
    status: int
    content_type: str
    fetched: float


class RecordBatch(msgspec.Struct, frozen=True, array_like=True):
    """One item's records: lines `start … start+size` of the text inside the gzip member at `place`.

    Records of many items share a member, because small rows compress badly alone.
    """

    place: Place
    start: int
    size: int
    counts: dict[str, int]
