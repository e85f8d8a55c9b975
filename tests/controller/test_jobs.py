"""Submitting and steering jobs."""

import math
from typing import Any

import msgspec
import pytest

from controller.desk import CARD, Desk, card, order
from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.fleet import WorkerBeat, WorkerReport
from scrapeyard.model.gate import ClosedGate, GateName, JobView
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import BreakerPolicy, Order, Policy, SitePolicy, Window
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.results.cards import card_of


async def test_an_order_given_twice_is_one_job(desk: Desk) -> None:
    first = await desk.service.jobs.open(order())
    second = await desk.service.jobs.open(order())
    assert (first.continued, second.continued) == (False, True)
    assert first.job.id == second.job.id


async def test_a_fresh_order_begins_another_job_of_the_name_and_the_name_means_the_newest(desk: Desk) -> None:
    first = await desk.service.jobs.open(order())
    await desk.clock.advance(1)
    second = await desk.service.jobs.open(order(fresh=True))
    assert not second.continued
    assert second.job.id != first.job.id
    assert (await desk.service.jobs.get("bills")).id == second.job.id


async def test_a_finished_job_is_not_gone_on_with_but_an_older_unfinished_one_is(desk: Desk) -> None:
    old = await desk.job("a")
    await desk.clock.advance(1)
    fresh = await desk.service.jobs.open(order(fresh=True))
    await desk.service.jobs.cancel(fresh.job.id, "mistaken")
    again = await desk.service.jobs.open(order())
    assert again.continued
    assert again.job.id == old.id
    await desk.service.jobs.cancel(old.id, "also")
    assert not (await desk.service.jobs.open(order())).continued


async def test_an_interrupted_submission_goes_on_and_what_was_there_counts_as_duplicates(desk: Desk) -> None:
    job = (await desk.service.jobs.open(order())).job
    await desk.service.jobs.load(job.id, [NewItem("a", b"{}"), NewItem("b", b"{}")])
    again = await desk.service.jobs.open(order())
    assert again.job.state is JobState.LOADING
    added = await desk.service.jobs.load(again.job.id, [NewItem(key, b"{}") for key in "abc"])
    assert (added.accepted, added.duplicates) == (1, 2)
    sealed = await desk.service.jobs.seal(again.job.id)
    assert (sealed.state, sealed.total) == (JobState.RUNNING, 3)
    assert await desk.service.jobs.seal(again.job.id) == sealed


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"card": card(ref=ScraperRef("us.tx.bill", "1.0", "d1"))}, "belongs to the scraper us.ca.alameda.bill"),
        ({"card": card(ref=ScraperRef("us.ca.alameda.bill", "2.0", "d2"))}, "began with version 1.0"),
        ({"card": card(ref=ScraperRef("us.ca.alameda.bill", "1.0", "d9"))}, "code has changed"),
        ({"source": "others.csv"}, "its list is 'parcels.csv', not 'others.csv'"),
    ],
)
async def test_going_on_with_something_else_is_refused_and_says_what_to_do(
    desk: Desk, changes: dict[str, Any], says: str
) -> None:
    await desk.job("a")
    with pytest.raises(Conflict, match=r"--new") as refused:
        await desk.service.jobs.open(order(**changes))
    assert says in str(refused.value)


async def test_going_on_takes_over_what_the_order_says_of_the_policy_and_keeps_the_rest(desk: Desk) -> None:
    await desk.service.jobs.open(order(policy=Policy(priority=7, rate=2.0)))
    again = await desk.service.jobs.open(order(policy=Policy(rate=1.0)))
    assert (again.job.policy.priority, again.job.policy.rate) == (7, 1.0)


async def test_the_card_is_kept_with_the_job(desk: Desk) -> None:
    job = await desk.job("a")
    assert await card_of(desk.blobs, job.id) == CARD
    assert (job.site, job.key_fields, job.lane) == (CARD.site, ("parcel_id",), "http")


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        (Policy(priority=10), "from 0 to 9"),
        (Policy(priority=-1), "from 0 to 9"),
        (Policy(rate=0), "above 0"),
        (Policy(rate=math.nan), "above 0"),
        (Policy(concurrency=0), "1 or more"),
        (Policy(attempts=0), "no retry"),
        (Policy(deadline=0), "more than 0 s"),
        (Policy(deadline=math.inf), "at most a day"),
        (Policy(backoff_cap=-1), "0 s or more"),
        (Policy(breaker=BreakerPolicy(open_times=())), "at least one time"),
        (Policy(breaker=BreakerPolicy(open_times=(60.0, 0.0))), "above 0"),
        (Policy(breaker=BreakerPolicy(open_times=(math.inf,))), "at most a week"),
        (Policy(window=Window(timezone="Mars/Olympus")), "not a time zone"),
        (Policy(window=Window(start="25:00")), "HH:MM"),
    ],
)
async def test_an_impossible_policy_is_refused_before_there_is_a_job(desk: Desk, policy: Policy, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        await desk.service.jobs.open(order(policy=policy))
    assert await desk.service.jobs.find() == []
    job = await desk.job("a")
    with pytest.raises(BadInput, match=says):
        await desk.service.jobs.revise(job.id, policy)


async def test_an_impossible_site_is_refused(desk: Desk) -> None:
    with pytest.raises(BadInput, match="above 0"):
        await desk.service.jobs.open(order(card=card(site=SitePolicy("tax.example", rate=-1.0))))


@pytest.mark.parametrize("name", ["", "  ", " a", "a\n", "\x1b[31m", "x" * 201])
async def test_a_name_that_cannot_be_shown_is_refused(desk: Desk, name: str) -> None:
    with pytest.raises(BadInput):
        await desk.service.jobs.open(order(name))


async def test_a_job_is_found_by_id_by_the_start_of_its_id_and_by_name(desk: Desk) -> None:
    job = await desk.job("a")
    for said in (job.id, job.id[:5], job.id[:5].upper(), "bills"):
        assert (await desk.service.jobs.get(said)).id == job.id


async def test_a_name_wins_over_the_start_of_an_id(desk: Desk) -> None:
    first = await desk.job("a")
    second = await desk.job("a", name=first.id[:4])
    assert (await desk.service.jobs.get(first.id[:4])).id == second.id


async def test_the_start_of_several_ids_is_refused_with_their_names(desk: Desk) -> None:
    job = await desk.job("a")
    for number, id_ in enumerate(("zzab22", "zzab33", "zzcc44")):
        name, created = f"job {number}", job.created + number
        await desk.ledger.jobs.create(msgspec.structs.replace(job, id=JobId(id_), name=name, created=created))
    with pytest.raises(BadInput, match=r"several jobs: zzab33 \(job 1\), zzab22 \(job 0\); write more"):
        await desk.service.jobs.get("zzab")
    assert (await desk.service.jobs.get("zzc")).name == "job 2"


async def test_an_unknown_name_gets_the_nearest_ones(desk: Desk) -> None:
    with pytest.raises(NotFound, match="none has been submitted"):
        await desk.service.jobs.get("bils")
    await desk.job("a")
    with pytest.raises(NotFound, match="did you mean 'bills'"):
        await desk.service.jobs.get("bils")
    with pytest.raises(NotFound, match=r"the latest are .* \(bills\)"):
        await desk.service.jobs.get("quite another")


async def test_pause_and_resume_are_idempotent_and_say_why(desk: Desk) -> None:
    job = await desk.job("a")
    assert (await desk.service.jobs.pause("bills", "the county called")).state is JobState.PAUSED
    assert (await desk.service.jobs.pause("bills", "again")).reason == "the county called"
    status = await desk.service.jobs.status(job.id)
    assert status.gates == (ClosedGate(GateName.PAUSED, "the county called"),)
    assert (await desk.service.jobs.resume("bills")).state is JobState.RUNNING
    assert (await desk.service.jobs.resume("bills")).state is JobState.RUNNING


async def test_what_is_over_cannot_be_steered(desk: Desk) -> None:
    job = await desk.ended(await desk.job())
    for wish in (desk.service.jobs.pause(job.id, ""), desk.service.jobs.cancel(job.id, "")):
        with pytest.raises(Conflict, match="is completed"):
            await wish
    with pytest.raises(Conflict, match="completed"):
        await desk.service.jobs.revise(job.id, Policy())
    other = await desk.job("a", name="other")
    assert (await desk.service.jobs.cancel(other.id, "no")).state is JobState.CANCELLED
    assert (await desk.service.jobs.cancel(other.id, "no")).state is JobState.CANCELLED
    with pytest.raises(Conflict, match="cancelled for good"):
        await desk.service.jobs.resume(other.id)


async def test_a_job_that_is_loading_can_be_cancelled_but_not_paused(desk: Desk) -> None:
    job = (await desk.service.jobs.open(order())).job
    with pytest.raises(Conflict, match="still loading"):
        await desk.service.jobs.pause(job.id, "")
    await desk.service.jobs.cancel(job.id, "no")
    with pytest.raises(Conflict, match="cancelled"):
        await desk.service.jobs.seal(job.id)
    with pytest.raises(Conflict):
        await desk.service.jobs.load(job.id, [NewItem("a", b"{}")])


async def test_the_order_of_a_job_that_has_begun_cannot_be_changed(desk: Desk) -> None:
    job = await desk.job("a", "b")
    revised = await desk.service.jobs.revise(job.id, Policy(order=Order.LIST, priority=9))
    assert revised.policy.priority == 9
    await desk.settle(job)
    with pytest.raises(Conflict, match="has begun"):
        await desk.service.jobs.revise(job.id, Policy(order=Order.RANDOM))


async def test_the_status_tells_what_a_dispatcher_said_as_long_as_it_is_fresh(desk: Desk) -> None:
    job = await desk.job("a")
    closed = ClosedGate(GateName.WINDOW, "closed until 20:00", 5.0)
    await desk.fleet.show([JobView(job.id, desk.clock.now(), (closed,), running=3)])
    status = await desk.service.jobs.status("bills")
    assert (status.gates, status.running) == ((closed,), 3)
    await desk.clock.advance(180)
    (gate,) = (await desk.service.jobs.status("bills")).gates
    assert gate.gate is GateName.NO_DISPATCHER
    assert gate.reason == "No dispatcher has been heard of for 3 minutes: start one with `scrapeyard up`."


async def test_the_status_says_that_nobody_runs_the_job(desk: Desk) -> None:
    job = (await desk.service.jobs.open(order())).job
    assert [gate.gate for gate in (await desk.service.jobs.status(job.id)).gates] == [GateName.LOADING]
    await desk.service.jobs.seal(job.id)
    assert (await desk.service.jobs.status(job.id)).gates == ()  # a dispatcher has had no time to speak
    await desk.clock.advance(5)
    (gate,) = (await desk.service.jobs.status(job.id)).gates
    assert gate.reason == "No dispatcher is running: start one with `scrapeyard up`."


async def test_a_dispatcher_that_speaks_of_other_jobs_is_there(desk: Desk) -> None:
    job = await desk.job("a")
    await desk.clock.advance(60)
    await desk.fleet.show([JobView("another", desk.clock.now())])
    assert (await desk.service.jobs.status(job.id)).gates == ()


async def test_a_pause_made_a_moment_ago_wins_over_what_the_dispatcher_said_before(desk: Desk) -> None:
    job = await desk.job("a")
    await desk.fleet.show([JobView(job.id, desk.clock.now(), (ClosedGate(GateName.CAPACITY, "all busy"),))])
    await desk.service.jobs.pause(job.id, "stop")
    assert [gate.gate for gate in (await desk.service.jobs.status(job.id)).gates] == [GateName.PAUSED]
    await desk.fleet.show([JobView(job.id, desk.clock.now(), (ClosedGate(GateName.PAUSED, "stop"),))])
    await desk.service.jobs.resume(job.id)
    assert (await desk.service.jobs.status(job.id)).gates == ()


async def test_the_status_counts_outcomes_and_the_workers_that_serve_the_job(desk: Desk) -> None:
    job = await desk.job("a", "b", "c")
    await desk.settle(job, ("b", VisitState.FAILED, "blocked"), ("c", VisitState.ABSENT, None))
    for name, lane, catalogue in (("w1", "http", None), ("w2", "http", frozenset({"zz"})), ("w3", "browser", None)):
        await desk.ledger.leases.beat(WorkerBeat(name, 1, 0.0))
        await desk.fleet.report(WorkerReport(name, 1, lane, 8, 8, catalogue))
    await desk.fleet.report(WorkerReport("gone", 1, "http", 8, 8))
    status = await desk.service.jobs.status(job.id)
    assert status.tally.failed == {"blocked": 1}
    assert status.tally.count(VisitState.SUCCEEDED, VisitState.ABSENT) == 2
    assert status.workers == 1
    assert [worker.worker for worker in await desk.service.jobs.workers()] == ["w1", "w2", "w3"]


async def test_jobs_are_listed_newest_first_and_by_state(desk: Desk) -> None:
    for name in ("one", "two", "three"):
        await desk.job("a", name=name)
        await desk.clock.advance(1)
    await desk.service.jobs.pause("two", "")
    assert [job.name for job in await desk.service.jobs.find()] == ["three", "two", "one"]
    assert [job.name for job in await desk.service.jobs.find([JobState.PAUSED])] == ["two"]
    assert [job.name for job in await desk.service.jobs.find(limit=1)] == ["three"]
    with pytest.raises(BadInput):
        await desk.service.jobs.find(limit=0)
