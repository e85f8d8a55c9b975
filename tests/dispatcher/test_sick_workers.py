"""One worker among several fails where its peers do not: it is stopped and named, and the job is none the worse."""

from dispatcher.test_breaking import ends, trips
from dispatcher.yard import Hand, Yard
from scrapeyard.model.failures import Kind
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import VisitState

GOOD = VisitState.SUCCEEDED
ITEMS = 3_000


async def stopped(yard: Yard, job: JobId) -> list[str]:
    events = await yard.ledger.events.page(job=job, limit=1_000)
    return [one.words for one in events if one.name == "worker_stopped"]


def crew(yard: Yard, sick: str, *, count: int = 3, seconds: float = 0.3) -> list[Hand]:
    """Workers of which one is blocked at every visit, and is told so after `seconds`."""
    return [
        yard.worker(f"w{number}", slots=10, seconds=seconds if f"w{number}" == sick else 0.3,
                    end=lambda _, name=f"w{number}": Kind.BLOCKED if name == sick else GOOD)
        for number in range(count)
    ]  # fmt: skip


async def test_a_worker_that_is_blocked_is_told_to_end_and_named_while_the_others_go_on(yard: Yard) -> None:
    job = await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    hands = crew(yard, "w1")
    await ends(yard, job)
    assert await trips(yard, job) == []
    (words,) = await stopped(yard, job)
    assert words.startswith("The worker w1 fails at free.example where the others do not")
    assert [hand.draining for hand in hands] == [False, True, False]
    tally = await yard.tally(job)
    assert (tally.answered, tally.failed) == (ITEMS, {})


async def test_a_worker_that_fails_fast_and_so_takes_most_items_stops_the_job_at_most_once(yard: Yard) -> None:
    """It is done with an item ten times as soon as its peers, so most of the first items are its own."""
    job = await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    hands = crew(yard, "w1", seconds=0.03)
    await ends(yard, job)
    assert len(await trips(yard, job)) <= 1
    assert len(await stopped(yard, job)) == 1
    assert [hand.draining for hand in hands] == [False, True, False]
    tally = await yard.tally(job)
    assert (tally.answered, tally.failed) == (ITEMS, {})


async def test_where_all_fail_alike_it_is_the_site_and_no_worker_is_stopped(yard: Yard) -> None:
    job = await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    hands = [yard.worker(f"w{number}", slots=10, end=lambda _: Kind.BLOCKED) for number in range(3)]
    await yard.clock.advance(30)
    assert len(await trips(yard, job)) == 1
    assert await stopped(yard, job) == []
    assert not any(hand.draining for hand in hands)


async def test_never_more_than_half_of_the_workers_are_stopped(yard: Yard) -> None:
    """Two of three are blocked, which may as well be a site that is about to block the third."""
    await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    blocked = {"w0", "w1"}
    hands = [
        yard.worker(f"w{number}", slots=10, end=lambda _, name=f"w{number}": Kind.BLOCKED if name in blocked else GOOD)
        for number in range(3)
    ]
    await yard.clock.advance(60)
    assert sum(hand.draining for hand in hands) <= 1
