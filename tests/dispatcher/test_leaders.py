"""One active dispatcher; another one when it is gone; and no harm while there are two."""

from typing import Any

from dispatcher.yard import Yard
from scrapeyard.backends.memory.leaders import MemoryLeaders
from scrapeyard.dispatcher.leadership import ROLE, Leadership
from scrapeyard.model.errors import StorageError
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.leaders import Leader
from scrapeyard.testing.clock import VirtualClock

TTL = 5.0


async def test_only_one_of_two_leads(yard: Yard) -> None:
    first, second = yard.dispatcher(), yard.dispatcher()
    await yard.clock.advance(60)
    assert (first.leads, second.leads) == (True, False)


async def test_a_dead_leader_is_replaced_and_the_job_ends(yard: Yard) -> None:
    job = await yard.job(200)
    first = yard.dispatcher()
    yard.tasks[-1].set_name("first")
    yard.worker(slots=4, seconds=0.5)
    await yard.clock.advance(5)
    second = yard.dispatcher()
    await yard.clock.advance(1)
    freeze(first)
    await yard.clock.advance(TTL - 1)
    assert not second.leads
    await yard.clock.advance(2.5)
    assert second.leads
    await yard.clock.advance(40)
    assert await yard.state(job) is JobState.COMPLETED
    assert (await yard.tally(job)).states == {VisitState.SUCCEEDED: 200}


async def test_a_leader_that_is_stopped_makes_room_at_once(yard: Yard) -> None:
    first = yard.dispatcher()
    await yard.clock.advance(1)
    second = yard.dispatcher()
    await yard.clock.advance(1)
    first.stop()
    await yard.clock.advance(0.7)
    assert (first.leads, second.leads) == (False, True)


async def test_a_leader_whose_claim_is_taken_steps_down_and_wakes_no_more(yard: Yard) -> None:
    first = yard.dispatcher()
    await yard.clock.advance(1)
    leaders = yard.ledger.leaders
    await leaders.claim(ROLE, "usurper", seen=await leaders.leader(ROLE))
    await yard.clock.advance(TTL / 2)
    assert not first.leads
    leader = await leaders.leader(ROLE)
    assert leader is not None
    assert leader.holder == "usurper"


async def test_two_leaders_at_once_record_nothing_twice(yard: Yard) -> None:
    job = await yard.job(300)
    yard.ledger._leaders = Everybody()
    dispatchers = [yard.dispatcher() for _ in range(2)]
    hands = [yard.worker(f"w{number}", slots=6, seconds=0.3) for number in range(3)]
    await yard.clock.advance(1)
    assert all(dispatcher.leads for dispatcher in dispatchers)
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED
    assert (await yard.tally(job)).states == {VisitState.SUCCEEDED: 300}
    assert sum(hand.recorded for hand in hands) == 300


class Everybody(MemoryLeaders):
    """Two stores that cannot see each other: whoever asks, leads."""

    async def leader(self, role: str) -> Leader | None:
        return None

    async def claim(self, role: str, holder: str, *, seen: Leader | None) -> Leader | None:
        return Leader(role, holder, 1)


async def test_what_a_dead_leader_had_offered_counts_against_the_limits_of_the_next(yard: Yard) -> None:
    from scrapeyard.model.policy import SitePolicy

    await yard.job(100, site=SitePolicy("small.example", None, 3))
    first = yard.dispatcher()
    hand = yard.worker(slots=10, seconds=30.0)
    await yard.clock.advance(2)
    assert hand.most == 3
    first.stop()
    await yard.clock.advance(0.1)
    yard.dispatcher()
    await yard.clock.advance(20)
    assert hand.most == 3
    await yard.clock.advance(20)
    assert (hand.most, len(hand.started)) == (3, 6)


async def test_an_observer_waits_for_the_term_by_its_own_clock_from_when_it_first_saw_the_leader() -> None:
    clock, leaders = VirtualClock(), MemoryLeaders()
    assert await Leadership(leaders, clock, "old", TTL).held()
    await clock.advance(1000.0)
    new = Leadership(leaders, clock, "new", TTL)
    assert not await new.held()
    clock.jump(86_400.0)
    await clock.advance(TTL - 0.5)
    assert not await new.held()
    await clock.advance(0.6)
    assert await new.held()


async def test_a_renewed_lead_is_not_taken() -> None:
    clock, leaders = VirtualClock(), MemoryLeaders()
    old, new = (Leadership(leaders, clock, name, TTL) for name in ("old", "new"))
    for _ in range(100):
        assert await old.held()
        assert not await new.held()
        await clock.advance(0.5)


async def test_a_leader_that_cannot_reach_the_store_steps_down_before_anybody_else_can_lead() -> None:
    clock, leaders = VirtualClock(), Flaky()
    old, new = Leadership(leaders, clock, "old", TTL), Leadership(leaders, clock, "new", TTL)
    assert await old.held()
    assert not await new.held()
    leaders.broken_for = "old"
    while await old.held():
        assert not await new.held()
        await clock.advance(0.1)
    stepped_down = clock.monotonic()
    while not await new.held():
        await clock.advance(0.1)
    assert clock.monotonic() > stepped_down


async def test_a_leader_that_cannot_reach_the_store_for_a_moment_goes_on() -> None:
    clock, leaders = VirtualClock(), Flaky()
    old = Leadership(leaders, clock, "old", TTL)
    assert await old.held()
    leaders.broken_for = "old"
    await clock.advance(2.0)
    assert await old.held()
    leaders.broken_for = ""
    await clock.advance(1.0)
    assert await old.held()
    await clock.advance(TTL - 0.5)
    assert await old.held()


async def test_a_claim_whose_answer_was_lost_is_one_s_own() -> None:
    clock, leaders = VirtualClock(), MemoryLeaders()
    assert await leaders.claim(ROLE, "me", seen=None)
    assert await Leadership(leaders, clock, "me", TTL).held()


class Flaky(MemoryLeaders):
    """Gives one holder no answer."""

    broken_for = ""

    async def claim(self, role: str, holder: str, *, seen: Leader | None) -> Leader | None:
        if holder == self.broken_for:
            raise StorageError("no answer")
        return await super().claim(role, holder, seen=seen)


def freeze(dispatcher: Any) -> None:
    """As by SIGSTOP: it does nothing more, and resigns from nothing."""

    async def for_ever() -> None:
        import asyncio

        await asyncio.Event().wait()

    dispatcher._turn = for_ever
