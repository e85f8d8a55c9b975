"""One growing segment file: cheap to append to where pages are made, durable in groups.

What is appended waits in a buffer of this process and is handed to the disk by `sync`, in a thread. After a
failed write or sync nobody can tell what the disk holds, so the segment takes nothing more and its owner
begins a new one; what was not acknowledged is a torn tail, to be cut later.
"""

import asyncio
import os
import threading
from collections.abc import Sequence

from scrapeyard.backends.files.tree import Tree
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import StorageError

_BUFFER = 1 << 20
_VECTOR = 512


class FileAppender:
    """The one writer of a file that nobody else appends to."""

    def __init__(self, tree: Tree, parts: Sequence[str]) -> None:
        self.key = "/".join(parts)
        self._tree = tree
        self._order = threading.Lock()  # held while writing, so that pieces reach the file in order
        self._buffer = threading.Lock()  # held for an instant, so that no piece falls between two buffers
        self._waiting: list[bytes] = []
        self._buffered = 0
        self._told = 0
        self._broken: StorageError | None = None
        self._new = True
        self._file: int | None = None
        try:
            with tree.folder(parts[:-1], make=True) as folder:
                flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                self._file = os.open(parts[-1], flags, 0o644, dir_fd=folder)
                self._folder: int | None = os.dup(folder)
        except OSError as error:
            raise tree.trouble(error, self.key) from error

    @property
    def fresh(self) -> bool:
        """Whether nothing was appended yet."""
        return self._told == 0

    def append(self, data: bytes) -> Place:
        if self._broken is not None or self._file is None:
            raise self._ended()
        place = Place(self.key, self._told, len(data))
        with self._buffer:
            self._told += len(data)
            self._waiting.append(data)
            self._buffered += len(data)
        if self._buffered >= _BUFFER:
            self._hand_over()
        return place

    async def sync(self) -> None:
        if self._broken is not None or self._file is None:
            raise self._ended()
        await asyncio.to_thread(self._make_durable)

    async def close(self) -> None:
        if self._file is None:
            return
        try:
            if self._broken is None:
                await asyncio.to_thread(self._make_durable)
        finally:
            self._let_go()

    def _ended(self) -> StorageError:
        if self._broken is not None:
            return StorageError(str(self._broken))
        return StorageError(f"The segment {self.key} has ended: begin a new one.", final=True)

    def _hand_over(self) -> None:
        """Give the buffer to the operating system, in order even when a sync does the same in its thread."""
        with self._order:
            if self._broken is not None or self._file is None:
                raise self._ended()
            with self._buffer:
                pieces, self._waiting = self._waiting, []
                self._buffered = 0
            try:
                _write_all(self._file, pieces)
            except OSError as error:
                raise self._break(error) from error

    def _make_durable(self) -> None:
        self._hand_over()
        assert self._file is not None
        try:
            os.fdatasync(self._file) if hasattr(os, "fdatasync") else os.fsync(self._file)
            if self._new and self._folder is not None:
                os.fsync(self._folder)
                os.close(self._folder)
                self._folder = None
            self._new = False
        except OSError as error:
            raise self._break(error) from error

    def _break(self, error: OSError) -> StorageError:
        trouble = self._tree.trouble(error, self.key)
        self._broken = trouble if isinstance(trouble, StorageError) else StorageError(str(trouble))
        return self._broken

    def _let_go(self) -> None:
        with self._order:
            for opened in (self._file, self._folder):
                if opened is not None:
                    os.close(opened)
            self._file = self._folder = None


def _write_all(file: int, pieces: list[bytes]) -> None:
    start = 0
    while start < len(pieces):
        written = os.writev(file, pieces[start : start + _VECTOR])
        while start < len(pieces) and written >= len(pieces[start]):
            written -= len(pieces[start])
            start += 1
        if written:
            pieces[start] = pieces[start][written:]
