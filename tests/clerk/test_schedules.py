"""Jobs that begin by themselves: each due time once, whoever acts, and whatever gets in the way."""

import asyncio

import pytest

from clerk.conftest import Service
from scrapeyard.controller.clerk.occasion import Occasion
from scrapeyard.model.errors import BadInput, Conflict, NotFound, StorageError
from scrapeyard.model.item import Selection
from scrapeyard.model.schedule import CatchUp, ItemsOf, Overlap
from scrapeyard.model.states import JobState, VisitState


async def test_a_job_begins_at_the_hour_with_the_list_as_it_is_then(service: Service) -> None:
    await service.plan()
    service.clerk()
    await service.passes(60)
    assert await service.jobs() == []
    service.put("P-7", "P-8")
    await service.until_hour(5)
    (job,) = await service.jobs()
    assert (job.state, job.total, await service.keys(job)) == (JobState.RUNNING, 2, ["P-7", "P-8"])
    view = await service.service.schedules.get("nightly")
    assert [one.job for one in view.recent] == [job.id]
    assert view.recent[0].words == f"The job {job.name} began with 2 items."
    assert [event.name for event in await service.service.events.find(job.id)] == ["schedule_fired"]


async def test_a_list_that_was_handed_in_is_used_each_time(service: Service) -> None:
    kept = await service.service.schedules.keep_list(b"Parcel No\nA-1\nA-2\n")
    await service.plan(list=kept.list, columns={"parcel_id": "Parcel No"}, overlap=Overlap.BOTH)
    service.clerk()
    for _ in range(2):
        await service.until_hour(5)
    assert [await service.keys(job) for job in await service.jobs()] == [["A-1", "A-2"]] * 2


async def test_two_clerks_that_both_believe_they_lead_begin_one_job(service: Service) -> None:
    await service.plan()
    await service.until_hour(1)
    await asyncio.gather(service.duty().look(), service.duty().look())
    await service.duty().look()
    (job,) = await service.jobs()
    assert await service.keys(job) == ["P-1", "P-2", "P-3"]
    assert len((await service.service.schedules.get("nightly")).recent) == 1


@pytest.mark.parametrize("fatal", range(9))
async def test_a_clerk_that_dies_at_any_moment_leaves_a_job_that_the_next_one_finishes(
    service: Service, fatal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.plan(fresh=3600.0)
    earlier = await service.service.schedules.run("nightly")
    await service.duty().look()
    first = (await service.jobs())[0]
    await service.finished(first, ("P-2", VisitState.FAILED, "blocked"))
    await service.until_hour(1)
    left = fatal

    def deadly(book: object, verb: str) -> None:
        real = getattr(book, verb)

        async def one(*given: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                raise StorageError("the clerk died before")
            found = await real(*given, **named)
            left -= 1
            if left == 0:
                raise StorageError("the clerk died after")
            return found

        monkeypatch.setattr(book, verb, one)

    ledger = service.ledger
    for book, verb in ((ledger.jobs, "create"), (ledger.items, "add"), (ledger.items, "seal"), (ledger.memos, "keep")):
        deadly(book, verb)
    for _ in range(3):
        try:
            await service.duty().look()
        except StorageError:
            continue
    jobs = await service.jobs()
    assert len(jobs) == 2
    assert (jobs[1].state, jobs[1].total) == (JobState.RUNNING, 3)
    assert sorted(await service.keys(jobs[1])) == ["P-1", "P-2", "P-3"]
    assert [one.job for one in (await service.service.schedules.get("nightly")).recent] == [jobs[0].id, jobs[1].id]
    assert earlier.schedule.name == "nightly"


async def test_another_clerk_takes_over_and_no_hour_is_lost_or_doubled(service: Service) -> None:
    await service.plan(overlap=Overlap.BOTH)
    service.clerk("first")
    await service.until_hour(5)
    service.clerk("second")
    service.tasks[0].cancel()
    for _ in range(3):
        await service.until_hour(30)
    jobs = await service.jobs()
    assert len(jobs) == len({job.name for job in jobs}) == 4


@pytest.mark.parametrize(
    ("overlap", "begun", "after"), [(Overlap.SKIP, 1, 1), (Overlap.QUEUE, 1, 2), (Overlap.BOTH, 3, 3)]
)
async def test_what_happens_while_the_last_job_is_unfinished(
    service: Service, overlap: Overlap, begun: int, after: int
) -> None:
    await service.plan(overlap=overlap)
    service.clerk()
    for _ in range(3):
        await service.until_hour(5)
    assert len(await service.jobs()) == begun
    await service.finished((await service.jobs())[0])
    await service.passes(10)
    assert len(await service.jobs()) == after
    view = await service.service.schedules.get("nightly")
    left_out = [one.words for one in view.recent if one.job is None]
    assert len(left_out) == (2 if overlap is Overlap.SKIP else 0)
    assert all("was not finished" in words for words in left_out)


@pytest.mark.parametrize(("policy", "begun"), [(CatchUp.NONE, 0), (CatchUp.LAST, 1), (CatchUp.ALL, 5)])
async def test_what_was_missed_while_nobody_was_there(service: Service, policy: CatchUp, begun: int) -> None:
    await service.plan(catch_up=policy, overlap=Overlap.BOTH)
    for _ in range(5):
        await service.until_hour(600)
    await service.duty().look()
    assert len(await service.jobs()) == begun


async def test_a_paused_schedule_begins_nothing_but_what_is_asked_for(service: Service) -> None:
    desk = service.service.schedules
    await service.plan(overlap=Overlap.BOTH)
    assert (await desk.pause("nightly")).upcoming is None
    service.clerk()
    await service.until_hour(5)
    assert await service.jobs() == []
    await desk.run("nightly")
    await service.passes(5)
    assert len(await service.jobs()) == 1
    await desk.resume("nightly")
    await service.passes(5)
    assert len(await service.jobs()) == 1
    await service.until_hour(5)
    assert len(await service.jobs()) == 2
    await desk.delete("nightly")
    await service.until_hour(5)
    assert len(await service.jobs()) == 2


async def test_all_that_failed_runs_again(service: Service) -> None:
    job = await service.plan(name="first")
    await service.service.schedules.run("first")
    await service.duty().look()
    (job,) = await service.jobs()
    await service.finished(job, ("P-2", VisitState.FAILED, "blocked"))
    again = ItemsOf("first", Selection(states=frozenset({VisitState.FAILED})))
    await service.plan(name="again", items=again)
    await service.service.schedules.run("again")
    await service.duty().look()
    assert await service.keys((await service.jobs())[1]) == ["P-2"]


async def test_all_that_is_older_than_a_day_runs_again_and_the_rest_does_not(service: Service) -> None:
    job = await service.job_of_parcels("P-1", "P-2")
    await service.settle(job)
    await service.ended(job)
    await service.passes(86_000)
    await service.service.items.redrive(job.id, Selection(frozenset({VisitState.SUCCEEDED}), keys=frozenset({"P-1"})))
    await service.finished(await service.service.jobs.get(job.id))
    await service.passes(500)
    await service.plan(items=ItemsOf(job.id, older=86_400.0))
    await service.service.schedules.run("nightly")
    await service.duty().look()
    assert await service.keys((await service.jobs())[1]) == ["P-2"]


async def test_what_succeeded_lately_is_skipped_with_the_reason(service: Service) -> None:
    service.put(*(f"P-{number}" for number in range(1_200)))
    await service.plan(fresh=7_200.0)
    await service.service.schedules.run("nightly")
    await service.duty().look()
    (first,) = await service.jobs()
    await service.finished(first, *((f"P-{number}", VisitState.FAILED, "blocked") for number in range(300)))
    service.put(*(f"P-{number}" for number in range(1_300)))
    await service.until_hour(1)
    await service.duty().look()
    second = (await service.jobs())[1]
    tally = await service.ledger.jobs.tally(second.id)
    assert (tally.count(VisitState.SKIPPED), tally.count(VisitState.WAITING)) == (900, 400)
    item = await service.ledger.items.get(second.id, "P-900")
    assert item is not None
    assert item.reason == f"It succeeded less than 2 h before, in the job {first.id}."
    offered = await service.ledger.offers.offer(second.id, 2_000, now=service.clock.now(), until=service.clock.now())
    assert sorted(offer.key for offer in offered) == sorted(
        [f"P-{number}" for number in (*range(300), *range(1_200, 1_300))]
    )
    assert all(offer.attempt == 1 and offer.crashes == 0 for offer in offered)
    assert await service.ledger.leases.workers() == [
        beat for beat in await service.ledger.leases.workers() if beat.worker == "w1"
    ]
    assert await service.ledger.jobs.recount(second.id) == await service.ledger.jobs.tally(second.id)


async def test_a_list_that_is_not_there_is_told_and_tried_again_at_the_next_hour(service: Service) -> None:
    await service.plan(file="later.csv")
    service.clerk()
    await service.until_hour(5)
    view = await service.service.schedules.get("nightly")
    assert "no list 'later.csv'" in view.recent[0].words
    assert {job.state for job in await service.jobs()} == {JobState.CANCELLED}
    service.put("P-1", name="later.csv")
    await service.until_hour(5)
    assert (await service.jobs())[-1].total == 1


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv", "a b.csv", "x" * 400, ".hidden"])
async def test_no_name_of_a_list_leads_out_of_its_folder(service: Service, name: str) -> None:
    (service.lists.parent / "secret.csv").write_text("parcel_id\nTOP\n")
    (service.lists / "link.csv").symlink_to(service.lists.parent / "secret.csv")
    view = await service.plan(file=name)
    with pytest.raises((BadInput, NotFound)):
        await Occasion(service.office(), view, service.clock.now()).begin()
    assert all(job.total is None for job in await service.jobs())


async def test_names_and_lists_of_strangers_are_refused(service: Service) -> None:
    for name in ("", "a/b", "ä", "x" * 65, "-a", "a b"):
        with pytest.raises(BadInput, match="cannot be the name"):
            await service.plan(name=name)
    await service.plan()
    with pytest.raises(Conflict, match="already"):
        await service.plan()
    with pytest.raises(NotFound, match="hand it in"):
        await service.plan(name="b", list="../../x")
    with pytest.raises(NotFound, match="no job 'nothing'"):
        await service.plan(name="b", items=ItemsOf("nothing"))
    with pytest.raises(BadInput, match="MiB"):
        await service.service.schedules.keep_list(bytes((64 << 20) + 1))
    with pytest.raises(NotFound, match="no schedule"):
        await service.service.schedules.get("../x")
