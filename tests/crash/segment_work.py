"""What a worker does before its power is cut: pages and records go into segments, are synced, and only then told of.

A hasty worker does not wait for the disk; it must be found out.
"""

import asyncio
import json
import os
import random
import sys
from pathlib import Path

from scrapeyard.backends.files.appending import FileAppender
from scrapeyard.backends.files.blobs import FileBlobs
from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.model.capture import Kept
from scrapeyard.results.writer import RecordSlot, SegmentWriter
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.testing.scenes import NOW, staged, succeeded

ITEMS = 60
BATCH = 6
SEGMENT = 10_000
"""Small, so that segments end and begin in the middle of the run."""


class HastyBlobs(FileBlobs):
    """Says that it is on disk when it is only on its way there."""

    def appender(self, prefix: str, suffix: str) -> FileAppender:
        appender = super().appender(prefix, suffix)

        async def sync() -> None:
            appender._hand_over()

        appender.sync = sync
        return appender


def page_of(seq: int) -> Kept:
    """The page of one item; the same in every run."""
    body = random.Random(seq).randbytes(300 + seq * 7)
    return Kept("detail", f"https://tax.example/{seq}", 200, (), "text/html", NOW + seq, b"<html>" + body)


def rows_of(seq: int) -> list[tuple[str, bytes]]:
    """Its records."""
    return [("Bill", b'{"parcel_id":"P-%06d","year":%d}' % (seq, year)) for year in range(2020, 2023)]


async def main(folder: Path, *, hasty: bool) -> None:
    answers = os.open(folder / "answers", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    ledger = await open_ledger(folder / "ledger.db")
    scene = await staged(ledger, ITEMS)
    blobs = (HastyBlobs if hasty else FileBlobs)(folder / "blobs")
    writer = SegmentWriter(blobs, scene.id, "w1", VirtualClock(), segment_bytes=SEGMENT)
    while leases := await scene.take(BATCH):
        kept: list[tuple[int, object, RecordSlot]] = []
        for lease in leases:
            seq = lease.offer.seq
            kept.append((seq, await writer.keep(page_of(seq)), writer.record(seq, f"P-{seq:06}", rows_of(seq))))
        await writer.sync()
        told = [
            succeeded(lease, captures=(capture,), records=slot.batch())
            for lease, (_, capture, slot) in zip(leases, kept, strict=True)
        ]
        assert all(await scene.settle(*told))
        os.write(answers, json.dumps([seq for seq, _, _ in kept]).encode() + b"\n")
    await writer.close()
    await ledger.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), hasty=sys.argv[2:] == ["hasty"]))
