"""What was found out about modules, kept between starts: a guess that is checked against each file's time and size.

The file may be gone, old, half written or another process's: then everything is found out anew. Nothing depends on it
but time.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self
from uuid import uuid4

import msgspec

from scrapeyard.model.scraper import ScraperCard
from scrapeyard.scraping.registry.scan import LARGEST_MODULE, Scan, scan

_FORMAT = 3
_LARGEST = 256 * 1024 * 1024


class _Seen(msgspec.Struct, frozen=True, array_like=True):
    mtime: int
    size: int
    said: Scan


class _Kept(msgspec.Struct):
    format: str = ""
    files: dict[str, _Seen] = {}
    cards: dict[str, tuple[ScraperCard, ...]] = {}


class ScanCache:
    """Scans by file, cards by digest."""

    def __init__(self, file: Path, kept: _Kept) -> None:
        self._file = file
        self._kept = kept
        self._changed = False

    @classmethod
    def opened(cls, folder: Path) -> Self:
        """The cache in this folder, or an empty one."""
        file = folder / "scrapers.json"
        kept = _Kept()
        with suppress(OSError, msgspec.MsgspecError, RecursionError):  # a guess that cannot be read is no guess
            if file.stat().st_size <= _LARGEST:
                kept = msgspec.json.decode(file.read_bytes(), type=_Kept)
        return cls(file, kept if kept.format == _stamp() else _Kept(_stamp(), {}, {}))

    def look(self, path: Path) -> Scan | None:
        """What a file's source says now; None when there is no such file."""
        try:
            stat = path.stat()
        except OSError:
            return None
        name = str(path)
        known = self._kept.files.get(name)
        if known is not None and known.mtime == stat.st_mtime_ns and known.size == stat.st_size:
            return known.said
        try:
            with path.open("rb") as source:
                said = scan(source.read(LARGEST_MODULE + 1))
        except OSError as error:
            return Scan("", problem=f"it cannot be read: {error.strerror}")
        self._kept.files[name] = _Seen(stat.st_mtime_ns, stat.st_size, said)
        self._changed = True
        return said

    def cards(self, digest: str) -> tuple[ScraperCard, ...] | None:
        """The cards of a module of this digest, if it has ever been imported."""
        return self._kept.cards.get(digest)

    def remember(self, digest: str, cards: tuple[ScraperCard, ...]) -> None:
        """Keep a module's cards."""
        self._kept.cards[digest] = cards
        self._changed = True

    def save(self, digests: frozenset[str]) -> None:
        """Write down what is new, without the cards of other digests than these. A disk that refuses is no failure."""
        if not self._changed:
            return
        kept = _Kept(
            _stamp(),
            {name: seen for name, seen in self._kept.files.items() if os.path.exists(name)},  # noqa: PTH110 - half the time of Path
            {digest: cards for digest, cards in self._kept.cards.items() if digest in digests},
        )
        spare = self._file.with_name(f"{self._file.name}.{uuid4().hex}")
        with suppress(OSError):  # a cache that cannot be kept costs time at the next start, nothing else
            self._file.parent.mkdir(parents=True, exist_ok=True)
            spare.write_bytes(msgspec.json.encode(kept))
            spare.replace(self._file)
        self._changed = False


def _stamp() -> str:
    """Cards depend on this code and on the interpreter as well as on the source."""
    return f"{_FORMAT} {sys.version_info[:3]}"
