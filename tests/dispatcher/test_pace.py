"""Rates and shares: over any ten seconds, over all workers and jobs."""

import random
from collections import Counter
from itertools import combinations

import pytest

from dispatcher.yard import FREE, Hand, Yard
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.model.fleet import OutcomeNote, WorkerBeat, WorkerReport
from scrapeyard.model.item import Settlement
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.clock import VirtualClock


def most_in_ten(times: list[float]) -> int:
    """The largest number of moments within any ten seconds."""
    times = sorted(times)
    most = start = 0
    for end, time in enumerate(times):
        while time - times[start] >= 10.0:
            start += 1
        most = max(most, end - start + 1)
    return most


def starts(hands: list[Hand]) -> list[float]:
    return [when for hand in hands for when, _, _ in hand.started]


def requests(hands: list[Hand], site: str) -> list[float]:
    return [when for hand in hands for when, name in hand.spent if name == site]


async def test_three_jobs_on_one_site_keep_its_one_rate_over_all_workers(yard: Yard) -> None:
    site = SitePolicy("paced.example", rate=10.0, concurrency=None)
    jobs = [await yard.job(400, site=site) for _ in range(3)]
    yard.dispatcher()
    hands = [yard.worker(f"w{number}", slots=8, seconds=0.3, requests=1) for number in range(3)]
    await yard.clock.advance(40)
    assert most_in_ten(starts(hands)) <= 105
    assert most_in_ten(requests(hands, "paced.example")) <= 105
    assert len(requests(hands, "paced.example")) >= 0.9 * 38 * 10
    by_job = Counter(job for hand in hands for _, job, _ in hand.started)
    assert max(by_job.values()) - min(by_job.values()) <= 10
    assert set(by_job) == set(jobs)


async def test_five_requests_an_item_do_not_make_a_site_see_five_times_its_rate(yard: Yard) -> None:
    site = SitePolicy("deep.example", rate=20.0, concurrency=None)
    await yard.job(2000, site=site)
    yard.dispatcher()
    hands = [yard.worker(f"w{number}", slots=32, seconds=0.1, requests=5) for number in range(4)]
    await yard.clock.advance(40)
    sent = requests(hands, "deep.example")
    assert most_in_ten(sent) <= 210
    assert len(sent) >= 0.9 * 38 * 20


class Halting(MemoryFleet):
    """A channel on which every word takes its time, now and then most of a second."""

    def __init__(self, clock: VirtualClock, dice: random.Random) -> None:
        super().__init__()
        self.clock = clock
        self.dice = dice

    async def collect(self) -> list[WorkerReport]:
        await self.clock.sleep(self.dice.choice((0.01, 0.05, 0.1, 0.3)))
        return await super().collect()


@pytest.mark.parametrize("seed", range(3))
async def test_a_rate_is_kept_and_used_however_late_reports_and_dispatcher_are(yard: Yard, seed: int) -> None:
    dice = random.Random(seed)
    yard.fleet = Halting(yard.clock, dice)
    site = SitePolicy("paced.example", rate=20.0, concurrency=None)
    for _ in range(2):
        await yard.job(2000, site=site)
    yard.dispatcher()
    hands = [
        yard.worker(f"w{number}", slots=16, seconds=0.01, requests=4, every=lambda: dice.uniform(0.2, 0.6))
        for number in range(4)
    ]
    await yard.clock.advance(60)
    sent = sorted(requests(hands, "paced.example"))
    fewest = min(sum(start <= when < start + 10 for when in sent) for start in range(5, 50))
    print(f"in any ten seconds {most_in_ten(sent)} at most, {fewest} at least")
    assert most_in_ten(sent) <= 210
    assert fewest >= 180


async def test_a_site_that_was_left_alone_for_long_is_not_stormed(yard: Yard) -> None:
    await yard.job(3000, site=SitePolicy("paced.example", rate=20.0, concurrency=None))
    yard.dispatcher()
    await yard.clock.advance(60)
    hands = [yard.worker(f"w{number}", slots=64, seconds=0.1, requests=1) for number in range(2)]
    await yard.clock.advance(15)
    assert most_in_ten(starts(hands)) <= 210
    assert most_in_ten(requests(hands, "paced.example")) <= 210


async def test_a_rate_is_used_to_the_full_by_a_few_slots_with_short_visits(yard: Yard) -> None:
    await yard.job(3000, site=SitePolicy("paced.example", rate=50.0, concurrency=None))
    yard.dispatcher()
    hand = yard.worker(slots=8, seconds=0.05, requests=1)
    await yard.clock.advance(30)
    sent = requests([hand], "paced.example")
    assert most_in_ten(sent) <= 525
    assert len(sent) >= 0.9 * 26 * 50


async def test_items_that_only_wait_for_permits_do_not_fill_all_slots(yard: Yard) -> None:
    slow = await yard.job(2000, site=SitePolicy("deep.example", rate=4.0, concurrency=None), policy=Policy(priority=9))
    free = await yard.job(100_000, site=FREE, policy=Policy(priority=0))
    yard.dispatcher()
    hand = yard.worker(slots=60, seconds=0.5, requests=8)
    await yard.clock.advance(40)
    by_job = Counter(job for _, job, _ in hand.started)
    assert by_job[slow] > 10
    assert by_job[free] > 0.5 * 40 * 30 / 0.5


async def test_a_second_dispatcher_that_takes_over_gives_nobody_a_second_helping(yard: Yard) -> None:
    site = SitePolicy("paced.example", rate=10.0, concurrency=None)
    await yard.job(1000, site=site)
    first = yard.dispatcher()
    hands = [yard.worker(f"w{number}", slots=8, requests=1) for number in range(2)]
    await yard.clock.advance(15)
    yard.dispatcher()
    first.stop()
    await yard.clock.advance(15)
    assert most_in_ten(requests(hands, "paced.example")) <= 105
    assert most_in_ten(starts(hands)) <= 105
    assert len(requests(hands, "paced.example")) >= 250


async def test_a_job_that_wants_less_slows_only_itself(yard: Yard) -> None:
    site = SitePolicy("paced.example", rate=20.0, concurrency=None)
    shy = await yard.job(500, site=site, policy=Policy(rate=2.0))
    bold = await yard.job(5000, site=site)
    yard.dispatcher()
    hand = yard.worker(slots=32)
    await yard.clock.advance(31)
    by_job = Counter(job for _, job, _ in hand.started)
    assert 50 <= by_job[shy] <= 62
    assert by_job[bold] >= 15 * 30


async def test_a_stranger_is_asked_for_leave_too(yard: Yard) -> None:
    job = await yard.job(100)
    yard.dispatcher()
    hand = yard.worker(slots=32, requests=1, contacts="cdn.example")
    await yard.clock.advance(20)
    assert most_in_ten(requests([hand], "cdn.example")) <= 53
    assert len(requests([hand], "cdn.example")) >= 0.9 * 18 * 5
    await yard.clock.advance(15)
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_site_without_a_limit_costs_no_waiting(yard: Yard) -> None:
    await yard.job(100_000)
    yard.dispatcher()
    hand = yard.worker(slots=10, seconds=0.1, requests=20)
    await yard.clock.advance(10)
    assert len(hand.started) >= 0.6 * 10 * 10 / 0.1


async def test_priority_doubles_with_each_step_and_nobody_starves(yard: Yard) -> None:
    low, middle, high = [await yard.job(100_000, policy=Policy(priority=level)) for level in (2, 4, 6)]
    yard.dispatcher()
    hand = yard.worker(slots=24, seconds=0.5)
    await yard.clock.advance(40)
    by_job = Counter(job for _, job, _ in hand.started)
    assert 3.2 < by_job[high] / by_job[middle] < 4.8
    assert 3.2 < by_job[middle] / by_job[low] < 4.8


async def test_the_highest_priority_leaves_something_for_the_lowest(yard: Yard) -> None:
    first, last = [await yard.job(100_000, policy=Policy(priority=level)) for level in (9, 0)]
    yard.dispatcher()
    hand = yard.worker(slots=20, seconds=0.1)
    await yard.clock.advance(40)
    by_job = Counter(job for _, job, _ in hand.started)
    assert by_job[first] > 100 * by_job[last]
    assert by_job[last] >= 3


async def test_what_is_shared_is_the_workers_time_and_not_the_number_of_items(yard: Yard) -> None:
    quick, slow = await yard.job(100_000), await yard.job(100_000)
    yard.dispatcher()
    hand = yard.worker(slots=20, seconds=0.2, slow={slow: 2.0})
    await yard.clock.advance(80)
    by_job = Counter(job for _, job, _ in hand.started)
    assert 7 < by_job[quick] / by_job[slow] < 13


async def test_a_new_job_does_not_wait_for_an_old_ones_list_to_end(yard: Yard) -> None:
    old = await yard.job(100_000)
    yard.dispatcher()
    yard.worker(slots=20, seconds=0.2)
    await yard.clock.advance(20)
    new = await yard.job(100)
    await yard.clock.advance(10)
    assert await yard.state(new) is JobState.COMPLETED
    assert await yard.state(old) is JobState.RUNNING


async def test_jobs_of_one_priority_get_the_same(yard: Yard) -> None:
    jobs = [await yard.job(100_000) for _ in range(5)]
    yard.dispatcher()
    hand = yard.worker(slots=40, seconds=0.3)
    await yard.clock.advance(30)
    by_job = Counter(job for _, job, _ in hand.started)
    assert all(abs(by_job[one] - by_job[two]) < 0.15 * by_job[one] for one, two in combinations(jobs, 2))


async def test_the_queue_holds_seconds_of_work_and_no_more(yard: Yard) -> None:
    await yard.job(100_000)
    yard.dispatcher()
    yard.worker(slots=10, seconds=0.5)
    deepest = 0
    for _ in range(100):
        await yard.clock.advance(0.2)
        deepest = max(deepest, await yard.queue.depth())
    assert deepest <= 2.0 * (10 / 0.5 + 10)  # in any one second, as many as run may end twice
    assert deepest > 10


async def test_the_window_grows_to_what_the_workers_can_do(yard: Yard) -> None:
    job = await yard.job(60_000)
    yard.dispatcher()
    mill = Mill(yard)
    for _ in range(100):
        await mill.turn()
        await yard.clock.advance(0.05)
    assert mill.done >= 30_000, "10,000 a second are possible; a second or so is spent on finding out"
    assert await yard.queue.depth() <= 20_000
    await mill.turn()
    assert (await yard.tally(job)).count(VisitState.SUCCEEDED) == mill.done


class Mill:
    """A worker for which every item takes no time: 500 of them every 0.05 s, told every 0.25 s."""

    def __init__(self, yard: Yard) -> None:
        self.yard = yard
        self.done = 0
        self.turns = 0
        self.notes: list[OutcomeNote] = []

    async def turn(self) -> None:
        yard, now = self.yard, self.yard.clock.now()
        taken = await yard.queue.take("mill", Wants("http"), 500, now=now)
        leases = await yard.ledger.leases.begin("mill", [one.offer for one in taken], now=now)
        ended = [
            Settlement(lease.offer.job, lease.offer.seq, 0, lease.fence, VisitState.SUCCEEDED, 1) for lease in leases
        ]
        self.done += sum(await yard.ledger.leases.settle(ended, now=now))
        self.notes += [OutcomeNote(one.job, one.seq, "", "direct", 1, one.state, None, 0) for one in ended]
        if self.turns % 5 == 0:
            await yard.ledger.leases.beat(WorkerBeat("mill", self.turns, 0.0))
            report = WorkerReport("mill", self.turns, "http", 16, 16, outcomes=tuple(self.notes))
            await yard.fleet.report(report)
            self.notes = []
        self.turns += 1


async def test_the_view_of_a_job_says_how_fast_it_goes_and_within_which_limits(yard: Yard) -> None:
    site = SitePolicy("paced.example", rate=20.0, concurrency=3)
    job = await yard.job(2_000, site=site, policy=Policy(concurrency=2))
    yard.dispatcher()
    yard.worker(slots=4, seconds=0.5)
    await yard.clock.advance(40)
    pace = (await yard.view(job)).pace
    assert (pace.site_rate, pace.site_at_once, pace.job_at_once) == (20.0, 3, 2)
    assert (pace.workers, pace.slots, pace.held) == (1, 4, 2)
    assert pace.ended is not None
    assert pace.ended.low <= pace.ended.mid <= pace.ended.high
    assert 2.5 <= pace.ended.mid <= 4.0, "two at once, half a second each"
    assert 0.4 <= pace.seconds <= 0.6
