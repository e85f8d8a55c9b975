"""Each fault does what its name says, and nothing else."""

import asyncio
from random import Random

import pytest

from scrapeyard.backends.memory.blobs import MemoryBlobs
from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.memory.queue import MemoryQueue
from scrapeyard.model.errors import StorageError
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.testing.faults.kinds import (
    Delay,
    DoubleDeliveries,
    ErrorOn,
    Errors,
    LostAnswers,
    Partition,
    Watched,
)
from scrapeyard.testing.faults.wrapping import wrapped
from scrapeyard.testing.queue import an_offer, seqs_of
from scrapeyard.testing.scenes import NOW, a_job

HTTP = Wants("http")


async def test_an_error_comes_on_the_call_that_was_chosen_and_before_anything_is_done():
    ledger = MemoryLedger()
    faulty = wrapped(ledger, "ledger", ErrorOn(2, names=["ledger.jobs.*"]))
    await faulty.jobs.create(a_job(1))
    with pytest.raises(StorageError, match=r"ledger.jobs.create fails"):
        await faulty.jobs.create(a_job(2))
    await faulty.jobs.create(a_job(3))
    assert [job.id for job in await ledger.jobs.find()] == [a_job(3).id, a_job(1).id]


async def test_a_lost_answer_comes_after_the_deed():
    queue = MemoryQueue()
    with pytest.raises(StorageError, match=r"the answer to queue.put is lost"):
        await wrapped(queue, "queue", LostAnswers(Random(1), 1.0)).put([an_offer(1)])
    assert await queue.depth() == 1
    with pytest.raises(StorageError, match=r"queue.put fails"):
        await wrapped(queue, "queue", Errors(Random(1), 1.0)).put([an_offer(2)])
    assert await queue.depth() == 1


async def test_some_deliveries_come_twice():
    queue = wrapped(MemoryQueue(), "queue", DoubleDeliveries(Random(1), 0.5))
    await queue.put([an_offer(seq) for seq in range(100)])
    taken = [one for _ in range(20) for one in await queue.take("w1", HTTP, 10, now=NOW)]
    seqs = seqs_of(taken)
    assert set(seqs) == set(range(100))
    assert 130 < len(seqs) < 170


async def test_a_partition_swallows_questions_and_answers_until_it_heals():
    clock, queue = VirtualClock(), MemoryQueue()
    partition = Partition(clock, patience=2.0)
    faulty = wrapped(queue, "queue", partition, Delay(clock, Random(1), 1.0))
    late = asyncio.create_task(faulty.put([an_offer(1)]))
    await clock.advance(0.0)
    partition.cut = True
    lost = asyncio.create_task(faulty.put([an_offer(2)]))
    await clock.advance(1.9)
    assert not lost.done()
    await clock.advance(3.0)
    for task in (late, lost):
        with pytest.raises(StorageError, match="cannot be reached"):
            await task
    assert seqs_of(await queue.take("w1", HTTP, 10, now=NOW)) == [1]
    partition.cut = False
    healed = asyncio.create_task(faulty.depth())
    await clock.advance(2.0)
    assert await healed == 0


async def test_streams_and_appenders_meet_faults_too_but_closing_does_not():
    told: list[str] = []
    blobs = wrapped(MemoryBlobs(), "blobs", Watched(lambda call, _: told.append(call.name)))
    await blobs.put("a/b", b"x")
    assert [piece async for piece in blobs.stream("a/b")] == [b"x"]
    appender = blobs.appender("a/", ".gz")
    place = appender.append(b"yz")
    await appender.sync()
    assert await blobs.read(place) == b"yz"
    await appender.close()
    await blobs.close()
    assert told == ["blobs.put", "blobs.stream", "blobs.appender.sync", "blobs.read"]
