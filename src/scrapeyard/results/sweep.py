"""All records of a job in list order, though they lie in the order in which items happened to end.

Neighbours in the list ended at different times, so each one's records are in another shared member; following the
list would unpack every member a hundred times. So items are taken in windows: the members that a window needs are
read once, in the order in which they lie and several to a read; the window's records go into one temporary file;
and from there they are told in list order. What is in memory is a few numbers per item of a window, whatever the
size of the job or of its records.
"""

import asyncio
import os
import tempfile
from array import array
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import IO

from scrapeyard.model.capture import Place, RecordBatch
from scrapeyard.model.errors import StorageError
from scrapeyard.model.item import Item
from scrapeyard.model.job import JobId
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.items import ItemBook
from scrapeyard.results.members import damaged, unpack
from scrapeyard.results.rows import ITEM_LIMIT

WINDOW = 250_000
"""Items at a time; about 60 bytes of memory each."""

MEMBER_LIMIT = ITEM_LIMIT + (8 << 20)
"""More than a member of records can unpack to."""

_PAGE = 500
_READ = 4 << 20
_GAP = 64 << 10
_OFFSET_BITS = 40


def batch_lines(batch: RecordBatch, lines: list[bytes]) -> list[bytes]:
    """One item's lines among those of its member."""
    found = lines[batch.start : batch.start + batch.size]
    if len(found) != batch.size or not all(found):
        raise damaged(batch.place.blob, "it has fewer records than the ledger says")
    return found


async def sweep(
    blobs: Blobs, items: ItemBook, job: JobId, scratch: Path, wanted: Callable[[Item], bool]
) -> AsyncGenerator[tuple[Item, bytes]]:
    """Every wanted item in list order, with its lines."""
    after, more = -1, True
    while more:
        window = _Window(blobs)
        end, more = await window.fill(items, job, after, wanted)
        try:
            with tempfile.TemporaryFile(dir=scratch) as file:
                await window.spool(file)
                async for item in _between(items, job, after, end):
                    if wanted(item):
                        yield item, await window.text(file, item)
        except OSError as error:
            raise StorageError(
                f"The records cannot be put in order in {scratch} ({error.strerror}): make room there, or choose "
                "another folder."
            ) from error
        after = end


async def _between(items: ItemBook, job: JobId, after: int, end: int) -> AsyncIterator[Item]:
    while after < end:
        page = await items.page(job, after=after, limit=min(_PAGE, end - after))
        for item in page:
            yield item
        after = page[-1].seq if page else end


class _Window:
    """Where the records of some items lie, first in their segments and then in the temporary file."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._seqs = array("Q")
        self._places = array("Q")  # blob and offset in one number, which is also the order to read in
        self._lengths = array("Q")
        self._starts = array("L")
        self._sizes = array("L")
        self._spooled = array("Q")
        self._texts = array("Q")
        self._end = 0
        self._next = 0

    async def fill(self, items: ItemBook, job: JobId, after: int, wanted: Callable[[Item], bool]) -> tuple[int, bool]:
        """Note the places of the next items; gives the last of them, and whether there are more."""
        room = WINDOW
        while room:
            page = await items.page(job, after=after, limit=min(_PAGE, room))
            if not page:
                return after, False
            for item in page:
                if item.records is not None and item.records.size and wanted(item):
                    self._note(item.seq, item.records)
            after = page[-1].seq
            room -= len(page)
        return after, True

    def _note(self, seq: int, batch: RecordBatch) -> None:
        place = batch.place
        number = self._numbers.get(place.blob)
        if number is None:
            number = self._numbers[place.blob] = len(self._names)
            self._names.append(place.blob)
        self._seqs.append(seq)
        self._places.append(number << _OFFSET_BITS | place.offset)
        self._lengths.append(place.length)
        self._starts.append(batch.start)
        self._sizes.append(batch.size)

    async def spool(self, file: IO[bytes]) -> None:
        """Read every member once, in the order in which they lie, and write its items' lines to the file."""
        count = len(self._seqs)
        self._spooled = array("Q", bytes(8 * count))
        self._texts = array("Q", bytes(8 * count))
        order = sorted(range(count), key=self._places.__getitem__)
        for group in self._groups(order):
            place = self._extent(group)
            data = await self._blobs.read(place)
            await asyncio.to_thread(self._cut, group, place, data, file)
        file.flush()

    def _groups(self, order: list[int]) -> Iterator[list[int]]:
        """Items whose members lie close together, so that one read fetches them."""
        group: list[int] = []
        first = stop = 0
        for index in order:
            start = self._places[index]
            if group and (
                start >> _OFFSET_BITS != first >> _OFFSET_BITS
                or start > stop + _GAP
                or start + self._lengths[index] > first + _READ
            ):
                yield group
                group = []
            if not group:
                first = start
                stop = start
            group.append(index)
            stop = max(stop, start + self._lengths[index])
        if group:
            yield group

    def _extent(self, group: list[int]) -> Place:
        first = self._place(group[0])
        stop = max(self._place(index).offset + self._lengths[index] for index in group)
        return Place(first.blob, first.offset, stop - first.offset)

    def _place(self, index: int) -> Place:
        packed = self._places[index]
        offset = packed & ((1 << _OFFSET_BITS) - 1)
        return Place(self._names[packed >> _OFFSET_BITS], offset, self._lengths[index])

    def _cut(self, group: list[int], extent: Place, data: bytes, file: IO[bytes]) -> None:
        """Unpack the members of one read and write each item's lines."""
        place: Place | None = None
        lines: list[bytes] = []
        for index in group:
            if (found := self._place(index)) != place:
                place = found
                start = place.offset - extent.offset
                lines = unpack(data[start : start + place.length], MEMBER_LIMIT, place.blob).split(b"\n")
            text = b"\n".join(batch_lines(self._batch(index), lines))
            file.write(text)
            self._spooled[index] = self._end
            self._texts[index] = len(text)
            self._end += len(text)

    def _batch(self, index: int) -> RecordBatch:
        return RecordBatch(self._place(index), self._starts[index], self._sizes[index], {})

    async def text(self, file: IO[bytes], item: Item) -> bytes:
        """The item's lines. An item that was run anew meanwhile is read from where it is now."""
        batch = item.records
        if batch is None or not batch.size:
            return b""
        while self._next < len(self._seqs) and self._seqs[self._next] < item.seq:
            self._next += 1
        index = self._next
        if index < len(self._seqs) and self._seqs[index] == item.seq:
            noted = self._batch(index)
            if (noted.place, noted.start, noted.size) == (batch.place, batch.start, batch.size):
                return os.pread(file.fileno(), self._texts[index], self._spooled[index])
        member = await self._blobs.read(batch.place)
        return b"\n".join(batch_lines(batch, unpack(member, MEMBER_LIMIT, batch.place.blob).split(b"\n")))
