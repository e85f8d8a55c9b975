"""Work comes in through a ledger and a queue that fail now and then; no lease is forgotten, and nothing runs twice."""

from random import Random

import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.memory.queue import MemoryQueue
from scrapeyard.model.errors import StorageError
from scrapeyard.model.item import Selection
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import VisitState
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.testing.faults.kinds import DoubleDeliveries, ErrorOn, LostAnswers
from scrapeyard.testing.faults.wrapping import wrapped
from scrapeyard.testing.scenes import NOW, beat, staged, succeeded
from scrapeyard.worker.intake import Intake
from scrapeyard.worker.policies import Policies


class Place:
    """A ledger with a job, a queue with its offers, and an intake between faults."""

    def __init__(self, ledger_faults=(), queue_faults=()):
        self.plain, self.queue = MemoryLedger(), MemoryQueue()
        self.ledger = wrapped(self.plain, "ledger", *ledger_faults)
        clock = VirtualClock(NOW)
        queue = wrapped(self.queue, "queue", *queue_faults)
        self.intake = Intake("w1", Wants("http"), self.ledger.leases, queue, clock, lambda: None)
        self.policies = Policies(self.ledger.jobs)
        self.intake.arriving = self.policies.learn

    async def offered(self, count=4):
        self.scene = await staged(self.plain, count)
        await self.plain.leases.beat(beat("w1"))
        await self.queue.put(await self.scene.offer())

    async def taken(self):
        """What one look brings in, as `run` does it."""
        if not self.intake._asked:
            self.intake._asked = await self.intake._received(10)
        return await self.intake._begun()


async def test_a_question_for_leases_is_asked_again_until_it_is_answered():
    lost = LostAnswers(Random(1), 0.0)
    place = Place([lost])
    await place.offered()
    await place.policies.learn([place.scene.id])
    lost.share = 1.0
    with pytest.raises(StorageError):
        await place.taken()
    lost.share = 0.0
    assert await place.queue.depth() == 0
    assert len(await place.plain.items.running(place.scene.id)) == 4
    assert len(await place.taken()) == 4


async def test_what_a_job_wants_is_known_before_its_items_are_taken():
    place = Place([ErrorOn(1, names=["ledger.jobs.get"])])
    await place.offered()
    with pytest.raises(StorageError):
        await place.taken()
    assert await place.plain.items.running(place.scene.id) == []
    assert len(await place.taken()) == 4
    assert place.policies.of(place.scene.id).policy == Policy()


async def test_a_queue_that_does_not_hear_is_no_reason_to_stop():
    place = Place(queue_faults=[ErrorOn(1, 2, names=["queue.done", "queue.keep"])])
    await place.offered()
    leases = await place.taken()
    await place.intake.keep(20.0)
    await place.intake.settled([succeeded(lease) for lease in leases])
    assert await place.scene.settle(*(succeeded(lease) for lease in leases)) == [True] * 4


async def test_what_is_delivered_twice_runs_once():
    place = Place(queue_faults=[DoubleDeliveries(Random(1), 1.0)])
    await place.offered()
    assert len(await place.taken()) == 4
    assert await place.taken() == []


async def test_an_item_that_comes_back_for_another_try_is_no_double():
    place = Place()
    await place.offered(1)
    (lease,) = await place.taken()
    await place.scene.settle(succeeded(lease))
    assert await place.scene.redrive(Selection(frozenset({VisitState.SUCCEEDED}))) == 1
    await place.queue.put(await place.scene.offer(ttl=60))
    assert [one.offer.epoch for one in await place.taken()] == [1]


async def test_policies_that_cannot_be_learned_anew_stay_as_they_are():
    place = Place([ErrorOn(2, names=["ledger.jobs.get"])])
    await place.offered()
    await place.policies.learn([place.scene.id])
    with pytest.raises(StorageError):
        await place.policies.refresh([place.scene.id])
    assert place.policies.of(place.scene.id).scraper == "us.fl.leon.bill"
