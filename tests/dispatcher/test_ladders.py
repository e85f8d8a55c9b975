"""Offers take the cheapest way that works, and what was learned of ways outlives the dispatcher and the job."""

from collections import Counter

import msgspec

from dispatcher.yard import FREE, Yard
from scrapeyard.decisions.breaker import Occasion
from scrapeyard.model.breaker import Breaker, Phase
from scrapeyard.model.item import Lease
from scrapeyard.model.ladder import Price
from scrapeyard.model.states import JobState, VisitState

TIERS = ("direct", "datacenter", "residential")
COST = {"direct": 0, "datacenter": 50, "residential": 500}
PRICES = {"datacenter": Price(0.5), "residential": Price(5.0)}


def blocks_direct(lease: Lease) -> VisitState:
    return VisitState.FAILED if lease.offer.tier == "direct" else VisitState.SUCCEEDED


def cost(lease: Lease) -> int:
    return COST[lease.offer.tier]


async def test_a_job_against_a_site_that_blocks_direct_requests_ends_on_the_next_tier(yard: Yard) -> None:
    job = await yard.job(1_000, tiers=TIERS)
    yard.dispatcher(prices=PRICES)
    hand = yard.worker(slots=10, end=blocks_direct, rungs=3, cost=cost)
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED
    ways = Counter(hand.ways)
    assert ways[1] == 1_000
    assert ways[0] < 100
    assert ways[2] == 0
    tally = await yard.tally(job)
    assert tally.cost_micros == 50_000
    assert {name: (tier.tries, tier.good) for name, tier in tally.tiers.items()} == {
        "datacenter": (1_000, 1_000),
        "direct": (ways[0], 0),
    }


async def test_a_new_leader_knows_what_the_last_one_learned(yard: Yard) -> None:
    await yard.job(4_000, tiers=TIERS)
    first = yard.dispatcher(prices=PRICES)
    hand = yard.worker(slots=10, end=blocks_direct, rungs=3, cost=cost)
    await yard.clock.advance(30)
    first.stop()
    await yard.clock.advance(10)
    hand.ways.clear()
    yard.dispatcher(prices=PRICES)
    await yard.clock.advance(10)
    assert len(hand.ways) > 200
    assert hand.ways.count(0) <= 2 + len(hand.ways) // 50


async def test_the_next_job_on_a_site_begins_where_the_last_one_ended_and_soon_looks_again(yard: Yard) -> None:
    yard.dispatcher(prices=PRICES)
    hand = yard.worker(slots=10, end=blocks_direct, rungs=3, cost=cost)
    await yard.job(1_000, tiers=TIERS)
    await yard.clock.advance(60)
    hand.ways.clear()
    second = await yard.job(40, tiers=TIERS)
    await yard.clock.advance(20)
    assert await yard.state(second) is JobState.COMPLETED
    assert hand.ways[0] == 1
    assert hand.ways.count(0) == 1


async def test_a_site_that_opens_again_is_visited_directly_again(yard: Yard) -> None:
    opened = False
    job = await yard.job(4_000, tiers=TIERS)
    yard.dispatcher(prices=PRICES)
    hand = yard.worker(
        slots=20, rungs=3, cost=cost, end=lambda lease: VisitState.SUCCEEDED if opened else blocks_direct(lease)
    )
    await yard.clock.advance(10)
    assert hand.ways[-50:].count(1) > 40
    opened = True
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED
    assert hand.ways[-500:].count(0) > 450


async def test_items_for_which_no_way_is_open_wait_without_holding_a_place(yard: Yard) -> None:
    job = await yard.job(5, site=msgspec.structs.replace(FREE, name="bad.example"), tiers=TIERS)
    dispatcher = yard.dispatcher(prices=PRICES, offer_ttl=3.0)
    hand = yard.worker(end=lambda _: VisitState.FAILED, rungs=3, cost=cost)
    await yard.clock.advance(0.3)
    term = dispatcher._term  # pyright: ignore[reportPrivateUsage] - the breaker's part is played here
    assert term is not None
    live = term._board.jobs[job]  # pyright: ignore[reportPrivateUsage]
    ways = term._breakers.ways[job]  # pyright: ignore[reportPrivateUsage]
    closed = [ways.take(rung, Occasion(yard.clock.now())) for rung in (1, 2)]
    for way in closed:
        way.breaker = Breaker(Phase.OPEN, until=yard.clock.now() + 600)
    await yard.clock.advance(30)
    assert set(hand.ways) == {0}
    assert live.held == 0
    assert (await yard.tally(job)).moving == 5
    for way in closed:
        way.breaker = Breaker()
    await yard.clock.advance(120)
    assert (await yard.tally(job)).failed == {"blocked": 5}


async def test_knowledge_of_a_job_is_forgotten_with_it_and_that_of_its_site_stays(yard: Yard) -> None:
    yard.dispatcher(prices=PRICES)
    yard.worker(slots=10, end=blocks_direct, rungs=3, cost=cost)
    job = await yard.job(300, tiers=TIERS)
    await yard.clock.advance(8)
    assert await yard.ledger.memos.recall(f"ladder/job/{job}") is not None
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED
    assert [memo.name for memo in await yard.ledger.memos.under("ladder/")] == ["ladder/site/free.example"]
