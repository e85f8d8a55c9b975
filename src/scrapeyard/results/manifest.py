"""The manifest: the list of everything that a job produced, made from the ledger and from nothing else.

What lies in the store but is not referred to by the ledger (an entry of a worker that was fenced off, a torn tail)
is therefore never part of a result. Parts are written first, under names made of their content; `manifest.json`
comes last and in one step. A crash before that step leaves the old manifest with all of its parts, and whoever reads
the old one while a new one is written reads it to its end.
"""

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import cast

import msgspec
from isal import igzip

from scrapeyard.model.capture import Place
from scrapeyard.model.errors import Conflict, NotFound, StorageError
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.states import JobState
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.items import ItemBook
from scrapeyard.results.keys import manifest_key, manifest_prefix, part_key
from scrapeyard.results.lines import item_line, moment
from scrapeyard.results.members import damaged, pack
from scrapeyard.results.totals import SegmentUse, Totals
from scrapeyard.results.whole import whole

FORMAT = "scrapeyard-manifest/1"
PART_ITEMS = 50_000
_PAGE = 500


class Part(msgspec.Struct, frozen=True):
    """One blob of lines: items `first … last` by `seq`. `bytes` and `sha256` are of the blob as it lies."""

    key: str
    items: int
    first: int
    last: int
    bytes: int
    sha256: str


class Scraper(msgspec.Struct, frozen=True):
    """Which scraper made it."""

    name: str
    version: str
    digest: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`manifest.json`. `sums` cover every recorded attempt, the failed ones too; `kinds` the items as they ended."""

    format: str
    job: str
    name: str
    state: str
    epoch: int
    made: str
    created: str
    finished: str | None
    source: str
    scraper: Scraper
    site: str
    items: int
    outcomes: dict[str, int]
    kinds: dict[str, int]
    readings: dict[str, int]
    records: dict[str, int]
    captures: dict[str, int]
    sums: dict[str, int]
    parts: list[Part]
    segments: list[SegmentUse]


async def write_manifest(
    job: Job, tally: Tally, items: ItemBook, blobs: Blobs, *, now: float, part_items: int = PART_ITEMS
) -> None:
    """Write the parts, then the manifest over the old one, then drop the parts that are older than the old one's."""
    before = await _before(blobs, job.id)
    totals = Totals()
    parts: list[Part] = []
    while part := await _make_part(job, items, totals, part_items):
        parts.append(await _store(part, blobs, job, len(parts)))
    if job.total is not None and totals.items != job.total:
        raise StorageError(
            f"Job {job.id} was sealed with {job.total} items but its ledger lists {totals.items}, so its manifest "
            "would not add up: run `scrapeyard doctor`."
        )
    manifest = _manifest(job, tally, totals, parts, now)
    await blobs.put(manifest_key(job.id), msgspec.json.format(msgspec.json.encode(manifest)), replace=True)
    if before is not None:
        await _drop_older(blobs, job.id, min(before.epoch, job.epoch))


async def _before(blobs: Blobs, job: str) -> Manifest | None:
    """The manifest that is about to be replaced; one that cannot be read is replaced all the same."""
    try:
        return msgspec.json.decode(await read_manifest(blobs, job), type=Manifest)
    except (NotFound, msgspec.DecodeError):
        return None


class _Made(msgspec.Struct, frozen=True):
    """A part that is not stored yet."""

    data: bytes
    sha256: str
    first: int
    last: int
    items: int


async def _make_part(job: Job, items: ItemBook, totals: Totals, room: int) -> _Made | None:
    """The next part; None when there are no more items. A page of lines is a gzip member, so little is in memory."""
    before, last = totals.items, totals.last
    packed: list[bytes] = []
    while room and (page := await items.page(job.id, after=totals.last, limit=min(_PAGE, room))):
        packed.append(pack(b"".join([item_line(item) for item in page])))
        room -= len(page)
        for item in page:
            totals.add(item)
    data = b"".join(packed)
    if not data:
        return None
    return _Made(data, hashlib.sha256(data).hexdigest(), last + 1, totals.last, totals.items - before)


async def _store(made: _Made, blobs: Blobs, job: Job, number: int) -> Part:
    key = part_key(job.id, job.epoch, number, made.sha256)
    with suppress(Conflict):  # named for its content: it is there already, from a run that crashed before its manifest
        await blobs.put(key, made.data)
    return Part(key, made.items, made.first, made.last, len(made.data), made.sha256)


def _manifest(job: Job, tally: Tally, totals: Totals, parts: list[Part], now: float) -> Manifest:
    return Manifest(
        format=FORMAT,
        job=job.id,
        name=job.name,
        # a job is completed by its manifest, which is therefore written a moment before
        state=(JobState.COMPLETED if job.state is JobState.FINALIZING else job.state).value,
        epoch=job.epoch,
        made=moment(now),
        created=moment(job.created),
        finished=moment(job.finished) if job.finished else None,
        source=job.source,
        scraper=Scraper(job.scraper.name, job.scraper.version, job.scraper.digest),
        site=job.site.name,
        items=totals.items,
        outcomes={str(state): count for state, count in totals.outcomes.items()},
        kinds=dict(totals.kinds),
        readings={str(state): count for state, count in totals.readings.items()},
        records=dict(totals.records),
        captures={"count": totals.captures, "bytes": totals.capture_bytes, "files": totals.files},
        sums={
            "attempts": tally.attempts,
            "requests": tally.requests,
            "wire_bytes": tally.wire_bytes,
            "busy_ms": tally.busy_ms,
            "cost_micros": tally.cost_micros,
            "duplicates": tally.duplicates,
            "stale": tally.stale,
        },
        parts=parts,
        segments=totals.segments(),
    )


async def _drop_older(blobs: Blobs, job: str, epoch: int) -> None:
    """Remove parts of epochs before `epoch`: nobody reads the manifest that named them any more."""
    prefix = f"{manifest_prefix(job)}epoch-"
    old = [blob.key async for blob in blobs.walk(prefix) if _epoch_of(blob.key, prefix) < epoch]
    for key in old:
        await blobs.delete(key)


def _epoch_of(key: str, prefix: str) -> int:
    number = key[len(prefix) :].partition("/")[0]
    return int(number) if number.isdecimal() else 1 << 62


async def read_manifest(blobs: Blobs, job: str) -> bytes:
    """`manifest.json` as it lies."""
    try:
        return await whole(blobs, manifest_key(job))
    except NotFound as error:
        raise NotFound(f"Job {job} has no manifest yet: it is written when the job has ended.") from error


async def manifest_lines(blobs: Blobs, job: str) -> AsyncIterator[bytes]:
    """One JSON line per item, without its end, in order of `seq`; each part is verified before it is told."""
    manifest = msgspec.json.decode(await read_manifest(blobs, job), type=Manifest)
    for part in manifest.parts:
        data = await blobs.read(Place(part.key, 0, part.bytes))
        if hashlib.sha256(data).hexdigest() != part.sha256:
            raise damaged(part.key, "it has another digest than the manifest says")
        with igzip.GzipFile(fileobj=io.BytesIO(data)) as lines:
            for number, line in enumerate(cast("Iterator[bytes]", lines)):
                if number % _PAGE == 0:
                    await asyncio.sleep(0)
                yield line.removesuffix(b"\n")
