"""Bytes under keys: segments, files, manifests. Keys are ours alone and never made from a stranger's input.

A segment grows by appending. Where the store cannot append (object stores), a backend spools and uploads at
each `sync`, beginning a new blob; therefore the place of what was appended is told by `append` itself.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import msgspec

from scrapeyard.model.capture import Place


class BlobStat(msgspec.Struct, frozen=True):
    """What is known of a blob without reading it."""

    key: str
    size: int


class Appender(Protocol):
    """One writer of one growing segment. Blocking and cheap, so that it can be used where pages are made."""

    @property
    def fresh(self) -> bool:
        """Whether the next bytes will be the first of a blob."""
        ...

    def append(self, data: bytes) -> Place:
        """Add bytes and say where they will lie. Durable only after `sync`."""
        ...

    async def sync(self) -> None:
        """Make everything appended so far durable and readable at the places that were told."""
        ...

    async def close(self) -> None:
        """Sync and end the segment."""
        ...


class Blobs(Protocol):
    """A store of blobs. Missing keys raise `NotFound`; taken keys raise `Conflict`; failures raise `StorageError`."""

    async def put(self, key: str, data: bytes, *, replace: bool = False) -> BlobStat:
        """Store bytes, durable when it returns. A key that exists is refused unless `replace`."""
        ...

    async def put_file(self, key: str, path: Path) -> BlobStat:
        """Store a local file, which may be moved away in doing so. A key that exists is refused."""
        ...

    def appender(self, prefix: str, suffix: str) -> Appender:
        """Begin a new segment whose key starts with `prefix`, ends with `suffix` and is nobody else's."""
        ...

    async def read(self, place: Place) -> bytes:
        """The bytes at a place, in one range read. `StorageError` when the blob is shorter than that."""
        ...

    def stream(self, key: str) -> AsyncIterator[bytes]:
        """A whole blob in pieces."""
        ...

    async def stat(self, key: str) -> BlobStat | None:
        """Size of a blob, or None."""
        ...

    def walk(self, prefix: str) -> AsyncIterator[BlobStat]:
        """All blobs whose key starts with `prefix`, in order of key."""
        ...

    async def cut(self, key: str, size: int) -> None:
        """Shorten a segment whose writer is gone to `size` bytes; a store without torn tails may do nothing."""
        ...

    async def delete(self, key: str) -> None:
        """Remove a blob; a missing one is no error."""
        ...

    async def link(self, key: str, *, seconds: float) -> str | None:
        """An address from which anybody may fetch the blob for so long; None where the store gives none."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
