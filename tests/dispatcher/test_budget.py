"""A job stops when its budget is used up, and goes on when the budget is raised."""

from dispatcher.yard import Yard
from scrapeyard.model.ladder import Price
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState

TIERS = ("residential",)
PRICES = {"residential": Price(usd_per_gb=5.0)}
EACH = 500


async def test_a_job_stops_at_its_budget_with_no_more_than_what_was_under_way_beyond_it(yard: Yard) -> None:
    job = await yard.job(2_000, tiers=TIERS, policy=Policy(stop_at_usd=0.25))
    yard.dispatcher(prices=PRICES)
    yard.worker(slots=16, cost=lambda _: EACH)
    await yard.clock.advance(60)
    tally = await yard.tally(job)
    assert 250_000 <= tally.cost_micros <= 250_000 + 2 * EACH
    gate = await yard.gate(job)
    assert gate is not None
    assert gate.gate == "budget"
    assert "0.25 of 0.25 dollars" in gate.reason
    assert tally.count(VisitState.OFFERED, VisitState.RUNNING) == 0
    await yard.ledger.jobs.revise(job, Policy(stop_at_usd=10.0))
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED


async def test_bytes_are_a_budget_too(yard: Yard) -> None:
    job = await yard.job(2_000, tiers=TIERS, policy=Policy(stop_at_gb=0.1))
    yard.dispatcher(prices=PRICES)
    yard.worker(slots=16, cost=lambda _: EACH)
    await yard.clock.advance(60)
    assert 100_000_000 <= (await yard.tally(job)).wire_bytes <= 100_000_000 + 16 * EACH * 1_000


async def test_a_worker_that_is_slow_to_record_does_not_let_the_budget_be_passed(yard: Yard) -> None:
    job = await yard.job(2_000, tiers=TIERS, policy=Policy(stop_at_usd=0.1))
    yard.dispatcher(prices=PRICES)
    yard.worker(slots=16, cost=lambda _: EACH, commit=4.0)
    await yard.clock.advance(60)
    assert 100_000 <= (await yard.tally(job)).cost_micros <= 100_000 + 16 * EACH


async def test_a_new_leader_counts_what_was_spent_before_it(yard: Yard) -> None:
    job = await yard.job(2_000, tiers=TIERS, policy=Policy(stop_at_usd=0.25))
    first = yard.dispatcher(prices=PRICES)
    yard.worker(slots=16, cost=lambda _: EACH)
    await yard.clock.advance(3)
    first.stop()
    await yard.clock.advance(7)
    yard.dispatcher(prices=PRICES)
    await yard.clock.advance(60)
    assert 250_000 <= (await yard.tally(job)).cost_micros <= 250_000 + 16 * EACH
