"""Reads back what the ledger refers to: one page, one item's records, or all records of a job.

What is served was proved first. A page is served only if its length and digest are those that the ledger
remembers, so a torn tail, a swapped blob or a flipped bit is an error with a sentence, never a wrong page.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

from scrapeyard.model.capture import Capture, Kept, RecordBatch
from scrapeyard.model.item import Item
from scrapeyard.model.job import JobId
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.items import ItemBook
from scrapeyard.results.keys import is_file_key
from scrapeyard.results.members import damaged, unpack
from scrapeyard.results.rows import Row, parse_row
from scrapeyard.results.sweep import MEMBER_LIMIT, batch_lines, sweep
from scrapeyard.results.warc import HEAD_LIMIT, parse_page

_LARGE = 1 << 20


class ResultReader:
    """Reading from one store of blobs."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    async def page(self, capture: Capture) -> Kept:
        """One kept page or file, by one range read."""
        found = await self._blobs.read(capture.place)
        if capture.size > _LARGE:
            return await asyncio.to_thread(_kept, capture, found)
        return _kept(capture, found)

    async def rows(self, batch: RecordBatch) -> list[Row]:
        """One item's records, by one range read."""
        member = await self._blobs.read(batch.place)
        lines = batch_lines(batch, unpack(member, MEMBER_LIMIT, batch.place.blob).split(b"\n"))
        return _rows(lines, batch.place.blob)

    async def each(
        self, items: ItemBook, job: JobId, scratch: Path, wanted: Callable[[Item], bool]
    ) -> AsyncGenerator[tuple[Item, list[Row]]]:
        """Every wanted item in list order with its records. Members that items share are read once.

        `scratch` is a folder for a temporary file that holds the records of the items at hand.
        """
        async with aclosing(sweep(self._blobs, items, job, scratch, wanted)) as swept:
            async for item, text in swept:
                blob = item.records.place.blob if item.records is not None else ""
                rows = _rows(text.split(b"\n"), blob) if text else []
                if any(row.seq != item.seq for row in rows):
                    raise damaged(blob, f"it does not hold the records of item {item.seq} where the ledger says")
                yield item, rows


def _kept(capture: Capture, found: bytes) -> Kept:
    blob = capture.place.blob
    if is_file_key(blob):
        headers, body, method = (), found, "GET"
    else:
        page = parse_page(unpack(found, capture.size + HEAD_LIMIT, blob), blob)
        headers, body, method = page.headers, page.body, page.method
    if len(body) != capture.size or hashlib.sha256(body).hexdigest() != capture.sha256:
        raise damaged(blob, "its body is not the one that was kept")
    return Kept(
        capture.name,
        capture.url,
        capture.status,
        headers,
        capture.content_type,
        capture.fetched,
        body,
        method=method,
    )


def _rows(lines: list[bytes], blob: str) -> list[Row]:
    try:
        return [parse_row(line) for line in lines]
    except ValueError as error:
        raise damaged(blob, str(error)) from error
