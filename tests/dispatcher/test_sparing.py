"""What a trip, a dying proxy or a busy machine must not cost: tries, and a trip that the site did not earn."""

from dispatcher.test_breaking import SLOTS, Site, ends, gates, trips
from dispatcher.yard import Yard
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Lease
from scrapeyard.model.ladder import Price
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import VisitState

GOOD = VisitState.SUCCEEDED
Came = VisitState | Kind


async def test_what_was_under_way_when_a_job_stopped_gets_its_try_back(yard: Yard) -> None:
    """A kind with two tries: the break takes one, and one more fails after it. No item is lost."""
    dark: set[int] = set()
    unlucky: set[int] = set()

    def broken(lease: Lease) -> Came:
        dark.add(lease.offer.seq)
        return Kind.HTTP_STATUS

    def usual(lease: Lease) -> Came:
        seq = lease.offer.seq
        if seq in dark and seq not in unlucky and seq % 3 == 0:
            unlucky.add(seq)
            return Kind.HTTP_STATUS
        return GOOD

    site = Site(yard, broken, usual)
    site.visits, site.down = 4_000, 30.0
    job = await yard.job(5_000, policy=Policy())
    yard.dispatcher()
    yard.worker(slots=SLOTS, end=site.came)
    await gates(yard, job, lambda: site.broke is not None)
    await ends(yard, job)
    assert len(await trips(yard, job)) >= 1
    assert len(unlucky) >= 5
    tally = await yard.tally(job)
    assert (tally.answered, tally.failed) == (5_000, {})


async def test_proxies_that_break_many_lines_at_once_do_not_stop_a_job(yard: Yard) -> None:
    """Thirty visits at once lose their proxy; through one, a broken line is only half a failure."""
    job = await yard.job(3_000, policy=Policy(tiers=("residential",)))
    yard.dispatcher(prices={"residential": Price(8.0)})
    broken: list[int] = []

    def came(lease: Lease) -> Came:
        if len(hand.visits) > 1_000 and len(broken) < 30 and lease.offer.attempt == 1:
            broken.append(lease.offer.seq)
            return Kind.CONN_RESET
        return GOOD

    hand = yard.worker(slots=SLOTS, end=came)
    await ends(yard, job)
    assert len(broken) == 30
    assert await trips(yard, job) == []
    assert (await yard.tally(job)).answered == 3_000


async def test_the_same_without_proxies_is_the_site_that_is_down(yard: Yard) -> None:
    job = await yard.job(3_000, policy=Policy())
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=lambda _: Kind.CONN_RESET if 1_000 < len(hand.visits) < 1_040 else GOOD)
    await gates(yard, job, lambda: len(hand.visits) > 1_030)
    await yard.clock.advance(5)
    assert len(await trips(yard, job)) == 1


async def test_a_machine_that_is_late_with_everything_says_nothing_of_the_site(yard: Yard) -> None:
    """All visits take fifty times as long while the worker's own loop is late; afterwards all is as it was."""
    job = await yard.job(4_000, policy=Policy())
    yard.dispatcher()
    busy = False
    hand = yard.worker(slots=SLOTS, seconds=lambda _: 10.0 if busy else 0.2)
    await yard.clock.advance(5)
    busy, hand.lag = True, 1.5
    await yard.clock.advance(25)
    assert await trips(yard, job) == []
    busy, hand.lag = False, 0.0
    await ends(yard, job)
    assert await trips(yard, job) == []


async def test_a_site_that_hangs_is_still_seen_by_a_worker_that_is_in_time(yard: Yard) -> None:
    job = await yard.job(4_000, policy=Policy())
    yard.dispatcher()
    hanging = False
    yard.worker(slots=SLOTS, seconds=lambda _: 60.0 if hanging else 0.2)
    await yard.clock.advance(5)
    hanging = True
    await yard.clock.advance(12)
    assert len(await trips(yard, job)) == 1
