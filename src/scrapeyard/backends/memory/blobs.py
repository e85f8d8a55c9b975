"""Blobs in this process's memory. What was appended can be read only after a sync, as on every other store."""

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

from scrapeyard.backends.names import check_prefix, parts_of
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import Conflict, NotFound, StorageError
from scrapeyard.ports.blobs import BlobStat

_PIECE = 1 << 20


class MemoryAppender:
    """A growing segment whose unsynced tail nobody sees."""

    def __init__(self, store: dict[str, bytearray], key: str) -> None:
        self._store = store
        self._key = key
        self._told = 0
        self._tail: list[bytes] = []
        self._closed = False
        store[key] = bytearray()

    @property
    def fresh(self) -> bool:
        """Whether nothing was appended yet."""
        return self._told == 0

    def append(self, data: bytes) -> Place:
        if self._closed:
            raise StorageError(f"The segment {self._key} has ended: begin a new one.", final=True)
        place = Place(self._key, self._told, len(data))
        self._tail.append(data)
        self._told += len(data)
        return place

    async def sync(self) -> None:
        if self._key not in self._store:
            raise StorageError(
                f"The segment {self._key} was deleted while it was written: begin a new one.", final=True
            )
        self._store[self._key] += b"".join(self._tail)
        self._tail.clear()

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self.sync()


class MemoryBlobs:
    """A dictionary of blobs."""

    def __init__(self) -> None:
        self._store: dict[str, bytearray] = {}
        self._numbers = count()

    async def put(self, key: str, data: bytes, *, replace: bool = False) -> BlobStat:
        parts_of(key)
        if key in self._store and not replace:
            raise Conflict(f"The blob {key} exists already: choose another key.")
        self._store[key] = bytearray(data)
        return BlobStat(key, len(data))

    async def put_file(self, key: str, path: Path) -> BlobStat:
        parts_of(key)
        try:
            data = await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            raise StorageError(
                f"The file for {key} cannot be read ({error.strerror}): keep it until it is stored."
            ) from error
        return await self.put(key, data)

    def appender(self, prefix: str, suffix: str) -> MemoryAppender:
        key = f"{prefix}{next(self._numbers):08x}{suffix}"
        parts_of(key)
        return MemoryAppender(self._store, key)

    async def read(self, place: Place) -> bytes:
        parts_of(place.blob)
        found = bytes(self._blob(place.blob)[place.offset : place.offset + place.length])
        if len(found) < place.length:
            raise StorageError(f"The blob {place.blob} ends before the bytes that were asked for.", final=True)
        return found

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        parts_of(key)
        blob = self._blob(key)
        for start in range(0, len(blob), _PIECE):
            yield bytes(blob[start : start + _PIECE])

    async def stat(self, key: str) -> BlobStat | None:
        parts_of(key)
        blob = self._store.get(key)
        return None if blob is None else BlobStat(key, len(blob))

    async def walk(self, prefix: str) -> AsyncIterator[BlobStat]:
        check_prefix(prefix)
        for key in sorted(key for key in self._store if key.startswith(prefix)):
            if key in self._store:
                yield BlobStat(key, len(self._store[key]))

    async def cut(self, key: str, size: int) -> None:
        parts_of(key)
        del self._blob(key)[size:]

    async def delete(self, key: str) -> None:
        parts_of(key)
        self._store.pop(key, None)

    async def link(self, key: str, *, seconds: float) -> str | None:  # noqa: ARG002 - the port's words
        """Memory has no address."""
        parts_of(key)
        return None

    async def close(self) -> None:
        """Nothing to let go of; the blobs stay as long as this object."""

    def _blob(self, key: str) -> bytearray:
        blob = self._store.get(key)
        if blob is None:
            raise NotFound(f"There is no blob {key}.")
        return blob
