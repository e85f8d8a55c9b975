"""Settlements on their way to the ledger: nothing is taken twice, nothing is dropped, whoever asks for a commit."""

import asyncio

from scrapeyard.decisions.retry import Moment
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Lease, Offer, Settlement
from scrapeyard.model.job import JobId
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import VisitState
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.worker.hand import Crash
from scrapeyard.worker.heart import Heart
from scrapeyard.worker.messages import Ended
from scrapeyard.worker.policies import Terms
from scrapeyard.worker.settle import Settler


class SlowLeases:
    """Writes down what it is told, a turn of the loop later."""

    def __init__(self):
        self.told: list[int] = []

    async def settle(self, settlements: list[Settlement], *, now: float) -> list[bool]:
        await asyncio.sleep(0)
        self.told += [one.seq for one in settlements]
        return [True] * len(settlements)


def lease(seq: int) -> Lease:
    return Lease(Offer(JobId("j"), seq, str(seq), b"{}", ScraperRef("s", "1", "d"), 0, 1, 0.0), "w", seq + 1)


async def test_of_a_sentinel_nothing_is_recorded_however_it_ended():
    clock, leases = VirtualClock(), SlowLeases()
    heart = Heart("w", leases, clock, ttl=20.0, fence_share=0.8)  # pyright: ignore[reportArgumentType] - never beats
    settler = Settler("w", leases, lambda _: Terms(), lambda: Moment(0.0, 0.5), clock)  # pyright: ignore[reportArgumentType] - one method is used
    settler.released([lease(-1), lease(4)])
    settler.ended([(lease(-1), Ended("j", -1, 0, VisitState.SUCCEEDED, 0.0, 5))])
    settler.crashed(Crash("it died", (lease(-2), lease(5)), (lease(-3),), alone=True))
    await settler.commit(heart, 200)
    assert leases.told == [4, 5]


def test_a_commit_that_fails_is_one_trouble_however_many_items_it_takes_along():
    settler = Settler("w", SlowLeases(), lambda _: Terms(), lambda: Moment(0.0, 0.5), VirtualClock())  # pyright: ignore[reportArgumentType] - nothing is settled
    lost = [Ended("j", seq, seq + 1, VisitState.FAILED, 0.0, 5, kind=Kind.STORAGE_ERROR) for seq in range(50)]
    kept = [Ended("j", seq, seq + 1, VisitState.FAILED, 0.0, 5, kind=Kind.BLOCKED) for seq in range(3)]
    settler.ended([(lease(one.seq), one) for one in lost])
    settler.ended([(lease(one.seq), one) for one in kept])
    settler.crashed(Crash("it died", (lease(5), lease(6)), (lease(7),), alone=False))
    assert settler.troubled() == ({"storage_error": 4, "worker_lost": 1}, 3)
    assert settler.troubled() == ({}, 0)


async def test_two_commits_at_once_record_everything_once():
    clock, leases = VirtualClock(), SlowLeases()
    heart = Heart("w", leases, clock, ttl=20.0, fence_share=0.8)  # pyright: ignore[reportArgumentType] - never beats
    settler = Settler("w", leases, lambda _: Terms(), lambda: Moment(0.0, 0.5), clock)  # pyright: ignore[reportArgumentType] - one method is used
    settler.released([lease(seq) for seq in range(1_000)])
    await asyncio.gather(*(settler.commit(heart, 200) for _ in range(3)))
    assert leases.told == list(range(1_000))
    assert settler.waiting() == 0
