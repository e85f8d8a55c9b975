"""Known-good items through the real dispatcher: asked beside the list, believed only with witnesses, never recorded."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec

from dispatcher.test_breaking import ITEMS, Site, ends, gates, trips
from dispatcher.yard import Hand, Yard
from scrapeyard.dispatcher.sentinels import Guard
from scrapeyard.model.failures import Kind
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import BreakerPolicy, Policy, SitePolicy
from scrapeyard.model.states import JobState, VisitState

GOOD, ABSENT = VisitState.SUCCEEDED, VisitState.ABSENT
ONE = ('{"parcel_id":"001"}',)
TWO = (*ONE, '{"parcel_id":"002"}')
Came = VisitState | Kind


def watched(*sentinels: str, **rules: Any) -> Policy:
    return Policy(breaker=msgspec.structs.replace(BreakerPolicy(), sentinels=sentinels, **rules))


async def job_of(yard: Yard, items: int, policy: Policy, **fields: Any) -> JobId:
    return await yard.job(items, policy=policy, key_fields=("parcel_id",), **fields)


def asked(hand: Hand) -> list[str]:
    return [offer.key for _, offer in hand.sentinels]


async def names(yard: Yard, job: JobId) -> dict[str, str]:
    return {one.name: one.words for one in await yard.ledger.events.page(job=job, limit=1_000)}


async def passes(yard: Yard, true: Callable[[], bool], *, within: float) -> None:
    for _ in range(int(within / 0.5)):
        await yard.clock.advance(0.5)
        if true():
            return
    raise AssertionError(f"it did not come about within {within:g} s")


async def test_sentinels_are_asked_in_the_canary_and_every_few_minutes_and_stand_in_no_tally(yard: Yard) -> None:
    job = await job_of(yard, 3_000, watched(*TWO))
    yard.dispatcher()
    hand = yard.worker(slots=4, seconds=1.0)
    await yard.clock.advance(2)
    assert sorted(asked(hand)) == ["001", "002"]
    await ends(yard, job)
    moments = [moment for moment, _ in hand.sentinels[1:]]
    assert len(moments) >= 3
    assert all(later - earlier >= 299 for earlier, later in pairwise(moments))
    tally = await yard.tally(job)
    assert (sum(tally.states.values()), tally.attempts) == (3_000, 3_000)
    assert all(item.seq >= 0 for item in await yard.ledger.items.page(job, after=-1_000, limit=5_000))
    assert hand.recorded == 3_000


async def test_a_session_that_died_is_seen_by_its_sentinel_and_the_job_is_let_on_by_it_alone(yard: Yard) -> None:
    """Four in ten are absent anyhow, so that their share alone tells of it late; and no probe is asked in vain."""
    site = Site(yard, lambda _: ABSENT, lambda lease: ABSENT if lease.offer.seq % 10 < 4 else GOOD)
    site.down = 200.0
    job = await job_of(yard, ITEMS, watched(*ONE))
    yard.dispatcher()
    hand = yard.worker(slots=20, end=lambda lease: site.came(lease) if lease.offer.seq >= 0 else told(site))
    await gates(yard, job, lambda: site.broke is not None)
    await passes(yard, lambda: yard.clock.monotonic() >= (site.repaired or 0.0) - 1, within=600)
    found = await trips(yard, job)
    assert {trip.cause for trip in found} <= {"absent", "sentinel"}
    in_the_dark = [visit for visit in hand.visits if (site.broke or 0.0) + 30 <= visit.began < (site.repaired or 0.0)]
    assert in_the_dark == [], "it is the sentinel that is asked again, and no item"
    gate = await yard.gate(job)
    assert gate is not None
    await ends(yard, job)
    assert (await yard.tally(job)).answered == ITEMS


def told(site: Site) -> Came:
    return GOOD if site.works else ABSENT


async def test_a_job_that_begins_with_a_dead_session_stops_after_a_few_items(yard: Yard) -> None:
    job = await job_of(yard, 2_000, watched(*TWO))
    yard.dispatcher()
    hand = yard.worker(slots=50, end=lambda _: ABSENT)
    await yard.clock.advance(30)
    (trip,) = await trips(yard, job)
    assert trip.cause == "sentinel"
    assert "001 (absent)" in trip.sentinel
    assert len(hand.visits) <= 25
    assert "001 (absent)" in (await names(yard, job))["breaker_tripped"]


async def test_while_a_sentinel_is_awaited_the_gate_names_it(yard: Yard) -> None:
    job = await job_of(yard, 2_000, watched(*ONE))
    yard.dispatcher()
    hand = yard.worker(slots=50, end=lambda _: ABSENT, seconds=lambda lease: 0.2 if lease.offer.attempt < 3 else 40.0)
    await passes(yard, lambda: len(hand.sentinels) >= 3, within=120)
    await yard.clock.advance(2)
    gate = await yard.gate(job)
    assert gate is not None
    assert (gate.gate, "The sentinel 001" in gate.reason) == ("probing", True)


async def test_a_sentinel_that_is_out_of_date_is_put_aside_and_named_while_the_job_goes_on(yard: Yard) -> None:
    job = await job_of(yard, 2_000, watched(*ONE))
    yard.dispatcher()
    hand = yard.worker(slots=20, end=lambda lease: ABSENT if lease.offer.sentinel else GOOD)
    await ends(yard, job)
    assert await trips(yard, job) == []
    assert "001 (absent)" in (await names(yard, job))["sentinel_doubted"]
    assert len(hand.sentinels) == 2, "once more to be sure, and then no more"


async def test_a_sentinel_that_fails_once_by_chance_alarms_nobody(yard: Yard) -> None:
    job = await job_of(yard, 2_000, watched(*ONE))
    yard.dispatcher()
    hand = yard.worker(
        slots=20,
        end=lambda lease: GOOD if not lease.offer.sentinel or lease.offer.attempt > 1 else Kind.TIMEOUT_READ,
    )
    await ends(yard, job)
    assert (asked(hand), await trips(yard, job)) == (["001", "001"], [])
    assert "sentinel_doubted" not in await names(yard, job)


async def test_what_is_our_own_fault_says_nothing_of_a_sentinel(yard: Yard) -> None:
    job = await job_of(yard, 600, watched(*ONE))
    yard.dispatcher()
    yard.worker(slots=20, end=lambda lease: Kind.STORAGE_ERROR if lease.offer.sentinel else GOOD)
    await ends(yard, job)
    assert await trips(yard, job) == []
    assert "sentinel_doubted" not in await names(yard, job)


async def test_a_sentinel_takes_its_place_among_those_that_the_site_takes_at_once(yard: Yard) -> None:
    job = await job_of(yard, 300, watched(*TWO), site=SitePolicy("narrow.example", rate=None, concurrency=1))
    yard.dispatcher()
    hand = yard.worker(slots=20, seconds=1.0)
    busiest = 0
    for _ in range(400):
        await yard.clock.advance(0.1)
        busiest = max(busiest, len(hand.running))
    assert (busiest, sorted(asked(hand))) == (1, ["001"])
    assert await yard.state(job) is JobState.RUNNING


async def test_nobody_is_asked_for_a_job_without_sentinels_or_with_fewer_items_than_a_canary(yard: Yard) -> None:
    small, without = await job_of(yard, 20, watched(*ONE)), await job_of(yard, 500, watched())
    yard.dispatcher()
    hand = yard.worker(slots=20)
    await ends(yard, small)
    await ends(yard, without)
    assert hand.sentinels == []


async def test_a_lost_question_is_asked_again(yard: Yard) -> None:
    """The channel is lossy, and what was asked may end with its worker."""
    job = await job_of(yard, 100_000, watched(*ONE))
    yard.dispatcher()
    hand = yard.worker("w1", slots=4)
    other = yard.worker("w2", slots=4)
    await passes(yard, lambda: bool(hand.sentinels or other.sentinels), within=10)
    victim = hand if hand.sentinels else other
    if any(lease.offer.sentinel for lease in victim.running.values()):
        victim.die()
    await passes(yard, lambda: len(hand.sentinels) + len(other.sentinels) >= 2, within=400)
    assert await trips(yard, job) == []


def test_sentinels_are_asked_in_turn() -> None:
    guard = Guard(live=None, inputs=TWO)  # pyright: ignore[reportArgumentType] - as much of it as is needed
    firsts: list[int] = []
    for _ in range(3):
        firsts.append(guard.good[0])
        guard.turn += 1
    guard.aside.add(0)
    assert (firsts, guard.good) == ([0, 1, 0], [1])
