"""Opening files below one root, and nowhere else.

A path that is checked first and opened later can be bent in between by a planted link. So a key is walked down
folder by folder, each opened relative to the one before and never through a link: what is opened lies below
the root, whatever anybody does to the tree meanwhile.
"""

import errno
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scrapeyard.model.errors import NotFound, ScrapeyardError, StorageError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_LINKS = frozenset({errno.ELOOP, errno.ENOTDIR})


class Tree:
    """One root folder, made at the first writing."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def folder(self, parts: Sequence[str], *, make: bool = False) -> Generator[int]:
        """An open descriptor of a folder below the root."""
        if make:
            self.root.mkdir(parents=True, exist_ok=True)
        here = os.open(self.root, _FOLDER)
        try:
            for part in parts:
                deeper = _step(here, part, make=make)
                os.close(here)
                here = deeper
            yield here
        finally:
            os.close(here)

    @contextmanager
    def file(self, parts: Sequence[str], flags: int) -> Generator[int]:
        """An open descriptor of an existing file below the root."""
        with self.folder(parts[:-1]) as folder:
            opened = os.open(parts[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            yield opened
        finally:
            os.close(opened)

    def trouble(self, error: OSError, key: str) -> ScrapeyardError:
        """What an error of the disk means for whoever asked for `key`."""
        if error.errno == errno.ENOENT:
            return NotFound(f"There is no blob {key}.")
        if error.errno in _FULL:
            return StorageError(f"The disk that holds {self.root} is full: make room there, then go on.")
        if error.errno in _LINKS:
            return StorageError(
                f"Something in the path of {key} below {self.root} is a link or no folder: remove it.", final=True
            )
        return StorageError(
            f"{key} below {self.root} cannot be used ({error.strerror}): check the disk and its rights."
        )


def _step(here: int, part: str, *, make: bool) -> int:
    try:
        return os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(part, dir_fd=here)
    except FileExistsError:
        pass  # another writer was quicker, which is as good
    else:
        os.fsync(here)
    return os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
