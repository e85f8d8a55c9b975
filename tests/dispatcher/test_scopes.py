"""Breakers that jobs share: small jobs that tell together that their site is down, and our own machinery."""

from collections.abc import Callable

from dispatcher.test_breaking import DOWN, Site, ends, gates
from dispatcher.yard import Hand, Yard
from scrapeyard.model.failures import Kind
from scrapeyard.model.gate import GateName
from scrapeyard.model.item import Lease
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.states import VisitState

GOOD = VisitState.SUCCEEDED
Came = VisitState | Kind


async def names(yard: Yard, job: JobId) -> list[str]:
    events = await yard.ledger.events.page(job=job, limit=1_000)
    return [one.name for one in reversed(events)]


async def passes(yard: Yard, true: Callable[[], bool], *, within: float) -> None:
    for _ in range(int(within / 0.5)):
        await yard.clock.advance(0.5)
        if true():
            return
    raise AssertionError(f"it did not come about within {within:g} s")


async def test_small_jobs_of_one_site_tell_together_that_it_is_down_and_all_of_them_wait(yard: Yard) -> None:
    """None of them has as many items as a canary, so each by itself would have gone through its whole list."""
    site = Site(yard, lambda _: Kind.SITE_5XX)
    site.visits, site.down = 10_000, 40.0
    jobs = [await yard.job(25, policy=Policy(concurrency=2)) for _ in range(12)]
    other = await yard.job(25, site=SitePolicy("other.example", rate=None, concurrency=None), policy=Policy())
    yard.dispatcher()
    hand = yard.worker(slots=50, end=lambda lease: GOOD if lease.offer.job == other else site.came(lease))
    await yard.clock.advance(10)
    dark = len([visit for visit in hand.visits if visit.came is not GOOD])
    assert dark <= 20 + 2 * 12 * 3, dark
    for job in jobs:
        gate = await yard.gate(job)
        assert gate is not None
        assert gate.gate is GateName.BREAKER
        assert " jobs failed (site_5xx" in gate.reason
        assert "site_closed" in await names(yard, job)
    assert (await yard.tally(other)).answered == 25, "another site is none the worse"
    began = len(hand.visits)
    await yard.clock.advance(25)
    assert len(hand.visits) == began
    for job in jobs:
        await ends(yard, job)
        assert (await yard.tally(job)).answered == 25
    assert "site_recovered" in await names(yard, jobs[0])


async def test_probes_of_a_closed_site_come_few_at_once_over_all_its_jobs_and_cost_nothing(yard: Yard) -> None:
    jobs = [await yard.job(25, policy=Policy(concurrency=2)) for _ in range(12)]
    yard.dispatcher()
    hand = yard.worker(slots=50, end=lambda _: Kind.SITE_5XX, seconds=1.0)
    await passes(yard, lambda: any(visit.offer.probe for visit in hand.visits), within=120)
    probes = [visit for visit in hand.visits if visit.offer.probe]
    for _ in range(10):
        assert len(hand.running) <= 5
        await yard.clock.advance(0.5)
    assert probes
    for job in jobs:
        assert (await yard.tally(job)).failed == {}


async def test_one_bad_job_does_not_stop_the_others_of_its_site(yard: Yard) -> None:
    bad = await yard.job(25, policy=Policy())
    jobs = [await yard.job(25, policy=Policy()) for _ in range(6)]
    yard.dispatcher()
    yard.worker(slots=20, end=lambda lease: Kind.SITE_5XX if lease.offer.job == bad else GOOD)
    for job in jobs:
        await ends(yard, job)
        assert "site_closed" not in await names(yard, job)
        assert (await yard.tally(job)).answered == 25


async def test_pages_that_scrapers_cannot_read_say_nothing_of_the_site(yard: Yard) -> None:
    jobs = [await yard.job(25, policy=Policy()) for _ in range(6)]
    yard.dispatcher()
    yard.worker(slots=20, end=lambda _: Kind.SCHEMA_INVALID)
    for job in jobs:
        await ends(yard, job)
        assert "site_closed" not in await names(yard, job)


async def test_while_our_storage_fails_nothing_starts_and_no_item_pays_for_it(yard: Yard) -> None:
    broken_until: list[float] = [0.0]

    def came(_: Lease) -> Came:
        return Kind.STORAGE_ERROR if yard.clock.monotonic() < broken_until[0] else GOOD

    one = await yard.job(2_000, policy=Policy())
    two = await yard.job(200, site=SitePolicy("other.example", rate=None, concurrency=None), policy=Policy())
    yard.dispatcher()
    hand = yard.worker(slots=30, end=came)
    await yard.clock.advance(3)
    broken_until[0] = yard.clock.monotonic() + DOWN
    seen = await gates(yard, one, lambda: yard.clock.monotonic() >= broken_until[0])
    assert "infra" in seen
    lost = [visit for visit in hand.visits if visit.came is Kind.STORAGE_ERROR]
    assert len(lost) <= 40 + 4 * 30 + 2 * 30, len(lost)
    for job in (one, two):
        await ends(yard, job)
        tally = await yard.tally(job)
        assert tally.failed == {}
    assert (await yard.tally(one)).answered == 2_000
    assert {"infra_closed", "infra_recovered"} <= set(await names(yard, one))
    again = [visit.offer.attempt for visit in hand.visits]
    assert max(again) == 1, "no attempt was spent"


async def test_the_gate_says_that_it_is_our_own_fault(yard: Yard) -> None:
    job = await yard.job(2_000, policy=Policy())
    yard.dispatcher()
    yard.worker(slots=30, end=lambda _: Kind.STORAGE_ERROR)
    await yard.clock.advance(8)
    gate = await yard.gate(job)
    assert gate is not None
    assert gate.gate is GateName.INFRA
    assert "storage_error" in gate.reason


async def test_a_worker_that_alone_cannot_keep_what_it_brings_is_told_to_end(yard: Yard) -> None:
    job = await yard.job(3_000, policy=Policy())
    yard.dispatcher()
    hands: list[Hand] = [
        yard.worker(f"w{number}", slots=10, end=lambda _, sick=number == 1: Kind.RESOURCE_EXHAUSTED if sick else GOOD)
        for number in range(3)
    ]
    await ends(yard, job)
    assert [hand.draining for hand in hands] == [False, True, False]
    assert "infra_closed" not in await names(yard, job)
    assert (await yard.tally(job)).answered == 3_000
