"""A site where much fails is not given a second helping of tries beside its fresh items."""

from dispatcher.yard import FREE, Yard
from scrapeyard.decisions.strictest import site_limits
from scrapeyard.dispatcher.board import Site
from scrapeyard.model.item import Lease
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.states import JobState, VisitState

PACED = SitePolicy("paced.example", rate=10.0, concurrency=None)


def fails_once(lease: Lease) -> VisitState:
    return VisitState.WAITING if lease.offer.attempt == 1 else VisitState.SUCCEEDED


async def test_while_fresh_items_wait_at_most_a_fifth_of_the_starts_are_retries(yard: Yard) -> None:
    job = await yard.job(2000, site=PACED)
    yard.dispatcher()
    tries: list[tuple[float, int]] = []

    def end(lease: Lease) -> VisitState:
        tries.append((yard.clock.monotonic(), lease.offer.attempt))
        return fails_once(lease)

    yard.worker(slots=20, seconds=0.1, end=end)
    await yard.clock.advance(150)
    assert len(tries) > 1400
    for first in (0.0, 29.0):
        lately = [attempt for when, attempt in tries if first < when <= first + 121]
        assert 0.15 * len(lately) < sum(attempt > 1 for attempt in lately) <= 0.2 * len(lately) + 2
    await yard.clock.advance(300)
    assert await yard.state(job) is JobState.COMPLETED
    assert (await yard.tally(job)).states == {VisitState.SUCCEEDED: 2000}


async def test_a_job_with_nothing_but_retries_left_lets_the_fresh_items_of_others_go_first_and_says_so(
    yard: Yard,
) -> None:
    slow = SitePolicy("slow.example", rate=2.0, concurrency=None)
    old = await yard.job(60, site=slow)
    yard.dispatcher()
    hand = yard.worker(slots=20, seconds=0.1, pause=60.0, end=fails_once)
    await yard.clock.advance(33)
    new = await yard.job(300, site=slow)
    gates: set[str] = set()
    for _ in range(200):
        await yard.clock.advance(0.5)
        gate = await yard.gate(old)
        if gate is not None and gate.gate == "retry_budget":
            gates.add(gate.reason)
    (told,) = gates
    assert told == (
        "Only retries are left of this job; while other items of slow.example were never tried, "
        "retries are at most one start in 5."
    )
    mine = [when for when, job, _ in hand.started if job == old and when > 60]
    theirs = [when for when, job, _ in hand.started if job == new]
    assert 0 < len(mine) <= len(theirs) / 3
    hand.pause = 0.0
    await yard.clock.advance(600)
    assert {await yard.state(job) for job in (old, new)} == {JobState.COMPLETED}


async def test_what_was_cut_off_through_no_fault_of_the_site_is_no_retry(yard: Yard) -> None:
    job = await yard.job(40, site=FREE)
    site = Site("free.example", site_limits(None, []))
    first = await yard.ledger.offers.offer(job, 40, now=0.0, until=1.0)
    await yard.ledger.offers.sweep(now=2.0)
    second = await yard.ledger.offers.offer(job, 40, now=2.0, until=3.0)
    site.gave(first, 0.0)
    site.gave(second, 2.0)
    assert (len(first), len(second), site.repeats.room(2.0)) == (40, 40, 20)


async def test_when_only_retries_are_left_they_take_the_whole_rate(yard: Yard) -> None:
    job = await yard.job(100, site=PACED)
    yard.dispatcher()
    yard.worker(slots=20, seconds=0.1, pause=30.0, end=fails_once)
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED
