"""Workers that die: their items come back, and nothing late of them is let in."""

import asyncio
from typing import Any

from dispatcher.yard import Yard
from scrapeyard.dispatcher.watch import Watch
from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.states import JobState, VisitState

LEASE = 20.0


async def test_the_items_of_a_dead_worker_run_elsewhere_once_its_lease_is_over(yard: Yard) -> None:
    job = await yard.job(40)
    yard.dispatcher(lease=LEASE)
    victim = yard.worker("victim", slots=10, seconds=8.0)
    await yard.clock.advance(2)
    assert len(victim.running) == 10
    victim.die()
    await yard.clock.advance(1)
    heir = yard.worker("heir", slots=10, seconds=0.5)
    await yard.clock.advance(LEASE - 3)
    assert (await yard.tally(job)).count(VisitState.RUNNING) == 10
    await yard.clock.advance(30)
    assert await yard.state(job) is JobState.COMPLETED
    assert (await yard.tally(job)).states == {VisitState.SUCCEEDED: 40}
    orphans = {seq for _, _, seq in victim.started}
    assert orphans <= {seq for _, _, seq in heir.started}
    story = await yard.ledger.items.attempts(job, min(orphans))
    assert [(one.outcome, one.kind, one.worker) for one in story] == [
        ("lost", "worker_lost", "victim"),
        ("succeeded", None, "heir"),
    ]
    item = (await yard.ledger.items.page(job, after=min(orphans) - 1, limit=1))[0]
    assert (item.attempts, item.losses) == (1, 1), "a lost worker spends nobody's attempts"


async def test_a_dead_worker_does_not_keep_the_living_ones_waiting(yard: Yard) -> None:
    await yard.job(10_000)
    yard.dispatcher(lease=LEASE)
    victim = yard.worker("victim", slots=80, seconds=10.0)
    other = yard.worker("other", slots=5, seconds=0.5)
    await yard.clock.advance(5)
    victim.die()
    await yard.clock.advance(8)
    before = len(other.started)
    await yard.clock.advance(10)
    assert len(other.started) - before >= 0.6 * 10 * 5 / 0.5


async def test_a_worker_that_only_stopped_reporting_keeps_its_items(yard: Yard) -> None:
    job = await yard.job(4)
    yard.dispatcher(lease=LEASE)
    hand = yard.worker("deaf", slots=4, seconds=60.0)
    await yard.clock.advance(2)
    hand.deaf = True
    await yard.clock.advance(70)
    assert (await yard.tally(job)).states == {VisitState.SUCCEEDED: 4}
    assert len(hand.started) == 4
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_late_result_of_a_fenced_worker_is_not_recorded(yard: Yard) -> None:
    job = await yard.job(6)
    yard.dispatcher(lease=LEASE)
    sleeper = yard.worker("sleeper", slots=6, seconds=LEASE + 30)
    await yard.clock.advance(2)

    async def no_beat(beat: WorkerBeat) -> bool:
        return True if beat.worker == "sleeper" else await beaten(beat)

    beaten, yard.ledger.leases.beat = yard.ledger.leases.beat, no_beat
    sleeper.draining = True
    yard.worker("heir", slots=6, seconds=0.5)
    await yard.clock.advance(80)
    assert await yard.state(job) is JobState.COMPLETED
    tally = await yard.tally(job)
    assert tally.states == {VisitState.SUCCEEDED: 6}
    assert (tally.stale, sleeper.recorded) == (6, 0)


async def test_an_item_that_must_not_be_repeated_ends_as_uncertain(yard: Yard) -> None:
    job = await yard.job(3, repeatable=False)
    yard.dispatcher(lease=LEASE)
    victim = yard.worker("victim", slots=3, seconds=5.0)
    await yard.clock.advance(2)
    victim.die()
    await yard.clock.advance(LEASE + 5)
    assert (await yard.tally(job)).states == {VisitState.UNCERTAIN: 3}
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_worker_half_buried_by_a_dead_leader_is_buried_to_the_end_by_the_next(yard: Yard) -> None:
    job = await yard.job(500)
    settle = yard.ledger.leases.settle
    settled = 0

    async def dies_halfway(settlements: Any, *, now: float) -> list[bool]:
        nonlocal settled
        settled += 1
        if settled > 1:
            raise StorageError("the leader died here")
        return await settle(settlements, now=now)

    offers = await yard.ledger.offers.offer(job, 500, now=yard.clock.now(), until=yard.clock.now() + 5)
    await yard.ledger.leases.beat(WorkerBeat("dead", 1, 0.0))
    assert len(await yard.ledger.leases.begin("dead", offers, now=yard.clock.now())) == 500
    yard.ledger.leases.settle = dies_halfway
    watch = Watch(yard.ledger, yard.clock, LEASE, lambda: 0.0)
    await watch.look()
    await yard.clock.advance(LEASE)
    try:
        await watch.look()
    except StorageError:
        yard.ledger.leases.settle = settle
    assert (await yard.tally(job)).count(VisitState.RUNNING) == 300
    assert await Watch(yard.ledger, yard.clock, LEASE, lambda: 0.0).look() == ["dead"]
    assert (await yard.tally(job)).states == {VisitState.WAITING: 500}
    assert await yard.ledger.leases.workers() == []


async def test_a_beat_that_moves_is_life_whatever_the_clocks_say(yard: Yard) -> None:
    watch = Watch(yard.ledger, yard.clock, LEASE, lambda: 0.0)
    for version in range(40):
        await yard.ledger.leases.beat(WorkerBeat("w", version, 0.0))
        yard.clock.jump(86_400.0 if version % 2 else -80_000.0)
        assert await watch.look() == []
        await yard.clock.advance(LEASE - 1)
    await asyncio.sleep(0)


async def test_items_come_back_after_a_while_and_not_all_at_once(yard: Yard) -> None:
    job = await yard.job(50)
    offers = await yard.ledger.offers.offer(job, 50, now=yard.clock.now(), until=yard.clock.now() + 5)
    await yard.ledger.leases.beat(WorkerBeat("dead", 1, 0.0))
    await yard.ledger.leases.begin("dead", offers, now=yard.clock.now())
    luck = iter(number / 50 for number in range(50))
    watch = Watch(yard.ledger, yard.clock, LEASE, lambda: next(luck))
    await watch.look()
    await yard.clock.advance(LEASE)
    await watch.look()
    times = {item.not_before - yard.clock.now() for item in await yard.ledger.items.page(job)}
    assert len(times) == 50
    assert 0 <= min(times) < 0.2
    assert 4 < max(times) <= 5
