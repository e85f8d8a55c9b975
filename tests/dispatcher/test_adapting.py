"""The pace of a site as it answers: whole system, virtual clock."""

import random
from bisect import bisect_left

from dispatcher.yard import FREE, Hand, Yard
from scrapeyard.model.gate import GateName
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import SitePolicy
from scrapeyard.ports.scrapers import Answer

PACED = SitePolicy("paced.example", rate=20.0, concurrency=None)


class Moody:
    """A site that bears so many requests a second and complains of more, or answers in so many seconds."""

    def __init__(self, bears: float = 1000.0, seconds: float = 0.1, wait: float | None = None) -> None:
        self.bears = bears
        self.seconds = seconds
        self.wait = wait
        self.good = True
        self.asked: list[float] = []
        self.refused: list[float] = []

    def answer(self, now: float, site: str) -> Answer:
        self.asked.append(now)
        if len(self.asked) - bisect_left(self.asked, now - 1.0) > self.bears:
            self.refused.append(now)
            return Answer(site, 0.01, good=False, throttled=True, retry_after=self.wait)
        return Answer(site, self.seconds, good=self.good)

    def between(self, start: float, end: float) -> int:
        return bisect_left(self.asked, end) - bisect_left(self.asked, start)


async def visited(
    yard: Yard, moody: Moody, site: SitePolicy = PACED, *, jobs: int = 2, slots: int = 32
) -> tuple[list[JobId], list[Hand]]:
    names = [await yard.job(6_000, site=site) for _ in range(jobs)]
    yard.dispatcher()
    hands = [yard.worker(f"w{one}", slots=slots, seconds=0.1, requests=2, answers=moody.answer) for one in range(2)]
    return names, hands


async def test_a_site_that_complains_is_worked_at_what_it_bears(yard: Yard) -> None:
    moody = Moody(bears=1000)
    [job, other], _ = await visited(yard, moody)
    await yard.clock.advance(30)
    now = yard.clock.monotonic()
    assert moody.between(now - 10, now) >= 180
    moody.bears = 6
    await yard.clock.advance(60)
    now = yard.clock.monotonic()
    assert moody.between(now - 40, now) <= 40 * 9
    assert len([at for at in moody.refused if at > now - 40]) <= 0.15 * moody.between(now - 40, now)
    for one in (job, other):
        gate = await yard.gate(one)
        assert gate is not None
        assert gate.gate is GateName.SITE_SLOWED
        assert "instead of 20 requests a second" in gate.reason
        assert "asked us to slow down" in gate.reason
    moody.bears = 1000
    await yard.clock.advance(90)
    now = yard.clock.monotonic()
    assert moody.between(now - 10, now) >= 180


class Limited(Moody):
    """A site that gives out so many answers a second, a second of them at once, and refuses what is beyond."""

    def __init__(self, bears: float) -> None:
        super().__init__(bears=bears)
        self.tokens, self.at = 1.0, 0.0

    def answer(self, now: float, site: str) -> Answer:
        self.asked.append(now)
        self.tokens, self.at = min(self.bears, self.tokens + (now - self.at) * self.bears), now
        if self.tokens < 1:
            self.refused.append(now)
            return Answer(site, 0.01, good=False, throttled=True, retry_after=self.wait)
        self.tokens -= 1
        return Answer(site, self.seconds)


async def test_a_site_that_bears_half_of_what_it_allows_is_asked_about_that_and_recovers(yard: Yard) -> None:
    moody = Limited(bears=10.0)
    moody.wait = 1.0
    await visited(yard, moody)
    await yard.clock.advance(60)
    begun, now = yard.clock.monotonic(), yard.clock.monotonic() + 240
    await yard.clock.advance(240)
    asked, refused = moody.between(begun, now), len([at for at in moody.refused if at >= begun])
    print(f"asked {asked / 240:.2f} a second of a site that bears 10; {refused / asked:.1%} refused")
    assert 0.85 * 10 <= (asked - refused) / 240 <= asked / 240 <= 1.15 * 10
    assert refused <= 0.05 * asked
    moody.bears = 1000.0
    await yard.clock.advance(100)
    assert moody.between(yard.clock.monotonic() - 10, yard.clock.monotonic()) >= 180


class Grumbling(Moody):
    """A site that says it is too much now and then, whatever it is asked."""

    def __init__(self, share: float, wait: float) -> None:
        super().__init__(wait=wait)
        self.share = share
        self.dice = random.Random(7)

    def answer(self, now: float, site: str) -> Answer:
        refuses = self.dice.random() < self.share
        self.bears = 0.0 if refuses else 1000.0
        return super().answer(now, site)


async def test_a_complaint_in_a_hundred_answers_costs_next_to_no_pace(yard: Yard) -> None:
    moody = Grumbling(0.01, wait=1.0)
    await visited(yard, moody)
    await yard.clock.advance(20)
    begun = yard.clock.monotonic()
    await yard.clock.advance(240)
    kept = moody.between(begun, begun + 240) / 240
    print(f"asked {kept:.2f} of 20 a second; {len(moody.refused)} of {len(moody.asked)} refused")
    assert len(moody.refused) > 20
    assert kept >= 0.9 * 20


async def test_a_site_that_grows_slow_is_asked_less(yard: Yard) -> None:
    moody = Moody(seconds=0.2)
    [job], _ = await visited(yard, moody, jobs=1)
    await yard.clock.advance(30)
    moody.seconds = 2.5
    await yard.clock.advance(45)
    now = yard.clock.monotonic()
    assert moody.between(now - 5, now) <= 0.6 * 100
    gate = await yard.gate(job)
    assert gate is not None
    assert "its answers took" in gate.reason


async def test_errors_that_come_fast_speed_nobody_up(yard: Yard) -> None:
    moody = Moody(bears=3)
    await visited(yard, moody)
    await yard.clock.advance(40)
    moody.bears, moody.good, moody.seconds = 1000, False, 0.001
    await yard.clock.advance(10)
    now = yard.clock.monotonic()
    before = moody.between(now - 5, now)
    await yard.clock.advance(40)
    now = yard.clock.monotonic()
    assert moody.between(now - 5, now) <= before + 5
    assert before <= 50


async def test_a_wait_that_a_site_asks_for_holds_all_jobs_and_workers(yard: Yard) -> None:
    moody = Moody()
    [job, other], _ = await visited(yard, moody)
    await yard.clock.advance(20)
    moody.bears, moody.wait = 0, 40.0
    await yard.clock.advance(3)
    moody.bears = 1000
    last = moody.refused[-1]
    await yard.clock.advance(30)
    assert moody.between(last + 0.01, yard.clock.monotonic()) == 0
    for one in (job, other):
        gate = await yard.gate(one)
        assert gate is not None
        assert gate.gate is GateName.SITE_WAIT
        assert gate.until is not None
        assert 0 < gate.until - yard.clock.now() <= 40
    await yard.clock.advance(30)
    assert moody.between(last + 39, yard.clock.monotonic()) > 0


async def test_a_site_without_a_limit_gets_one_when_it_complains(yard: Yard) -> None:
    moody = Moody()
    await visited(yard, moody, FREE, slots=6)
    await yard.clock.advance(12)
    now = yard.clock.monotonic()
    free = moody.between(now - 5, now)
    moody.bears = 12
    await yard.clock.advance(30)
    now = yard.clock.monotonic()
    assert moody.between(now - 5, now) <= 5 * 20 < free
    moody.bears = 10_000
    await yard.clock.advance(100)
    now = yard.clock.monotonic()
    assert moody.between(now - 5, now) >= 0.9 * free


async def test_the_pauses_of_a_slow_site_differ_and_its_rate_is_used(yard: Yard) -> None:
    moody = Moody()
    await visited(yard, moody, SitePolicy("slow.example", rate=0.5, concurrency=None))
    await yard.clock.advance(100)
    gaps = sorted(after - before for before, after in zip(moody.asked[3:], moody.asked[4:], strict=False))
    assert gaps[-1] - gaps[0] > 0.5
    assert 0.9 * 0.5 * 92 <= len(moody.asked) <= 0.5 * 100 + 2
