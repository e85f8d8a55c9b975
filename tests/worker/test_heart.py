"""A worker that cannot give a sign of life stops by itself before anybody else can have its items."""

import asyncio

import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.worker.heart import Heart


class Flaky:
    """The ledger's leases behind a line that can be cut."""

    def __init__(self, leases):
        self._leases = leases
        self.cut = False

    async def beat(self, beat: WorkerBeat) -> bool:
        if self.cut:
            raise StorageError("the line is cut")
        return await self._leases.beat(beat)


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def line():
    return Flaky(MemoryLedger().leases)


@pytest.fixture
async def heart(line, clock):
    heart = Heart("w", line, clock, ttl=20.0, fence_share=0.8)
    await heart.first()
    beating = asyncio.create_task(heart.run())
    yield heart
    beating.cancel()


async def test_it_beats_on_for_as_long_as_it_is_heard(heart, line, clock):
    await clock.advance(300)
    assert heart.alive()
    [beat] = await line._leases.workers()
    assert beat.version >= 50


async def test_a_short_cut_is_survived(heart, line, clock):
    line.cut = True
    await clock.advance(10)
    line.cut = False
    await clock.advance(10)
    assert heart.alive()


async def test_after_four_fifths_of_its_lease_it_stops_for_good(heart, line, clock):
    line.cut = True
    await clock.advance(15)
    assert heart.alive()
    await clock.advance(7)
    assert not heart.alive()
    line.cut = False
    await clock.advance(100)
    assert not heart.alive()


async def test_once_fenced_off_it_knows_at_the_next_beat(heart, line, clock):
    await clock.advance(6)
    [beat] = await line._leases.workers()
    await line._leases.fence("w", beat.version)
    await clock.advance(6)
    assert not heart.alive()
    assert "declared dead" in (heart.stopped or "")
