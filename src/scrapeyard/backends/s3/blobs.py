"""Blobs as objects of a bucket, below a prefix.

An object appears whole or not at all, and "only if there is none" is the store's own condition. A request whose answer
was lost is sent again by the library, and would then meet its own object; so each object says who wrote it.
What is too large for one request goes up in parts, which know no such condition, under a name of its own; a copy within
the store, which knows it again, gives it the key.
"""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError, GenericError
from obstore.store import AzureStore, GCSStore, S3Store

from scrapeyard.backends.names import check_prefix, parts_of
from scrapeyard.backends.s3.appending import SpoolingAppender
from scrapeyard.backends.s3.trouble import said, translated
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import Conflict, NotFound, StorageError
from scrapeyard.ports.blobs import BlobStat

if TYPE_CHECKING:
    from obstore import ObjectMeta

Store = S3Store | GCSStore | AzureStore

PART = 16 << 20
"""What is larger goes up in parts of this size."""

_list: Callable[..., "AsyncIterator[Sequence[ObjectMeta]]"] = vars(obstore)["list"]
"""Its own types name a package for Arrow that nobody needs here."""

_PIECE = 1 << 20
_PAGE = 1_000
_WRITER = "writer"


class S3Blobs:
    """A store of blobs in a bucket. `place` is its address as people know it."""

    def __init__(self, store: Store, place: str, *, part: int = PART) -> None:
        self._store = store
        self._place = place
        self._part = part

    async def put(self, key: str, data: bytes, *, replace: bool = False) -> BlobStat:
        parts_of(key)
        with translated(key, self._place):
            if replace:
                await obstore.put_async(self._store, key, data)
            else:
                await self._create(key, data)
        return BlobStat(key, len(data))

    async def _create(self, key: str, data: bytes) -> None:
        writer = secrets.token_hex(8)
        try:
            await obstore.put_async(
                self._store, key, data, mode="create", use_multipart=False, attributes={_WRITER: writer}
            )
        except AlreadyExistsError as error:
            there = await obstore.get_async(self._store, key, options={"head": True})
            if there.attributes.get(_WRITER) != writer:
                raise _taken(key) from error

    async def put_file(self, key: str, path: Path) -> BlobStat:
        parts_of(key)
        try:
            file = await asyncio.to_thread(_opened, path)
        except OSError as error:
            raise StorageError(
                f"The file for {key} cannot be read ({error.strerror}): keep it until it is stored."
            ) from error
        with file, translated(key, self._place):
            size = os.fstat(file.fileno()).st_size
            if size <= self._part:
                await self._create(key, await asyncio.to_thread(file.read))
            else:
                await self._create_in_parts(key, file)
        return BlobStat(key, size)

    async def _create_in_parts(self, key: str, file: IO[bytes]) -> None:
        aside = f"{key}.{secrets.token_hex(8)}.part"
        await obstore.put_async(self._store, aside, file, chunk_size=self._part)
        try:
            await obstore.copy_async(self._store, aside, key, overwrite=False)
        except AlreadyExistsError as error:
            raise _taken(key) from error
        finally:
            await obstore.delete_async(self._store, aside)

    def appender(self, prefix: str, suffix: str) -> SpoolingAppender:
        parts_of(f"{prefix}x{suffix}")
        return SpoolingAppender(prefix, suffix, self._upload)

    async def _upload(self, key: str, file: IO[bytes], size: int) -> None:
        """Store a segment; its key is nobody else's, so it may be sent again and again."""
        whole: IO[bytes] = file if size > self._part else BytesIO(file.read())
        with translated(key, self._place):
            await obstore.put_async(self._store, key, whole, chunk_size=self._part)

    async def read(self, place: Place) -> bytes:
        parts_of(place.blob)
        if place.length == 0:
            if await self.stat(place.blob) is None:
                raise NotFound(f"There is no blob {place.blob}.")
            return b""
        with translated(place.blob, self._place):
            found = await self._range(place)
        if len(found) < place.length:
            raise StorageError(f"The blob {place.blob} ends before the bytes that were asked for.", final=True)
        return found

    async def _range(self, place: Place) -> bytes:
        try:
            got = await obstore.get_range_async(self._store, place.blob, start=place.offset, length=place.length)
        except GenericError as error:
            if said(error) != "InvalidRange":
                raise
            return b""
        return got.to_bytes()

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        parts_of(key)
        with translated(key, self._place):
            known = await obstore.head_async(self._store, key)
            size, tag = known["size"], known["e_tag"]
        # a request of its own for each part, because whoever reads may take longer over one than a request may last
        for start in range(0, size, self._part):
            span = (start, min(start + self._part, size))
            with translated(key, self._place):
                got = await obstore.get_async(self._store, key, options={"range": span, "if_match": tag})
                part = memoryview(await got.bytes_async())
            for at in range(0, len(part), _PIECE):
                yield bytes(part[at : at + _PIECE])

    async def stat(self, key: str) -> BlobStat | None:
        parts_of(key)
        try:
            with translated(key, self._place):
                found = await obstore.head_async(self._store, key)
        except NotFound:
            return None
        return BlobStat(key, found["size"])

    async def walk(self, prefix: str) -> AsyncIterator[BlobStat]:
        """Stores list by folder, and not all of them in the order of keys; so one folder is listed and put in order."""
        folder = "/".join(check_prefix(prefix))
        found: list[BlobStat] = []
        with translated(prefix, self._place):
            async for page in _list(self._store, folder or None, chunk_size=_PAGE):
                found += [BlobStat(one["path"], one["size"]) for one in page if one["path"].startswith(prefix)]
        for one in sorted(found, key=lambda stat: stat.key):
            yield one

    async def cut(self, key: str, size: int) -> None:
        known = await self.stat(key)
        if known is None:
            raise NotFound(f"There is no blob {key}.")
        if known.size > size:
            await self.put(key, await self.read(Place(key, 0, size)), replace=True)

    async def delete(self, key: str) -> None:
        parts_of(key)
        try:
            with translated(key, self._place):
                await obstore.delete_async(self._store, key)
        except NotFound:
            return

    async def link(self, key: str, *, seconds: float) -> str | None:
        parts_of(key)
        with translated(key, self._place):
            return await obstore.sign_async(self._store, "GET", key, timedelta(seconds=seconds))

    async def close(self) -> None:
        """The library holds its connections for the whole process."""


def _opened(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")


def _taken(key: str) -> Conflict:
    return Conflict(f"The blob {key} exists already: choose another key.")
