"""Whole jobs of 20,000 items against sites that break in the middle: the right gate closes, and after the repair the
job goes on by itself."""

from collections.abc import Callable

import msgspec

from dispatcher.yard import Hand, Yard
from scrapeyard.model.evidence import Evidence
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Lease
from scrapeyard.model.job import JobId
from scrapeyard.model.ladder import Price
from scrapeyard.model.policy import Order, Policy
from scrapeyard.model.states import JobState, VisitState

ITEMS = 20_000
SLOTS = 100
GOOD = VisitState.SUCCEEDED
AT = 5_000
DOWN = 45.0
OPEN_PERIODS = (60.0 + 120.0) * 1.2
Came = VisitState | Kind
HOLDING = frozenset({"canary", "breaker", "probing", "suspect", "ramp", "retry_wait"})


class Site:
    """A site that breaks at its five-thousandth visit and is repaired a while later."""

    def __init__(
        self, yard: Yard, broken: Callable[[Lease], Came], usual: Callable[[Lease], Came] | None = None
    ) -> None:
        self._yard = yard
        self._broken = broken
        self._usual = usual or (lambda _: GOOD)
        self.visits = 0
        self.broke: float | None = None
        self.repaired: float | None = None
        self.down = DOWN

    @property
    def works(self) -> bool:
        now = self._yard.clock.monotonic()
        if self.broke is None and self.visits >= AT:
            self.broke, self.repaired = now, now + self.down
        return self.broke is None or now >= (self.repaired or 0.0)

    def came(self, lease: Lease) -> Came:
        self.visits += 1
        return self._usual(lease) if self.works else self._broken(lease)


async def gates(yard: Yard, job: JobId, until: Callable[[], bool], *, limit: float = 900.0) -> list[str]:
    """The gates that were shown until something was so, in their order."""
    seen: list[str] = []
    for _ in range(int(limit / 0.5)):
        await yard.clock.advance(0.5)
        for gate in (await yard.view(job)).gates if await yard.fleet.views() else ():
            if gate.gate not in seen:
                seen.append(gate.gate)
        if until():
            return seen
    raise AssertionError(f"it did not come about; gates were {seen}")


def began(hand: Hand, since: float, until: float) -> list[bool]:
    """Of the visits that began in that time: was each a probe?"""
    return [visit.offer.probe for visit in hand.visits if since <= visit.began < until]


async def trips(yard: Yard, job: JobId) -> list[Evidence]:
    events = await yard.ledger.events.page(job=job, limit=1_000)
    return [msgspec.json.decode(one.evidence, type=Evidence) for one in events if one.name == "breaker_tripped"]


async def ends(yard: Yard, job: JobId) -> None:
    for _ in range(200):
        await yard.clock.advance(20)
        if await yard.state(job) is JobState.COMPLETED:
            return
    raise AssertionError(f"the job has not ended: {await yard.gate(job)}")


async def check(yard: Yard, job: JobId, hand: Hand, site: Site, cause: str) -> list[str]:
    """Break, hold, probe, resume, end: and what began after the break, and what the probes cost."""
    seen = await gates(yard, job, lambda: site.broke is not None)
    seen += await gates(yard, job, lambda: yard.clock.monotonic() >= (site.repaired or 0.0))
    assert site.broke is not None
    assert site.repaired is not None
    in_the_dark = began(hand, site.broke, site.repaired)
    assert in_the_dark.count(False) <= 2 * SLOTS + 100, len(in_the_dark)
    found = await trips(yard, job)
    assert [found[0].cause, len(found[0].exhibits)] == [cause, 3]
    back = site.repaired + OPEN_PERIODS
    seen += await gates(yard, job, lambda: yard.clock.monotonic() >= back)
    assert False in began(hand, site.repaired, back), "it goes on by itself"
    await ends(yard, job)
    assert (await yard.tally(job)).answered + (await yard.tally(job)).count(VisitState.FAILED) == ITEMS
    tries: dict[int, int] = {}
    for visit in hand.visits:
        offer, before = visit.offer, tries.get(visit.offer.seq, 0)
        assert offer.attempt <= before + 1, "a probe costs its item no attempt"
        tries[offer.seq] = before + (not offer.probe)
    return list(dict.fromkeys(name for name in seen if name in HOLDING))


async def test_a_site_that_shows_block_pages_is_let_alone_until_it_works_again(yard: Yard) -> None:
    site = Site(yard, lambda _: Kind.BLOCKED)
    job = await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=site.came)
    seen = await check(yard, job, hand, site, "failures")
    assert seen == ["canary", "breaker", "probing", "ramp"]
    assert (await yard.tally(job)).answered == ITEMS


async def test_a_site_that_hangs_is_seen_before_the_first_visit_has_run_into_its_time_out(yard: Yard) -> None:
    site = Site(yard, lambda _: Kind.TIMEOUT_READ)
    job = await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=site.came, seconds=lambda _: 0.2 if site.works else 15.0)
    await gates(yard, job, lambda: site.broke is not None)
    await yard.clock.advance(6)
    gate = await yard.gate(job)
    assert gate is not None
    assert gate.gate == "breaker"
    assert not any(visit.came is Kind.TIMEOUT_READ and visit.ended - visit.began > 14 for visit in hand.visits)
    await check(yard, job, hand, site, "failures")
    assert (await yard.tally(job)).answered == ITEMS


async def test_when_everything_is_absent_of_a_sudden_the_job_stops_although_nothing_fails(yard: Yard) -> None:
    site = Site(
        yard, lambda _: VisitState.ABSENT, lambda lease: VisitState.ABSENT if lease.offer.seq % 20 == 0 else GOOD
    )
    job = await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=site.came)
    await check(yard, job, hand, site, "absent")
    assert (await yard.tally(job)).count(VisitState.ABSENT) <= ITEMS / 20 + 2 * SLOTS + 100


async def test_neighbours_that_fail_together_stop_a_job_in_list_order_only_when_the_site_is_down(yard: Yard) -> None:
    bad = {seq for start in range(0, ITEMS, 400) for seq in range(start + 60, start + 80)}
    site = Site(yard, lambda _: Kind.SITE_5XX, lambda lease: Kind.SITE_5XX if lease.offer.seq in bad else GOOD)
    job = await yard.job(ITEMS, policy=Policy(order=Order.LIST, attempts=1))
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=site.came)
    seen = await gates(yard, job, lambda: site.visits >= AT - 200)
    assert not {"breaker", "probing", "ramp"} & set(seen)
    await check(yard, job, hand, site, "failures")


async def test_a_bad_district_in_a_list_is_held_against_a_sample_of_the_rest_and_stops_nothing(yard: Yard) -> None:
    """Six hundred neighbours fail, which looks like the end of the site to whoever asks only the next ones."""
    bad = range(2_000, 2_600)
    job = await yard.job(6_000, policy=Policy(order=Order.LIST, attempts=1))
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=lambda lease: Kind.SITE_5XX if lease.offer.seq in bad else GOOD)
    await ends(yard, job)
    assert await trips(yard, job) == []
    tally = await yard.tally(job)
    assert (tally.answered, tally.failed) == (5_400, {"site_5xx": 600})
    starts = [visit.offer.seq for visit in hand.visits]
    assert set(starts) == set(range(6_000))
    out_of_turn = [seq for place, seq in enumerate(starts) if seq > place + 400]
    assert len(out_of_turn) >= 15, "a cohort from all over the rest was asked"


async def test_a_site_that_breaks_for_a_list_in_its_own_order_is_tried_with_items_from_all_over_it(yard: Yard) -> None:
    site = Site(yard, lambda _: Kind.SITE_5XX)
    site.visits = 4_000
    job = await yard.job(8_000, policy=Policy(order=Order.LIST))
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=site.came)
    await gates(yard, job, lambda: any(visit.offer.probe for visit in hand.visits))
    await yard.clock.advance(1)
    probes = [visit.offer.seq for visit in hand.visits if visit.offer.probe]
    assert max(probes) - min(probes) > 1_000
    assert (await trips(yard, job))[0].cause == "failures"
    await ends(yard, job)
    assert (await yard.tally(job)).answered == 8_000


async def test_failures_on_the_dear_way_alone_close_that_way_alone(yard: Yard) -> None:
    """A quarter of the list needs the dear way, and that breaks; the others go on."""
    tiers = ("direct", "residential")

    def usual(lease: Lease) -> Came:
        return Kind.BLOCKED if lease.offer.seq % 4 == 0 and lease.offer.tier == "direct" else GOOD

    site = Site(yard, lambda lease: usual(lease) if lease.offer.tier == "direct" else Kind.SITE_5XX, usual)
    job = await yard.job(ITEMS, policy=Policy(tiers=tiers))
    yard.dispatcher(prices={"residential": Price(8.0)})
    hand = yard.worker(slots=SLOTS, end=site.came, rungs=2, cost=lambda lease: 1000 * lease.offer.way)
    await gates(yard, job, lambda: site.broke is not None)
    await gates(yard, job, lambda: yard.clock.monotonic() >= (site.repaired or 0.0))
    dark = [visit for visit in hand.visits if (site.broke or 0.0) + 5 <= visit.began < (site.repaired or 0.0)]
    assert len(dark) > 1_000, "the cheap way is used as before"
    assert {visit.offer.tier for visit in dark} == {"direct"}
    (trip,) = await trips(yard, job)
    assert (trip.cause, trip.way) == ("failures", "residential")
    await ends(yard, job)
    assert (await yard.tally(job)).answered == ITEMS


async def test_second_tries_that_help_no_more_stop_the_job_although_first_ones_go_as_ever(yard: Yard) -> None:
    def usual(lease: Lease) -> Came:
        return Kind.SITE_5XX if lease.offer.attempt == 1 and lease.offer.seq % 10 == 0 else GOOD

    site = Site(yard, lambda lease: usual(lease) if lease.offer.attempt == 1 else Kind.SITE_5XX, usual)
    site.down = 400.0
    job = await yard.job(ITEMS, policy=Policy())
    yard.dispatcher()
    hand = yard.worker(slots=SLOTS, end=site.came)
    seen = await gates(yard, job, lambda: any(visit.offer.probe for visit in hand.visits))
    assert "breaker" in seen
    assert [trip.cause for trip in await trips(yard, job)] == ["retries"]
    await gates(yard, job, lambda: yard.clock.monotonic() >= (site.repaired or 0.0))
    fixed = yard.clock.monotonic()
    await gates(yard, job, lambda: any(not visit.offer.probe and visit.began > fixed for visit in hand.visits))
    assert yard.clock.monotonic() - fixed <= 2 * 900.0 * 1.2
    await ends(yard, job)


async def test_the_bad_items_of_a_list_come_last_and_stop_nothing(yard: Yard) -> None:
    """One in twenty fails whatever is done; when nothing else is left, every try fails, and that is as it was."""
    job = await yard.job(ITEMS // 4, policy=Policy())
    yard.dispatcher()
    yard.worker(slots=SLOTS, end=lambda lease: GOOD if lease.offer.seq % 20 else Kind.SITE_5XX)
    await ends(yard, job)
    assert await trips(yard, job) == []
    assert (await yard.tally(job)).failed == {"site_5xx": ITEMS // 80}
