"""After a crash: a segment whose writer died may end in the middle of an entry.

Such a tail was never synced, so the ledger refers to nothing in it and no reader is ever sent there. It is cut all
the same, because the file is also for other tools, which stop at a torn member. Only a tail is cut: where damage
reaches into what the ledger refers to, cutting would destroy good entries behind it, so that is told and left alone.
"""

import asyncio
from collections.abc import AsyncIterator

import msgspec

from scrapeyard.model.job import JobId
from scrapeyard.ports.blobs import Blobs, BlobStat
from scrapeyard.ports.items import ItemBook
from scrapeyard.results.keys import is_file_key, pages_prefix, records_prefix
from scrapeyard.results.members import MemberScan

_PAGE = 500


class Mended(msgspec.Struct, frozen=True):
    """One segment, looked through. `damaged` says that bytes which the ledger refers to are not whole."""

    key: str
    size: int
    cut: int = 0
    damaged: bool = False


async def mend(blobs: Blobs, segment: BlobStat, referred: int) -> Mended:
    """Cut the torn tail of a segment whose writer is gone. `referred` is the end of what the ledger refers to."""
    scan = MemberScan()
    async for piece in blobs.stream(segment.key):
        if not await asyncio.to_thread(scan.feed, piece):
            break
    if scan.whole < min(referred, segment.size) or referred > segment.size:
        return Mended(segment.key, segment.size, damaged=True)
    if scan.whole < segment.size:
        await blobs.cut(segment.key, scan.whole)
    return Mended(segment.key, segment.size, segment.size - scan.whole)


async def mend_job(blobs: Blobs, items: ItemBook, job: JobId, *, worker: str = "") -> AsyncIterator[Mended]:
    """Look through all segments of a job, or of one of its workers. None of their writers may be alive."""
    referred = await referred_ends(items, job)
    for prefix in (pages_prefix(job, worker), records_prefix(job, worker)):
        async for segment in blobs.walk(prefix):
            # a worker's name may be the beginning of another's
            if worker and "-" in segment.key[len(prefix) :]:
                continue
            yield await mend(blobs, segment, referred.get(segment.key, 0))


async def referred_ends(items: ItemBook, job: JobId) -> dict[str, int]:
    """Up to which byte the ledger refers to each segment of a job."""
    ends: dict[str, int] = {}
    after = -1
    while page := await items.page(job, after=after, limit=_PAGE):
        for item in page:
            places = [capture.place for capture in item.captures]
            if item.records is not None:
                places.append(item.records.place)
            for place in places:
                if not is_file_key(place.blob):
                    ends[place.blob] = max(ends.get(place.blob, 0), place.offset + place.length)
        after = page[-1].seq
    return ends
