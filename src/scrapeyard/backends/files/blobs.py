"""Blobs as files: a key is a path below the root, written whole or not at all.

A blob is written to a hidden file beside its place, made durable, and only then linked to its name, so no
reader ever meets half of one and two writers of the same key cannot both succeed.
"""

import asyncio
import errno
import os
import secrets
import stat as modes
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

from scrapeyard.backends.files.appending import FileAppender
from scrapeyard.backends.files.tree import Tree
from scrapeyard.backends.names import check_prefix, parts_of
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import Conflict, NotFound, StorageError
from scrapeyard.ports.blobs import BlobStat

Result = TypeVar("Result")

_PIECE = 1 << 20
_READ = os.O_RDONLY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class FileBlobs:
    """A store of blobs below `root`, which is made when it is first written to."""

    def __init__(self, root: Path) -> None:
        self._tree = Tree(root)

    async def put(self, key: str, data: bytes, *, replace: bool = False) -> BlobStat:
        parts = parts_of(key)

        def work() -> BlobStat:
            with self._tree.folder(parts[:-1], make=True) as folder:
                hidden = _hidden()
                try:
                    _write_new(folder, hidden, data)
                    _name(folder, hidden, parts[-1], replace=replace)
                finally:
                    _drop(folder, hidden)
                os.fsync(folder)
            return BlobStat(key, len(data))

        return await self._in_thread(work, key)

    async def put_file(self, key: str, path: Path) -> BlobStat:
        parts = parts_of(key)

        def work() -> BlobStat:
            try:
                source = os.open(path, _READ | os.O_NOFOLLOW | os.O_CLOEXEC)
            except OSError as error:
                raise StorageError(
                    f"The file for {key} cannot be read ({error.strerror}): keep it until it is stored."
                ) from error
            try:
                return self._adopt(parts, path, source)
            finally:
                os.close(source)

        return await self._in_thread(work, key)

    def _adopt(self, parts: tuple[str, ...], path: Path, source: int) -> BlobStat:
        """Link the file in place; on another disk, copy it."""
        size = os.fstat(source).st_size
        with self._tree.folder(parts[:-1], make=True) as folder:
            hidden = _hidden()
            try:
                try:
                    os.fsync(source)
                    os.link(path, hidden, dst_dir_fd=folder, follow_symlinks=False)
                except OSError as error:
                    if error.errno not in (errno.EXDEV, errno.EPERM, errno.EACCES):
                        raise
                    _copy(source, folder, hidden)
                _name(folder, hidden, parts[-1], replace=False)
            finally:
                _drop(folder, hidden)
            os.fsync(folder)
        path.unlink(missing_ok=True)
        return BlobStat("/".join(parts), size)

    def appender(self, prefix: str, suffix: str) -> FileAppender:
        return FileAppender(self._tree, parts_of(f"{prefix}{secrets.token_hex(8)}{suffix}"))

    async def read(self, place: Place) -> bytes:
        parts = parts_of(place.blob)

        def work() -> bytes:
            with self._tree.file(parts, _READ) as file:
                found = os.pread(file, place.length, place.offset)
                while len(found) < place.length:
                    more = os.pread(file, place.length - len(found), place.offset + len(found))
                    if not more:
                        raise StorageError(
                            f"{place.blob} ends before byte {place.offset + place.length}: its tail was lost or cut "
                            "outside Scrapeyard; restore the file, or redrive the item.",
                            final=True,
                        )
                    found += more
                return found

        return await self._in_thread(work, place.blob)

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        parts = parts_of(key)
        file = await self._in_thread(lambda: self._open(parts), key)
        try:
            offset = 0
            while piece := await self._in_thread(lambda at=offset: os.pread(file, _PIECE, at), key):
                yield piece
                offset += len(piece)
        finally:
            os.close(file)

    def _open(self, parts: tuple[str, ...]) -> int:
        with self._tree.file(parts, _READ) as file:
            return os.dup(file)

    async def stat(self, key: str) -> BlobStat | None:
        parts = parts_of(key)

        def work() -> BlobStat:
            with self._tree.file(parts, _READ) as file:
                return BlobStat(key, os.fstat(file).st_size)

        try:
            return await self._in_thread(work, key)
        except NotFound:
            return None

    async def walk(self, prefix: str) -> AsyncIterator[BlobStat]:
        pending: list[tuple[tuple[str, ...], int | None]] = [(check_prefix(prefix), None)]
        while pending:
            parts, size = pending.pop()
            key = "/".join(parts)
            if size is not None:
                yield BlobStat(key, size)
                continue
            listed = await self._in_thread(lambda at=parts: self._list(at), prefix)
            pending.extend(
                ((*parts, name), size) for name, size in reversed(listed) if "/".join((*parts, name)).startswith(prefix)
            )

    def _list(self, folder: tuple[str, ...]) -> list[tuple[str, int | None]]:
        """Names below a folder in the order of their keys; no size stands for a folder."""
        found: list[tuple[str, int | None]] = []
        try:
            with self._tree.folder(folder) as opened, os.scandir(opened) as entries:
                for entry in entries:
                    mode = entry.stat(follow_symlinks=False)
                    if not entry.name.startswith(".") and modes.S_ISDIR(mode.st_mode):
                        found.append((entry.name, None))
                    elif not entry.name.startswith(".") and modes.S_ISREG(mode.st_mode):
                        found.append((entry.name, mode.st_size))
        except FileNotFoundError:
            return []
        return sorted(found, key=lambda one: one[0] if one[1] is not None else f"{one[0]}/")

    async def cut(self, key: str, size: int) -> None:
        parts = parts_of(key)

        def work() -> None:
            with self._tree.file(parts, os.O_RDWR) as file:
                if os.fstat(file).st_size > size:
                    os.ftruncate(file, size)
                    os.fsync(file)

        await self._in_thread(work, key)

    async def delete(self, key: str) -> None:
        parts = parts_of(key)

        def work() -> None:
            with self._tree.folder(parts[:-1]) as folder:
                _drop(folder, parts[-1])
                os.fsync(folder)

        try:
            await self._in_thread(work, key)
        except NotFound:
            return

    async def link(self, key: str, *, seconds: float) -> str | None:  # noqa: ARG002 - the port's words
        """A disk has no address that others could use."""
        parts_of(key)
        return None

    async def close(self) -> None:
        """Nothing is held open between calls."""

    async def _in_thread(self, work: Callable[[], Result], key: str) -> Result:
        try:
            return await asyncio.to_thread(work)
        except OSError as error:
            raise self._tree.trouble(error, key) from error


def _hidden() -> str:
    return f".new-{secrets.token_hex(8)}"


def _write_new(folder: int, name: str, data: bytes) -> None:
    with os.fdopen(os.open(name, _NEW, 0o644, dir_fd=folder), "wb", buffering=0) as file:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
        os.fsync(file.fileno())


def _copy(source: int, folder: int, name: str) -> None:
    with os.fdopen(os.open(name, _NEW, 0o644, dir_fd=folder), "wb") as file:
        offset = 0
        while piece := os.pread(source, _PIECE, offset):
            file.write(piece)
            offset += len(piece)
        file.flush()
        os.fsync(file.fileno())


def _name(folder: int, hidden: str, name: str, *, replace: bool) -> None:
    if replace:
        os.replace(hidden, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        os.link(hidden, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError as error:
        raise Conflict(f"The blob {name} exists already: choose another key.") from error


def _drop(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
