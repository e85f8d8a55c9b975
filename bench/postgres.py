"""PostgreSQL as the ledger: how fast a list comes in by COPY, and how fast four workers take and settle its items.

A worker takes and settles in groups of 400, as it does by default when there is plenty to do; each is a process of its
own. The offers are made
beforehand, for that is the dispatcher's work; how fast that goes is told too. A server of its own is started for this,
with its defaults but for the memory, and with every commit on disk.
"""

import asyncio
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import msgspec
import uvloop

from scrapeyard.backends.postgres.ledger import open_ledger
from scrapeyard.backends.postgres.opening import open_database
from scrapeyard.model.item import NewItem, Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.states import JobState
from scrapeyard.testing.scenes import NOW, a_job, beat, succeeded
from scrapeyard.testing.servers.postgres import PostgresServer

WORKERS = 4
GROUP = 400
CHUNK = 20_000
SUBMIT_TARGET = 80_000
TAKE_TARGET = 20_000


class Fleet(NamedTuple):
    """Items a second."""

    items: int
    submit: float
    offer: float
    take: float

    def lines(self) -> str:
        """For people."""
        return (
            f"  PostgreSQL: submitted {self.submit:,.0f} items/s by COPY (promised {SUBMIT_TARGET:,}); "
            f"offered {self.offer:,.0f} items/s;\n"
            f"  {WORKERS} workers took and settled {self.take:,.0f} items/s (promised {TAKE_TARGET:,}); {self.items:,} items"
        )


def a_list(items: int) -> list[NewItem]:
    """A county's list: keys in order, inputs of about 144 bytes."""
    tail = f',"situs":"{"1" * 20} MAIN STREET","owner":"{"OWNER " * 12}"}}'
    return [NewItem(f"{n:012d}", f'{{"parcel_id":"{n:012d}"{tail}'.encode()) for n in range(items)]


async def submitted(address: str, items: int) -> tuple[JobId, float]:
    """Load and seal; gives the rate."""
    ledger = await open_ledger(await open_database(address))
    job = await ledger.jobs.create(a_job())
    rows = a_list(items)
    begun = time.perf_counter()
    for first in range(0, items, CHUNK):
        await ledger.items.add(job.id, rows[first : first + CHUNK])
    seconds = time.perf_counter() - begun
    await ledger.items.seal(job.id)
    await ledger.jobs.advance(job.id, JobState.RUNNING, [JobState.LOADING], now=NOW)
    await ledger.close()
    return job.id, items / seconds


async def offered(address: str, job: JobId, run: int) -> tuple[list[Offer], float]:
    """What the dispatcher does, in its own groups."""
    ledger = await open_ledger(await open_database(address))
    offers: list[Offer] = []
    begun = time.perf_counter()
    while len(offers) < run:
        offers += await ledger.offers.offer(job, 500, now=NOW, until=NOW + 3600)
    seconds = time.perf_counter() - begun
    await ledger.close()
    return offers, len(offers) / seconds


def worked(address: str, name: str, packed: bytes) -> tuple[float, float]:
    """One worker's whole life; gives when it began and ended."""
    return uvloop.run(_worked(address, name, msgspec.msgpack.decode(packed, type=list[Offer])))


async def _worked(address: str, name: str, offers: list[Offer]) -> tuple[float, float]:
    ledger = await open_ledger(await open_database(address))
    await ledger.leases.beat(beat(name))
    groups = [offers[first : first + GROUP] for first in range(0, len(offers), GROUP)]
    begun = time.time()
    taken = await ledger.leases.begin(name, groups[0], now=NOW)
    model = [succeeded(lease) for lease in taken[:1]]
    for following in [*groups[1:], []]:
        ends = [msgspec.structs.replace(model[0], seq=lease.offer.seq, fence=lease.fence) for lease in taken]
        settling = ledger.leases.settle(ends, now=NOW)
        taking = ledger.leases.begin(name, following, now=NOW) if following else asyncio.sleep(0, [])
        recorded, taken = await asyncio.gather(settling, taking)
        assert all(recorded)
    ended = time.time()
    await ledger.close()
    return begun, ended


def fleet(items: int, run: int) -> Fleet:
    """All of it, on a server of its own."""
    with PostgresServer(durable=True, shared_buffers="1GB", max_wal_size="4GB") as server:
        address = server.fresh()
        job, submit = uvloop.run(submitted(address, items))
        offers, offer = uvloop.run(offered(address, job, run))
        shares = [msgspec.msgpack.encode(offers[first::WORKERS]) for first in range(WORKERS)]
        with ProcessPoolExecutor(WORKERS) as pool:
            list(
                pool.map(
                    worked,
                    [address] * WORKERS,
                    [f"warm-{n}" for n in range(WORKERS)],
                    [msgspec.msgpack.encode(offers[:1])] * WORKERS,
                )
            )
            times = list(pool.map(worked, [address] * WORKERS, [f"w{n}" for n in range(WORKERS)], shares))
        seconds = max(end for _, end in times) - min(begin for begin, _ in times)
        return Fleet(items, submit, offer, len(offers) / seconds)


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    print(fleet(*(words or (500_000, 100_000))).lines())
