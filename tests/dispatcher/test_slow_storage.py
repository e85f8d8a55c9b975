"""Where every answer takes its time, a tick is longer than the lead lasts; the lead stays where it is all the same."""

from random import Random

from scrapeyard.model.states import JobState
from scrapeyard.testing.faults.kinds import Delay
from scrapeyard.testing.faults.wrapping import wrapped


async def test_a_lead_that_slow_storage_outlasts_does_not_wander(yard):
    delay = Delay(yard.clock, Random(1), 0.4)
    slow = wrapped(yard.ledger, "ledger", delay)
    dispatchers = [yard.dispatcher(ledger=slow, leader_ttl=1.5) for _ in range(2)]
    yard.worker()
    job = await yard.job(12)
    leads: set[str] = set()
    for _ in range(300):
        await yard.clock.advance(1.0)
        leads |= {one.id for one in dispatchers if one.leads}
        if await yard.state(job) is JobState.COMPLETED:
            break
    delay.most = 0.0  # time stands still from here on
    assert await yard.state(job) is JobState.COMPLETED
    assert len(leads) == 1


async def test_a_job_runs_and_ends_where_a_tick_takes_longer_than_a_worker_may_be_silent(yard):
    delay = Delay(yard.clock, Random(2), 2.0)
    yard.dispatcher(ledger=wrapped(yard.ledger, "ledger", delay), leader_ttl=30.0, offer_ttl=60.0)
    yard.worker()
    job = await yard.job(12)
    seen: set[JobState] = set()
    for _ in range(900):
        await yard.clock.advance(1.0)
        seen.add(await yard.state(job))
        if JobState.COMPLETED in seen:
            break
    delay.most = 0.0
    assert JobState.COMPLETED in seen, await yard.tally(job)
