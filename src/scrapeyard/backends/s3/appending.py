"""A growing segment where nothing can be appended to what is stored.

What is appended waits in a spool of this process, in memory and beyond a size in a file; `sync` uploads it as a blob
and the next entry begins another one. So a sync costs a request, and a worker should sync in larger groups here.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from tempfile import SpooledTemporaryFile
from typing import IO

from scrapeyard.model.capture import Place
from scrapeyard.model.errors import StorageError

Upload = Callable[[str, IO[bytes], int], Awaitable[None]]

_IN_MEMORY = 16 << 20


class _Spool:
    """What will be one blob."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - lives until it is uploaded
        self.size = 0

    def append(self, data: bytes) -> Place:
        place = Place(self.key, self.size, len(data))
        self.file.write(data)
        self.size += len(data)
        return place


class SpoolingAppender:
    """The one writer of a series of blobs that share a prefix."""

    def __init__(self, prefix: str, suffix: str, upload: Upload) -> None:
        self._prefix = prefix
        self._suffix = suffix
        self._upload = upload
        self._order = asyncio.Lock()
        self._spool: _Spool | None = None
        self._leaving: _Spool | None = None
        self._broken: StorageError | None = None
        self._closed = False

    @property
    def fresh(self) -> bool:
        """Whether the next entry will be the first of its blob."""
        return self._spool is None

    def append(self, data: bytes) -> Place:
        if self._broken is not None:
            raise StorageError(str(self._broken))
        if self._closed:
            raise StorageError(f"The segment {self._prefix} has ended: begin a new one.", final=True)
        spool = self._spool
        if spool is None:
            spool = self._spool = _Spool(f"{self._prefix}{secrets.token_hex(8)}{self._suffix}")
        try:
            return spool.append(data)
        except OSError as error:
            self._broken = StorageError(
                f"A segment cannot be put aside until it is uploaded ({error.strerror}): make room in the folder for "
                "temporary files."
            )
            raise self._broken from error

    async def sync(self) -> None:
        async with self._order:
            if self._broken is not None:
                raise StorageError(str(self._broken))
            if self._leaving is not None:  # an upload that was called off
                await self._send(self._leaving)
            if self._spool is not None:
                self._leaving, self._spool = self._spool, None
                await self._send(self._leaving)

    async def _send(self, spool: _Spool) -> None:
        try:
            spool.file.seek(0)
            await self._upload(spool.key, spool.file, spool.size)
        except StorageError as error:
            self._broken = error
            self._drop()
            raise
        spool.file.close()
        self._leaving = None

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if self._broken is None:
                await self.sync()
        finally:
            self._drop()

    def _drop(self) -> None:
        """Nothing more will come of what is still here."""
        for spool in (self._leaving, self._spool):
            if spool is not None:
                spool.file.close()
        self._leaving = self._spool = None
