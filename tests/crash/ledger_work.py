"""What a ledger is put to before its power is cut: lists arrive, items run, fail, are redriven; each answer is noted.

Every settlement's attempt names its batch, so that it can be seen afterwards whether a batch is there, and whole.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import msgspec

from scrapeyard.backends.sqlite import opening
from scrapeyard.backends.sqlite.connection import open_database
from scrapeyard.backends.sqlite.ledger import SqliteLedger
from scrapeyard.model.item import Lease, Selection, Settlement
from scrapeyard.testing.scenes import NOW, a_job, again, failed, new_items, released, staged, succeeded

ROUNDS = 4
ITEMS = 240
BATCH = 6


async def opened(folder: Path, synchronous: opening.Synchronous) -> SqliteLedger:
    """The ledger, with checkpoints often enough to be in the middle of one now and then."""
    database = await open_database(folder / "ledger.db", opening.migrations("ledger"), synchronous)
    await database.write(lambda connection: connection.execute("PRAGMA wal_autocheckpoint = 40").fetchone())
    return SqliteLedger(database)


class Work:
    """One run, with the list of what was answered."""

    def __init__(self, folder: Path, synchronous: opening.Synchronous) -> None:
        self.folder = folder
        self.synchronous: opening.Synchronous = synchronous
        self.answers = os.open(folder / "answers", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.batches = 0

    def answered(self, **what: object) -> None:
        """From here on, it must never be forgotten."""
        os.write(self.answers, json.dumps(what).encode() + b"\n")

    async def settle(self, ledger: SqliteLedger, leases: list[Lease]) -> None:
        """One batch of every kind of ending."""
        self.batches += 1
        name = f"batch {self.batches}"
        endings = (succeeded, failed, succeeded, lambda lease: again(lease, NOW), succeeded, failed)
        batch: list[Settlement] = []
        for place, lease in enumerate(leases):
            ended = endings[place % BATCH](lease)
            assert ended.attempt is not None
            batch.append(msgspec.structs.replace(ended, attempt=msgspec.structs.replace(ended.attempt, detail=name)))
        assert all(await ledger.leases.settle(batch, now=NOW))
        self.answered(batch=name, items=[[ended.job, ended.seq] for ended in batch])

    async def round(self, number: int) -> None:
        """One job from loading to redrive, by two that have opened the same file."""
        submitter, worker = await opened(self.folder, self.synchronous), await opened(self.folder, self.synchronous)
        job = await submitter.jobs.create(a_job(number))
        for first in range(0, ITEMS, 60):
            await submitter.items.add(job.id, new_items(60, first))
            self.answered(job=job.id, loaded=first + 60)
        scene = await staged(submitter, ITEMS, number=number)
        for turn in range(4):
            leases = await worker.leases.begin(f"w{turn}", await scene.offer(ITEMS // 3), now=NOW)
            batches = [leases[start : start + BATCH] for start in range(0, len(leases) - 3, BATCH)]
            await asyncio.gather(*(self.settle((submitter, worker)[turn % 2], batch) for batch in batches))
            await scene.settle(*[released(lease, NOW) for lease in leases[len(batches) * BATCH :]])
        picked = await submitter.items.redrive(job.id, Selection(), now=NOW)
        self.answered(job=job.id, redriven=picked)
        await self.settle(worker, await worker.leases.begin("w9", await scene.offer(BATCH), now=NOW))
        for ledger in (submitter, worker):
            await ledger.close()


async def main(folder: Path, synchronous: opening.Synchronous) -> None:
    work = Work(folder, synchronous)
    for number in range(1, ROUNDS + 1):
        await work.round(number)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), "NORMAL" if sys.argv[2:] == ["NORMAL"] else "FULL"))
