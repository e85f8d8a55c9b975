"""Each gate closes with a reason and, where it is known, a time; and opens again."""

import datetime
from zoneinfo import ZoneInfo

import msgspec
import pytest

from dispatcher.yard import FREE, Yard
from scrapeyard.model.gate import ClosedGate
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy, SitePolicy, Window
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.site import Hold, hold_place
from scrapeyard.model.states import JobState, VisitState


async def closed(yard: Yard, job: JobId) -> ClosedGate:
    gate = await yard.gate(job)
    assert gate is not None
    return gate


async def test_a_paused_job_starts_nothing_and_its_offers_are_taken_back_at_once(yard: Yard) -> None:
    job = await yard.job(100)
    yard.dispatcher()
    hand = yard.worker(slots=2, seconds=5.0)
    await yard.clock.advance(2)
    assert (await yard.tally(job)).count(VisitState.OFFERED) > 0
    await yard.move(job, JobState.PAUSED, JobState.RUNNING, reason="the county called")
    await yard.clock.advance(0.5)
    tally = await yard.tally(job)
    assert (tally.count(VisitState.OFFERED), tally.count(VisitState.RUNNING)) == (0, 2)
    await yard.clock.advance(30)
    assert len(hand.started) == 2
    gate = await closed(yard, job)
    assert (gate.gate, gate.reason, gate.until) == ("paused", "The job is paused: the county called.", None)
    await yard.move(job, JobState.RUNNING, JobState.PAUSED)
    await yard.clock.advance(1)
    assert len(hand.started) == 4
    assert (await yard.view(job)).gates == ()


async def test_a_cancelled_job_stops_what_runs_and_gets_its_manifest(yard: Yard) -> None:
    job = await yard.job(100)
    yard.dispatcher()
    hand = yard.worker(slots=3, seconds=600.0)
    await yard.clock.advance(2)
    await yard.move(job, JobState.CANCELLED, JobState.RUNNING, reason="wrong list")
    await yard.clock.advance(0.6)
    gate = await closed(yard, job)
    assert (gate.gate, gate.reason) == ("cancelled", "The job was cancelled: wrong list.")
    await yard.clock.advance(5)
    assert not hand.running
    assert (await yard.tally(job)).states == {VisitState.CANCELLED: 100}
    assert [blob async for blob in yard.blobs.walk(f"jobs/{job}/manifest/manifest.json")]
    assert await yard.fleet.views() == []


async def test_a_job_cancelled_while_nobody_led_is_closed_by_the_next_leader(yard: Yard) -> None:
    jobs = [await yard.job(5) for _ in range(3)]
    for job in jobs:
        await yard.move(job, JobState.CANCELLED, JobState.RUNNING)
    yard.dispatcher()
    await yard.clock.advance(5)
    for job in jobs:
        assert [blob async for blob in yard.blobs.walk(f"jobs/{job}/manifest/manifest.json")]


async def test_outside_the_hours_nothing_starts_and_the_hour_of_opening_is_told(yard: Yard) -> None:
    at = datetime.datetime(2025, 6, 16, 16, 59, 0, tzinfo=ZoneInfo("America/New_York"))
    yard.clock.jump(at.timestamp() - yard.clock.now())
    night = Window("America/New_York", start="20:00", end="06:00")
    job = await yard.job(500, site=SitePolicy("tax.example", None, 4, night))
    yard.dispatcher()
    hand = yard.worker(slots=2, seconds=10.0)
    await yard.clock.advance(5)
    gate = await closed(yard, job)
    assert gate.gate == "window"
    assert gate.reason == "The site allows visits from 20:00 to 06:00 America/New_York; it opens in 3 h."
    assert gate.until == at.replace(hour=20, minute=0).timestamp()
    yard.clock.jump(3 * 3600)
    await yard.clock.advance(10)
    assert not hand.started
    await yard.clock.advance(50)
    assert hand.started
    await yard.clock.advance(1)
    assert {gate.gate for gate in (await yard.view(job)).gates} <= {"site_concurrency", "capacity"}


async def test_when_the_hours_end_what_lies_in_the_queue_is_taken_back(yard: Yard) -> None:
    at = datetime.datetime(2025, 6, 16, 17, 59, 50, tzinfo=datetime.UTC)
    yard.clock.jump(at.timestamp() - yard.clock.now())
    job = await yard.job(500, site=SitePolicy("tax.example", None, None, Window(start="09:00", end="18:00")))
    yard.dispatcher()
    hand = yard.worker(slots=2, seconds=4.0)
    await yard.clock.advance(60)
    assert max(when for when, _, _ in hand.started) <= 10.1
    assert (await yard.tally(job)).count(VisitState.OFFERED, VisitState.RUNNING) == 0


async def test_without_a_worker_the_job_says_so_and_goes_on_when_one_comes(yard: Yard) -> None:
    job = await yard.job(5)
    yard.dispatcher()
    await yard.clock.advance(2)
    gate = await closed(yard, job)
    assert gate.gate == "no_worker"
    assert gate.reason == "No worker is running: start one with `scrapeyard worker`."
    assert (await yard.tally(job)).count(VisitState.WAITING) == 5
    yard.worker()
    await yard.clock.advance(5)
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_worker_without_the_scrapers_version_is_offered_nothing(yard: Yard) -> None:
    other = ScraperRef("us.test.bill", "2", "feedbeefcafe")
    job = await yard.job(5, scraper=other)
    yard.dispatcher()
    old = yard.worker("old", catalogue=frozenset({"d1"}))
    await yard.clock.advance(3)
    gate = await closed(yard, job)
    assert gate.gate == "no_worker"
    assert gate.reason == (
        "The only worker does not have us.test.bill 2 (feedbeef): start one that has exactly this version."
    )
    yard.worker("new", catalogue=frozenset({"d1", other.digest}))
    await yard.clock.advance(5)
    assert await yard.state(job) is JobState.COMPLETED
    assert not old.started


async def test_a_job_for_another_lane_does_not_hold_up_the_rest(yard: Yard) -> None:
    browser = await yard.job(50, lane="browser", policy=Policy(priority=9))
    plain = await yard.job(50)
    yard.dispatcher()
    yard.worker()
    await yard.clock.advance(10)
    assert await yard.state(plain) is JobState.COMPLETED
    assert "in the lane browser" in (await closed(yard, browser)).reason


async def test_a_worker_that_refuses_work_is_named_as_the_reason(yard: Yard) -> None:
    job = await yard.job(5)
    yard.dispatcher()
    hand = yard.worker()
    hand.refusing = "memory is at 91 %"
    await yard.clock.advance(2)
    gate = await closed(yard, job)
    assert (gate.gate, gate.reason) == ("no_worker", "No worker takes items now: memory is at 91 %.")
    hand.refusing = None
    await yard.clock.advance(5)
    assert await yard.state(job) is JobState.COMPLETED


async def test_busy_workers_close_the_gate_of_capacity_until_a_slot_is_free(yard: Yard) -> None:
    job = await yard.job(9)
    yard.dispatcher()
    yard.worker(slots=3, seconds=20.0)
    await yard.clock.advance(10)
    gate = await closed(yard, job)
    assert (gate.gate, gate.reason) == ("capacity", "All 3 slots of the worker are busy.")
    await yard.clock.advance(60)
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_site_never_has_more_items_at_once_than_it_takes_over_all_jobs_and_workers(yard: Yard) -> None:
    site = SitePolicy("small.example", None, 5)
    jobs = [await yard.job(60, site=site) for _ in range(3)]
    yard.dispatcher()
    hands = [yard.worker(f"w{number}", slots=10, seconds=1.5) for number in range(2)]
    most = 0
    for _ in range(300):
        await yard.clock.advance(0.1)
        most = max(most, sum(len(hand.running) for hand in hands))
    assert most == 5
    await yard.clock.advance(5)
    gate = await closed(yard, jobs[0])
    assert gate.gate in ("site_concurrency", "fair_share")
    await yard.clock.advance(40)
    assert {await yard.state(job) for job in jobs} == {JobState.COMPLETED}


async def test_a_job_keeps_its_own_limit_of_items_at_once_and_says_so(yard: Yard) -> None:
    job = await yard.job(10, policy=Policy(concurrency=2))
    yard.dispatcher()
    hand = yard.worker(slots=8, seconds=10.0)
    await yard.clock.advance(5)
    gate = await closed(yard, job)
    assert gate.gate == "job_concurrency"
    assert gate.reason == "The job may run 2 items at once, and 2 are under way."
    await yard.clock.advance(60)
    assert hand.most == 2
    assert await yard.state(job) is JobState.COMPLETED


async def test_limits_of_a_few_at_once_are_used_to_the_full_although_commits_lag_behind(yard: Yard) -> None:
    job = await yard.job(400, site=SitePolicy("small.example", None, 4))
    yard.dispatcher()
    hand = yard.worker(slots=8, seconds=0.5, commit=0.4)
    await yard.clock.advance(30)
    assert hand.most <= 8
    assert len(hand.started) > 0.55 * 30 * 4 / 0.5
    assert await yard.state(job) is JobState.RUNNING


async def test_a_slow_rate_says_when_the_next_item_may_start(yard: Yard) -> None:
    job = await yard.job(10, site=SitePolicy("slow.example", rate=0.1, concurrency=None))
    yard.dispatcher()
    hand = yard.worker()
    await yard.clock.advance(13)
    assert len(hand.started) == 1
    gate = await closed(yard, job)
    assert gate.gate == "site_rate"
    assert gate.reason.startswith("The site slow.example allows one request in 10 s; the next is free in ")
    assert gate.until is not None
    assert gate.until - yard.clock.now() == pytest.approx(7, abs=0.6)
    await yard.clock.advance(8)
    assert len(hand.started) == 2


async def test_a_revised_policy_holds_at_once(yard: Yard) -> None:
    job = await yard.job(500, policy=Policy(rate=0.5))
    yard.dispatcher()
    hand = yard.worker(slots=10)
    await yard.clock.advance(10)
    assert len(hand.started) <= 5
    await yard.ledger.jobs.revise(job, Policy(rate=20.0))
    await yard.clock.advance(10)
    assert 190 <= len(hand.started) <= 215


async def test_the_operators_settings_come_before_the_scrapers_defaults(yard: Yard) -> None:
    yard.options = msgspec.structs.replace(yard.options, sites={"x.example": SitePolicy("x.example", 20.0, None)})
    await yard.job(500, site=SitePolicy("x.example", rate=1.0, concurrency=2))
    yard.dispatcher()
    hand = yard.worker(slots=10, seconds=0.1)
    await yard.clock.advance(10)
    assert 60 <= len(hand.started) <= 205
    assert hand.most == 2


async def test_a_job_that_moves_has_no_closed_gate(yard: Yard) -> None:
    job = await yard.job(10_000, site=FREE)
    yard.dispatcher()
    yard.worker(slots=4, seconds=0.5)
    await yard.clock.advance(3)
    for _ in range(40):
        await yard.clock.advance(0.25)
        assert (await yard.view(job)).gates == ()


async def test_a_held_site_starts_nothing_of_any_job_until_it_is_released(yard: Yard) -> None:
    jobs = [await yard.job(100), await yard.job(100)]
    yard.dispatcher()
    hand = yard.worker(slots=2, seconds=5.0)
    await yard.clock.advance(2)
    site = (await yard.ledger.jobs.get(jobs[0])).site.name  # type: ignore[union-attr] - it was made just now
    hold = msgspec.json.encode(Hold("they called", "ops", yard.clock.now()))
    memo = await yard.ledger.memos.keep(hold_place(site), hold, seen=None)
    await yard.clock.advance(30)
    begun = len(hand.started)
    await yard.clock.advance(60)
    assert len(hand.started) == begun
    for job in jobs:
        gate = await closed(yard, job)
        assert (gate.gate, gate.reason) == ("site_held", f"The site {site} is held by ops: they called.")
    await yard.ledger.memos.keep(hold_place(site), b"", seen=memo)
    await yard.clock.advance(5)
    assert len(hand.started) > begun
