"""A process of its own that works on a shared ledger until nothing is left, saying line by line what is recorded."""

import asyncio
import sys
from pathlib import Path

from scrapeyard.backends.sqlite.ledger import open_ledger
from scrapeyard.model.job import JobId
from scrapeyard.testing.scenes import NOW, a_job, new_items, succeeded


async def work(path: Path, worker: str) -> None:
    """Offer, take and settle a few at a time, each time that a line is read, and at the end without being asked."""
    ledger = await open_ledger(path)
    while True:
        sys.stdin.readline()
        offers = await ledger.offers.offer(a_job().id, 10, now=NOW, until=NOW + 30)
        if not offers:
            break
        leases = await ledger.leases.begin(worker, offers, now=NOW)
        answers = await ledger.leases.settle([succeeded(lease) for lease in leases], now=NOW)
        assert all(answers)
        print(*(lease.offer.seq for lease in leases), flush=True)
    await ledger.close()


async def load(path: Path, worker: str) -> None:
    """Add a list that others add too."""
    ledger = await open_ledger(path)
    job = await ledger.jobs.create(a_job())
    added = await ledger.items.add(JobId(job.id), new_items(3_000))
    claimed = await ledger.leaders.claim("dispatcher", worker, seen=None)
    print(added.accepted, added.duplicates, int(claimed is not None), flush=True)
    await ledger.close()


if __name__ == "__main__":
    asyncio.run({"work": work, "load": load}[sys.argv[1]](Path(sys.argv[2]), sys.argv[3]))
