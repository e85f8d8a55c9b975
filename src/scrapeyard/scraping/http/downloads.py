"""Files on their way in: small ones in memory, large ones straight to disk, and none that is not what it should be.

Instead of a bill many a site sends a page that says why there is none, with status 200 and the type of a PDF. So a
file is judged by how it begins, and what fails that is handed back as the page it is.
"""

import os
import shutil
from contextlib import aclosing, suppress
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from scrapeyard.model.failures import Kind
from scrapeyard.pages.errors import PageError, cut
from scrapeyard.pages.files import File
from scrapeyard.scraping.http.exchange import Arrival, Common
from scrapeyard.scraping.http.troubles import shown

IN_MEMORY: Final = 1 << 20
"""Bytes of a file that need no disk."""
_HEAD: Final = 1024
"""How much of a file is looked at. A PDF may have bytes before its mark."""

_BEGINNINGS: Final[dict[str, tuple[bytes, ...]]] = {
    "application/pdf": (b"%PDF-",),
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/tiff": (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"),
    "image/bmp": (b"BM",),
    "image/webp": (b"RIFF",),
    "application/zip": (b"PK\x03\x04", b"PK\x05\x06"),
    "application/gzip": (b"\x1f\x8b",),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": (b"PK\x03\x04",),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": (b"PK\x03\x04",),
    "application/msword": (b"\xd0\xcf\x11\xe0",),
    "application/vnd.ms-excel": (b"\xd0\xcf\x11\xe0",),
    "application/rtf": (b"{\\rtf",),
}


class Foreign(PageError):
    """Something else came than the file that was asked for. `body` is the beginning of it, or all of it."""

    kind = Kind.PARSE_EMPTY

    def __init__(self, url: str, expect: str, sent: str, body: bytes) -> None:
        super().__init__(f"{shown(url)} gave {cut(sent) or 'something'} where {cut(expect)} was expected; look at it.")
        self.body = body


class Downloaded(File):
    """A file with what is known of how it came."""

    __slots__ = ("fetched", "lines_of_head", "status")

    fetched: float
    lines_of_head: tuple[tuple[str, str], ...]
    status: int


class Downloads:
    """The downloads of one visit. Files on disk that the visit does not keep are removed at its end."""

    __slots__ = ("_folder", "_made")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: list[Path] = []

    async def take(self, arrival: Arrival, expect: str, common: Common) -> File:
        """Read an answer into a file. `Foreign` if it is not of the expected type."""
        held: list[bytes] = []
        size, known, spool = 0, "", None
        try:
            async with aclosing(arrival.pieces(common.limits.download)) as pieces:
                async for piece in pieces:
                    size += len(piece)
                    if spool is not None:
                        spool.write(piece)
                        continue
                    held.append(piece)
                    if not known and size >= _HEAD:
                        known = type_of(b"".join(held)[:_HEAD], expect, arrival.head.content_type)
                    if size > IN_MEMORY:
                        if not known:
                            break
                        spool = self._spool()
                        spool.writelines(held)
                        held = []
        finally:
            if spool is not None:
                spool.close()
        body = b"".join(held)
        known = known or type_of(body[:_HEAD], expect, arrival.head.content_type)
        if not known:
            raise Foreign(arrival.url, expect, _plain(arrival.head.content_type), body)
        path = self._made[-1] if spool is not None else None
        file = Downloaded(
            _name(arrival.url), body=body if path is None else None, path=path, content_type=known, url=arrival.url
        )
        file.fetched, file.lines_of_head, file.status = common.now(), arrival.headers, arrival.status
        return file

    def forget(self, kept: frozenset[Path]) -> None:
        """Remove the files that are not among the kept ones."""
        for path in self._made:
            if path not in kept:
                path.unlink(missing_ok=True)
        self._made.clear()

    def _spool(self) -> IO[bytes]:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / uuid4().hex
        self._made.append(path)
        return path.open("xb")


def type_of(head: bytes, expect: str, said: str) -> str:
    """The type of a file that begins so, if it is one of those expected; else an empty string."""
    wanted, said = _plain(expect), _plain(said)
    family = wanted.removesuffix("*") if wanted.endswith("/*") else ""
    candidates = [name for name in _BEGINNINGS if name == wanted or (family and name.startswith(family))]
    for name in candidates:
        if _begins(head, name):
            return name
    if candidates and not family:
        return ""
    if wanted == "*/*":
        return said or "application/octet-stream"
    unknown = said not in _BEGINNINGS
    return said if unknown and (said == wanted or (family and said.startswith(family))) else ""


def _begins(head: bytes, name: str) -> bool:
    if name == "application/pdf":
        return _BEGINNINGS[name][0] in head
    return head.startswith(_BEGINNINGS[name])


def _plain(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2][:100] or "file"


def own_folder(downloads: Path) -> Path:
    """This process's own folder below `downloads`; those of processes that are gone are removed."""
    with suppress(OSError):  # another process tidies at the same time: then it is tidy
        for other in downloads.iterdir():
            if other.name.isdecimal() and not _lives(int(other.name)):
                shutil.rmtree(other, ignore_errors=True)
    return downloads / str(os.getpid())


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # the latter: a name that no process can have
        return False
    except PermissionError:  # somebody else's
        return True
    return True
