"""What every book of jobs promises: guarded moves, and counters that agree with the items at every moment."""

import asyncio

import msgspec
import pytest

from scrapeyard.model.errors import Conflict, NotFound
from scrapeyard.model.job import JobId, Tally, TierTally
from scrapeyard.model.policy import Order, Policy, SitePolicy, Window
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JOB_MOVES, JobState, ReadingState, VisitState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import (
    NOW,
    LedgerSuite,
    OpenLedger,
    a_job,
    again,
    ended,
    failed,
    new_items,
    released,
    staged,
    succeeded,
    tried,
)

NOBODY = JobId("job-unknown")


class JobsSuite(LedgerSuite):
    """Behaviour of the `JobBook` port."""

    async def test_a_job_is_read_back_as_it_was_written(self, ledger: Ledger, reopen: OpenLedger) -> None:
        window = Window("America/New_York", (0, 1, 4), "20:00", "06:00")
        job = a_job(
            name="Łeon ' \" \n ☃", scraper=ScraperRef("us.fl.leon.bill", "2.0-é", "0a" * 32), lane="browser",
            site=SitePolicy("tax.example", None, None, window), repeatable=False, key_fields=("parcel", "year"),
            policy=Policy(9, Order.LIST, 0.25, 3, window, 7, 12.5, 60.0), source="/data/list.csv", order_key=2**62 + 1,
        )  # fmt: skip
        assert await ledger.jobs.create(job) == job
        assert await (await reopen()).jobs.get(job.id) == job

    async def test_asking_again_with_the_same_id_gives_the_job_that_is_there(self, ledger: Ledger) -> None:
        first = await ledger.jobs.create(a_job(name="first"))
        assert await ledger.jobs.create(a_job(name="second", order_key=1)) == first
        assert await ledger.jobs.find() == [first]

    async def test_asking_again_does_not_set_a_running_job_back(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        assert await ledger.jobs.create(a_job()) == await scene.job()
        assert (await scene.job()).state is JobState.RUNNING

    async def test_what_is_not_there_is_none(self, ledger: Ledger) -> None:
        assert await ledger.jobs.get(NOBODY) is None
        assert await ledger.jobs.named("nobody's") is None
        assert await ledger.jobs.find() == []
        assert await ledger.jobs.advance(NOBODY, JobState.RUNNING, [JobState.LOADING], now=NOW) is None
        assert await ledger.jobs.revise(NOBODY, Policy()) is None

    async def test_counting_a_job_that_is_not_there_is_not_found(self, ledger: Ledger) -> None:
        with pytest.raises(NotFound):
            await ledger.jobs.tally(NOBODY)
        with pytest.raises(NotFound):
            await ledger.jobs.recount(NOBODY)

    async def test_a_name_means_the_newest_job_that_has_it(self, ledger: Ledger) -> None:
        for number, name in [(2, "x"), (5, "x"), (3, "x"), (9, "X"), (8, "y")]:
            await ledger.jobs.create(a_job(number, name=name))
        found = await ledger.jobs.named("x")
        assert found is not None
        assert found.id == a_job(5).id

    async def test_jobs_are_found_newest_first_and_in_pages(self, ledger: Ledger) -> None:
        for number in (3, 1, 4, 5, 2):
            await ledger.jobs.create(a_job(number))
        pages = [await ledger.jobs.find(limit=2)]
        while page := await ledger.jobs.find(limit=2, before=pages[-1][-1].created):
            pages.append(page)
        assert [[job.created - NOW for job in page] for page in pages] == [[5, 4], [3, 2], [1]]

    async def test_jobs_are_found_by_state(self, ledger: Ledger) -> None:
        for number in range(1, 5):
            await ledger.jobs.create(a_job(number))
        for number in (2, 4):
            await ledger.jobs.advance(a_job(number).id, JobState.RUNNING, [JobState.LOADING], now=NOW)
        await ledger.jobs.advance(a_job(4).id, JobState.PAUSED, [JobState.RUNNING], now=NOW)
        loading, paused = JobState.LOADING, JobState.PAUSED
        assert [job.id for job in await ledger.jobs.find([loading])] == [a_job(3).id, a_job(1).id]
        assert [job.id for job in await ledger.jobs.find([paused, loading], limit=2)] == [a_job(4).id, a_job(3).id]
        assert await ledger.jobs.find([JobState.COMPLETED]) == []

    async def test_a_move_is_made_only_from_the_states_that_were_named(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        assert await ledger.jobs.advance(job.id, JobState.PAUSED, [JobState.RUNNING], now=NOW) is None
        assert await ledger.jobs.advance(job.id, JobState.RUNNING, [], now=NOW) is None
        assert await ledger.jobs.get(job.id) == job
        moved = await ledger.jobs.advance(job.id, JobState.RUNNING, [JobState.PAUSED, JobState.LOADING], now=NOW + 5)
        assert moved is not None
        assert (moved.state, moved.changed, moved.reason) == (JobState.RUNNING, NOW + 5, None)
        assert await ledger.jobs.get(job.id) == moved

    async def test_a_move_that_the_table_forbids_is_never_made(self, ledger: Ledger) -> None:
        for number, (state, allowed) in enumerate(JOB_MOVES.items()):
            job = await ledger.jobs.create(a_job(number, state=state))
            for to in set(JobState) - allowed:
                assert await ledger.jobs.advance(job.id, to, list(JobState), now=NOW) is None
            assert await ledger.jobs.get(job.id) == job

    async def test_a_move_keeps_its_reason_until_the_next(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        paused = await ledger.jobs.advance(
            scene.id, JobState.PAUSED, [JobState.RUNNING], now=NOW, reason="the county's café called"
        )
        assert paused is not None
        assert paused.reason == "the county's café called"
        assert (await scene.move(JobState.RUNNING, JobState.PAUSED)).reason is None

    async def test_a_job_has_an_end_only_while_it_is_ended(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        assert (await scene.move(JobState.FINALIZING, JobState.RUNNING)).finished is None
        scene.now += 9
        assert (await scene.move(JobState.COMPLETED, JobState.FINALIZING)).finished == NOW + 9
        assert (await scene.move(JobState.RUNNING, JobState.COMPLETED)).finished is None
        assert (await scene.move(JobState.CANCELLED, JobState.RUNNING)).finished == NOW + 9

    async def test_repeating_a_move_does_not_make_it_twice(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        paused = await scene.move(JobState.PAUSED, JobState.RUNNING)
        assert await ledger.jobs.advance(scene.id, JobState.PAUSED, [JobState.RUNNING], now=NOW + 9) is None
        assert await scene.job() == paused

    async def test_of_many_who_move_a_job_one_does(self, ledger: Ledger, reopen: OpenLedger) -> None:
        scene = await staged(ledger)
        other = await reopen()
        moves = [
            (ledger, other)[n % 2].jobs.advance(scene.id, JobState.PAUSED, [JobState.RUNNING], now=NOW + n)
            for n in range(10)
        ]
        assert sum(moved is not None for moved in await asyncio.gather(*moves)) == 1

    async def test_a_live_job_follows_its_revised_policy(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        policy = Policy(priority=9, rate=0.5, deadline=33.0, attempts=1)
        revised = await ledger.jobs.revise(scene.id, policy)
        assert revised is not None
        assert revised == await scene.job()
        assert revised.policy == policy
        assert {offer.deadline for offer in await scene.offer()} == {33.0}

    async def test_a_live_job_can_be_moved_to_another_version_of_its_scraper(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        newer = ScraperRef("us.fl.leon.bill", "1.3.0", "a0" * 16)
        revised = await ledger.jobs.revise(scene.id, Policy(), scraper=newer)
        assert revised is not None
        assert revised.scraper == newer
        assert {offer.scraper for offer in await scene.offer()} == {newer}
        kept = await ledger.jobs.revise(scene.id, Policy(priority=1))
        assert kept is not None
        assert kept.scraper == newer

    async def test_an_ended_job_is_not_revised(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        await scene.move(JobState.CANCELLED, JobState.RUNNING)
        assert await ledger.jobs.revise(scene.id, Policy(priority=9)) is None
        assert (await scene.job()).policy == Policy()

    async def test_the_order_can_be_revised_only_before_the_first_offer(self, ledger: Ledger) -> None:
        scene = await staged(ledger)
        assert await ledger.jobs.revise(scene.id, Policy(order=Order.LIST)) is not None
        assert [offer.seq for offer in await scene.offer(3)] == [0, 1, 2]
        with pytest.raises(Conflict):
            await ledger.jobs.revise(scene.id, Policy(order=Order.RANDOM))
        assert await ledger.jobs.revise(scene.id, Policy(order=Order.LIST, priority=1)) is not None

    async def test_a_new_job_counts_nothing(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        assert await ledger.jobs.tally(job.id) == await ledger.jobs.recount(job.id) == Tally()

    async def test_the_counters_follow_the_items_from_load_to_end(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 10)
        await ledger.items.get(scene.id, "P-000001")
        assert (await scene.tally()).states == {VisitState.WAITING: 10}
        offers = await scene.offer(8)
        assert (await scene.tally()).count(VisitState.WAITING, VisitState.OFFERED) == 10
        one, two, three, four, five, six = await ledger.leases.begin("w1", offers[:6], now=NOW)
        assert (await scene.tally()).moving == 10
        await scene.settle(succeeded(one, 3), ended(two), failed(three, "blocked"), failed(four, "parse_empty"))
        await scene.settle(again(five, NOW + 60), released(six, NOW))
        tally = await scene.tally()
        assert tally.count(VisitState.SUCCEEDED) == tally.count(VisitState.ABSENT) == 1
        assert tally.failed == {"blocked": 1, "parse_empty": 1}
        assert (tally.moving, tally.loaded, tally.records) == (6, 10, 3)

    async def test_the_sums_cover_every_recorded_try(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 3)
        one, two, three = await scene.take()
        await scene.settle(succeeded(one), again(two, NOW), released(three, NOW))
        one, two = await scene.take()
        await scene.settle(failed(one), failed(two))
        tally = await scene.tally()
        assert (tally.attempts, tally.requests, tally.wire_bytes) == (4, 12, 4 * 20_480)
        assert (tally.busy_ms, tally.cost_micros) == (5_000, 68)

    async def test_the_sums_are_split_by_the_way_that_was_taken(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        one, two = await scene.take()
        dear = msgspec.structs.replace(tried(two, VisitState.SUCCEEDED), tier="residential:us-ca")
        await scene.settle(failed(one), succeeded(two, attempt=dear))
        tiers = {"direct": TierTally(1, 0, 20_480, 17), "residential:us-ca": TierTally(1, 1, 20_480, 17)}
        assert (await scene.tally()).tiers == (await ledger.jobs.recount(scene.id)).tiers == tiers

    async def test_unreadable_items_are_counted_apart(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        one, two = await scene.take()
        await scene.settle(succeeded(one), succeeded(two, records=None, reading=ReadingState.UNREADABLE, reason="?"))
        tally = await scene.tally()
        assert (tally.unreadable, tally.records, tally.count(VisitState.SUCCEEDED)) == (1, 2, 2)

    async def test_duplicates_are_counted_and_not_loaded(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        await ledger.items.add(job.id, [*new_items(5), *new_items(3)])
        await ledger.items.add(job.id, new_items(6))
        tally = await ledger.jobs.tally(job.id)
        assert (tally.loaded, tally.duplicates, tally.states) == (6, 8, {VisitState.WAITING: 6})
        assert tally == await ledger.jobs.recount(job.id)

    async def test_what_a_cancelled_job_did_not_run_counts_as_cancelled(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 20)
        running, done, later, *_ = await scene.take(5)
        await scene.settle(succeeded(done), again(later, NOW + 600))
        await scene.offer(4)
        await scene.move(JobState.CANCELLED, JobState.RUNNING)
        tally = await scene.tally()
        assert tally.count(VisitState.CANCELLED) == 16
        assert tally.count(VisitState.RUNNING) == tally.moving == 3
        assert (await scene.states()).count(VisitState.CANCELLED) == 16
        assert await scene.settle(released(running, NOW)) == [True]
        assert (await scene.tally()).count(VisitState.CANCELLED) == 17
        assert (await scene.item(running.offer.seq)).state is VisitState.CANCELLED

    async def test_cancelling_keeps_what_was_done(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 6)
        one, two, three, *_ = await scene.take(4)
        await scene.settle(succeeded(one), failed(two))
        await scene.move(JobState.CANCELLED, JobState.RUNNING)
        assert await scene.settle(succeeded(three)) == [True]
        tally = await scene.tally()
        assert (tally.count(VisitState.SUCCEEDED), tally.failed, tally.moving) == (2, {"blocked": 1}, 1)

    async def test_jobs_do_not_count_each_others_items(self, ledger: Ledger) -> None:
        one, two = await staged(ledger, 3, number=1), await staged(ledger, 4, number=2)
        for lease in await one.take():
            await one.settle(succeeded(lease))
        assert (await one.tally()).count(VisitState.SUCCEEDED) == 3
        assert (await two.tally()).states == {VisitState.WAITING: 4}

    async def test_counters_are_there_after_opening_anew(self, ledger: Ledger, reopen: OpenLedger) -> None:
        scene = await staged(ledger, 5)
        one, two, *_ = await scene.take(4)
        await scene.settle(succeeded(one), failed(two))
        other = await reopen()
        assert await other.jobs.tally(scene.id) == await other.jobs.recount(scene.id) == await scene.tally()
        assert await other.jobs.get(scene.id) == await scene.job()

    async def test_a_recount_of_thousands_agrees(self, ledger: Ledger) -> None:
        count = int(2_000 * self.scale)
        scene = await staged(ledger, int(3_500 * self.scale))
        leases = await scene.take(count)
        await scene.settle(*(succeeded(lease) if lease.offer.seq % 3 else failed(lease) for lease in leases))
        tally = await scene.tally()
        assert tally.count(VisitState.SUCCEEDED, VisitState.FAILED) == count
        assert msgspec.structs.replace(tally, states={}).records == 2 * tally.count(VisitState.SUCCEEDED)
