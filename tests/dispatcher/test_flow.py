"""From a sealed list to a completed job, and back again."""

from typing import Any

import msgspec
import pytest

from dispatcher.yard import Yard
from scrapeyard.backends.memory.jobs import MemoryJobs
from scrapeyard.model.errors import StorageError
from scrapeyard.model.item import Selection
from scrapeyard.model.job import JobId, Tally
from scrapeyard.model.policy import Policy, Window
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.results.manifest import read_manifest

OUTCOMES = (VisitState.SUCCEEDED, VisitState.ABSENT, VisitState.FAILED)


async def manifest(yard: Yard, job: JobId) -> dict[str, Any]:
    return msgspec.json.decode(await read_manifest(yard.blobs, job))


async def test_a_job_runs_to_its_end_and_its_manifest_adds_up(yard: Yard) -> None:
    job = await yard.job(300)
    yard.dispatcher()
    yard.worker(slots=20, end=lambda lease: OUTCOMES[lease.offer.seq % 3])
    await yard.clock.advance(30)
    assert await yard.state(job) is JobState.COMPLETED
    assert (await manifest(yard, job))["outcomes"] == {"succeeded": 100, "absent": 100, "failed": 100}
    assert yard.hands[0].refused == 0
    assert len(yard.hands[0].started) == 300


async def test_a_job_that_is_still_loading_waits_and_says_how_far_it_is(yard: Yard) -> None:
    job = await yard.job(12, sealed=False)
    yard.dispatcher()
    hand = yard.worker()
    await yard.clock.advance(3)
    gate = await yard.gate(job)
    assert gate is not None
    assert (gate.gate, gate.reason) == ("loading", "The list is still arriving: 12 items so far.")
    assert not hand.started
    await yard.ledger.items.seal(job)
    await yard.move(job, JobState.RUNNING, JobState.LOADING)
    await yard.clock.advance(5)
    assert await yard.state(job) is JobState.COMPLETED


async def test_an_empty_list_completes(yard: Yard) -> None:
    job = await yard.job(0)
    yard.dispatcher()
    await yard.clock.advance(3)
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_retry_is_waited_for_and_said_to_be(yard: Yard) -> None:
    job = await yard.job(1)
    yard.dispatcher()
    tries: list[int] = []

    def first_in_vain(lease: Any) -> VisitState:
        tries.append(lease.offer.attempt)
        return VisitState.WAITING if len(tries) == 1 else VisitState.SUCCEEDED

    yard.worker(end=first_in_vain, pause=60.0)
    await yard.clock.advance(10)
    gate = await yard.gate(job)
    assert gate is not None
    assert gate.gate == "retry_wait"
    assert gate.until is not None
    assert 50 < gate.until - yard.clock.now() < 51
    assert gate.reason == "The one item that is left waits for the next try; the first is due in 51 s."
    await yard.clock.advance(51)
    assert tries == [1, 2]
    await yard.clock.advance(2)
    assert await yard.state(job) is JobState.COMPLETED


async def test_offers_that_got_lost_are_made_again_after_they_expired(yard: Yard) -> None:
    job = await yard.job(5)
    yard.dispatcher(offer_ttl=3.0)
    yard.worker(slots=5, dead_letters=5)
    await yard.clock.advance(2)
    assert (await yard.tally(job)).count(VisitState.OFFERED) == 5
    await yard.clock.advance(5)
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_redrive_brings_a_completed_job_back_and_it_completes_again(yard: Yard) -> None:
    job = await yard.job(10)
    fails = True
    yard.dispatcher()
    yard.worker(end=lambda lease: VisitState.FAILED if fails and lease.offer.seq < 4 else VisitState.SUCCEEDED)
    await yard.clock.advance(10)
    assert (await manifest(yard, job))["outcomes"] == {"succeeded": 6, "failed": 4}
    fails = False
    assert await yard.ledger.items.redrive(job, Selection(), now=yard.clock.now()) == 4
    await yard.move(job, JobState.RUNNING, JobState.COMPLETED)
    await yard.clock.advance(10)
    assert await yard.state(job) is JobState.COMPLETED
    assert (await manifest(yard, job))["outcomes"] == {"succeeded": 10}


class Miscounting(MemoryJobs):
    """Counts one item too few while `wrong`."""

    wrong = True

    async def recount(self, job: JobId) -> Tally:
        tally = await super().recount(job)
        states = {state: count - 1 for state, count in tally.states.items()} if self.wrong else tally.states
        return msgspec.structs.replace(tally, states=states)


async def test_a_count_that_does_not_add_up_leaves_the_job_finalizing_with_the_reason_until_it_does(yard: Yard) -> None:
    jobs = Miscounting(yard.ledger.jobs._state)
    yard.ledger._jobs = jobs
    job = await yard.job(10)
    yard.dispatcher()
    yard.worker()
    await yard.clock.advance(10)
    found = await jobs.get(job)
    assert found is not None
    assert found.state is JobState.FINALIZING
    assert found.reason == "9 items were counted, but the list was sealed with 10."
    await yard.clock.advance(40)
    assert await yard.state(job) is JobState.FINALIZING
    jobs.wrong = False
    await yard.clock.advance(20)
    found = await jobs.get(job)
    assert found is not None
    assert (found.state, found.reason) == (JobState.COMPLETED, None)


async def test_a_manifest_that_cannot_be_written_keeps_the_job_from_completing(yard: Yard) -> None:
    job = await yard.job(3)
    full = True
    put = yard.blobs.put

    async def full_disk(key: str, data: bytes, *, replace: bool = False) -> Any:
        if full:
            raise StorageError("the disk is full")
        return await put(key, data, replace=replace)

    yard.blobs.put = full_disk
    yard.dispatcher()
    yard.worker()
    await yard.clock.advance(5)
    found = await yard.ledger.jobs.get(job)
    assert found is not None
    assert (found.state, found.reason) == (JobState.FINALIZING, "The manifest cannot be written: the disk is full")
    full = False
    await yard.clock.advance(20)
    assert await yard.state(job) is JobState.COMPLETED


async def test_storage_that_fails_for_a_while_stops_nothing_for_good(yard: Yard) -> None:
    job = await yard.job(40)
    broken = True
    find = yard.ledger.jobs.find

    async def flaky(*states: Any, **options: Any) -> Any:
        if broken:
            raise StorageError("no answer")
        return await find(*states, **options)

    yard.ledger.jobs.find = flaky
    yard.dispatcher()
    yard.worker()
    await yard.clock.advance(10)
    assert (await yard.tally(job)).count(VisitState.WAITING) == 40
    broken = False
    await yard.clock.advance(10)
    assert await yard.state(job) is JobState.COMPLETED


async def test_a_final_storage_error_ends_the_dispatcher_and_frees_the_lead(yard: Yard) -> None:
    async def gone(**_: Any) -> Any:
        raise StorageError("the file was deleted", final=True)

    yard.ledger.offers.sweep = gone
    dispatcher = yard.dispatcher()
    task = yard.tasks.pop()
    await yard.clock.advance(1)
    with pytest.raises(StorageError, match="deleted"):
        await task
    assert not dispatcher.leads
    assert await yard.ledger.leaders.leader("dispatcher") is None


async def test_a_bad_window_in_one_job_does_not_stop_another(yard: Yard) -> None:
    bad = await yard.job(3, policy=Policy(window=Window(timezone="Mars/Olympus", start="08:00")))
    good = await yard.job(3)
    yard.dispatcher()
    yard.worker()
    await yard.clock.advance(5)
    assert await yard.state(good) is JobState.COMPLETED
    gate = await yard.gate(bad)
    assert gate is not None
    assert gate.gate == "window"
    assert "not a time zone" in gate.reason
