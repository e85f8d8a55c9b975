"""What visits bring home, on its way into segments.

Scraping makes thousands of pages a minute, so keeping one costs a hash and a squeeze and touches no disk: a page
becomes one gzip member in a buffer, an item's records become lines of a member that many items share. `sync`
makes all of it durable at once; only then may anybody tell of it.

After a failed write nobody knows which bytes the store has. The segment is given up, the sync that should have
covered its entries fails, and the next entry begins a new one: a failure may cost work, never name a place that
does not hold what it promises.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from scrapeyard.model.capture import Capture, Kept, Place, RecordBatch
from scrapeyard.model.errors import StorageError
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.clock import Clock
from scrapeyard.results.files import is_file, keep_file
from scrapeyard.results.headers import clean_url, clean_words
from scrapeyard.results.keys import PAGES_SUFFIX, RECORDS_SUFFIX, pages_prefix, records_prefix
from scrapeyard.results.members import pack
from scrapeyard.results.rows import lines_of
from scrapeyard.results.segment import Segment
from scrapeyard.results.warc import WarcText

SEGMENT_BYTES = 256 << 20
"""A segment of this size takes nothing more."""

_MEMBER = 1 << 20
_LARGE = 1 << 20
_REMEMBERED = 64

_Answer = tuple[int, str, tuple[tuple[str, str], ...]]


class _Member:
    """The gzip member that the records of several items will share."""

    __slots__ = ("durable", "lines", "place", "size", "text")

    def __init__(self) -> None:
        self.text: list[bytes] = []
        self.size = 0
        self.lines = 0
        self.place: Place | None = None
        self.durable = False


class RecordSlot:
    """Where one item's records will be found, known once they are durable."""

    __slots__ = ("_counts", "_member", "_size", "_start")

    def __init__(self, member: _Member, start: int, size: int, counts: dict[str, int]) -> None:
        self._member = member
        self._start = start
        self._size = size
        self._counts = counts

    def batch(self) -> RecordBatch:
        """The place of the records; only after the next sync has succeeded."""
        if self._member.place is None or not self._member.durable:
            raise StorageError("These records are not durable: sync their writer before telling of them.")
        return RecordBatch(self._member.place, self._start, self._size, self._counts)


class SegmentWriter:
    """The open segments of one worker process and one job. One loop uses it; many visits may at the same time."""

    def __init__(
        self, blobs: Blobs, job: str, worker: str, clock: Clock, *, segment_bytes: int = SEGMENT_BYTES
    ) -> None:
        self._blobs = blobs
        self._job = job
        self._text = WarcText()
        self._pages = Segment(
            blobs,
            pages_prefix(job, worker),
            PAGES_SUFFIX,
            segment_bytes,
            head=lambda: pack(self._text.info(job, clock.now())),
        )
        self._records = Segment(blobs, records_prefix(job, worker), RECORDS_SUFFIX, segment_bytes)
        self._member = _Member()
        self._written: list[_Member] = []
        self._answers: dict[tuple[str, str, float], tuple[_Answer, Place]] = {}
        self._downloads: dict[Path, Capture] = {}
        self._turn = asyncio.Lock()

    async def keep(self, kept: Kept) -> Capture:
        """Keep one page or file; what this gives may be told after the next sync."""
        url = clean_url(kept.url)
        if kept.path is not None or is_file(kept.content_type):
            return await self._file(kept, url)
        body = kept.body
        size = len(body)
        if size > _LARGE:
            sha256, member = await asyncio.to_thread(_large, kept, url)
            place = self._pages.append(member)
        else:
            sha256 = hashlib.sha256(body).hexdigest()
            place = self._page(kept, url, sha256)
        content_type = clean_words(kept.content_type, 200)
        return Capture(kept.name, place, sha256, size, url, kept.status, content_type, kept.fetched)

    def _page(self, kept: Kept, url: str, sha256: str) -> Place:
        """Append a page, unless it is one answer kept under a second name."""
        known = self._answers.get((sha256, url, kept.fetched))
        answer = (kept.status, kept.method, kept.headers)
        if known is not None and known[0] == answer:
            return known[1]
        place = self._pages.append(pack(self._text.page(kept, url, sha256)))
        if len(self._answers) >= _REMEMBERED:
            self._answers.clear()
        self._answers[sha256, url, kept.fetched] = (answer, place)
        return place

    async def _file(self, kept: Kept, url: str) -> Capture:
        """Store a file; a download is moved away in doing so, and may be kept under a second name all the same."""
        known = self._downloads.get(kept.path) if kept.path is not None else None
        if known is not None:
            return msgspec.structs.replace(known, name=kept.name)
        capture = await keep_file(self._blobs, self._job, kept, url)
        if kept.path is not None:
            if len(self._downloads) >= _REMEMBERED:
                self._downloads.clear()
            self._downloads[kept.path] = capture
        return capture

    def record(self, seq: int, key: str, rows: Sequence[tuple[str, bytes]]) -> RecordSlot:
        """Add one item's records, given as (model, JSON object)."""
        lines = lines_of(seq, key, rows)
        counts: dict[str, int] = {}
        for model, _ in rows:
            counts[model] = counts.get(model, 0) + 1
        member = self._member
        slot = RecordSlot(member, member.lines, len(lines), counts)
        member.text += lines
        member.lines += len(lines)
        member.size += sum(map(len, lines))
        if member.size >= _MEMBER:
            self._written.append(self._close_member())
        return slot

    def _close_member(self) -> _Member:
        member, self._member = self._member, _Member()
        member.text.append(b"")
        packed = pack(b"\n".join(member.text))
        member.text.clear()
        member.place = self._records.append(packed)
        return member

    async def sync(self) -> None:
        """Make everything that was kept before this call durable, or raise `StorageError` and lose it."""
        async with self._turn:
            self._answers.clear()
            self._downloads.clear()
            written, self._written = self._written, []
            if self._member.lines:
                written.append(self._close_member())
            try:
                errors = await asyncio.gather(self._pages.sync(), self._records.sync(), return_exceptions=True)
            except asyncio.CancelledError:
                self._written = written + self._written
                raise
            for error in errors:
                if error is not None:
                    raise error
            for member in written:
                member.durable = True

    async def close(self) -> None:
        """Sync and end the segments."""
        try:
            await self.sync()
        finally:
            await self._pages.close()
            await self._records.close()


def _large(kept: Kept, url: str) -> tuple[str, bytes]:
    """Hash and squeeze away from the loop, with a text maker of its own because they count their records."""
    sha256 = hashlib.sha256(kept.body).hexdigest()
    return sha256, pack(WarcText().page(kept, url, sha256))
