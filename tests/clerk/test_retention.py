"""What is too old goes, once a day, and nothing that a job still refers to goes with it."""

import msgspec
import pytest

from clerk.conftest import Service
from scrapeyard.controller.audit.book import Deeds
from scrapeyard.controller.clerk.tidying import Tidying
from scrapeyard.controller.service.retention import LocalRetention
from scrapeyard.model.errors import BadInput, NotFound, StorageError
from scrapeyard.model.item import Selection
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Policy
from scrapeyard.model.retention import Keeping
from scrapeyard.model.states import VisitState

DAY = 86_400.0


def desk(service: Service, **days: float) -> LocalRetention:
    return LocalRetention(service.ledger, service.blobs, service.clock, Keeping(**days))


async def ended(service: Service, name: str, *, days: float | None = None) -> Job:
    job = await service.job("A-1", "A-2", name=name)
    if days is not None:
        await service.service.jobs.revise(job.id, msgspec.structs.replace(job.policy, keep_captures_days=days))
    return await service.finished(job)


async def readable(service: Service, job: Job) -> bool:
    try:
        return b"A-1" in (await service.service.results.capture(job.id, "A-1")).body
    except NotFound as gone:
        return "removed because of their age" not in str(gone)


async def test_only_captures_whose_time_has_come_go(service: Service) -> None:
    short, long, usual = (
        await ended(service, "short", days=1),
        await ended(service, "long", days=90),
        await ended(service, "usual"),
    )
    running = await service.job("A-1", "A-2", name="running")
    await service.settle_some(running, 1, VisitState.ABSENT, None)
    await service.clock.advance(10 * DAY)
    assert (await desk(service).prune(dry_run=True)).jobs[0].name == "short"
    told = await desk(service, captures_days=7.0).prune(dry_run=True)
    assert {one.name for one in told.jobs} == {"short", "usual"}
    assert all(one.blobs > 0 and one.size > 0 for one in told.jobs)
    assert all([await readable(service, job) for job in (short, long, usual)])
    done = await desk(service, captures_days=7.0).prune(dry_run=False)
    assert (done.jobs, done.size) == (told.jobs, told.size)
    assert [await readable(service, job) for job in (short, long, usual)] == [False, True, False]
    assert (await desk(service, captures_days=7.0).prune(dry_run=False)).jobs == ()
    story = await service.service.items.story(short.id, "A-1")
    assert (story.item.state, len(story.item.captures)) == (VisitState.SUCCEEDED, 2)


async def test_what_a_redrive_brings_home_is_kept_for_its_own_time(service: Service) -> None:
    job = await ended(service, "bills", days=7)
    await service.clock.advance(8 * DAY)
    assert len((await desk(service).prune(dry_run=False)).jobs) == 1
    await service.service.items.redrive(job.id, Selection(frozenset({VisitState.SUCCEEDED})))
    await service.finished(await service.service.jobs.get(job.id))
    assert await readable(service, job)
    assert (await desk(service).prune(dry_run=False)).jobs == ()
    await service.clock.advance(8 * DAY)
    assert len((await desk(service).prune(dry_run=False)).jobs) == 1
    assert not await readable(service, job)


async def test_a_pruning_that_was_cut_off_is_gone_on_with(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    job = await ended(service, "bills", days=1)
    await service.clock.advance(2 * DAY)

    async def away(key: str) -> None:
        raise StorageError("the store is away")

    with monkeypatch.context() as broken:
        broken.setattr(service.blobs, "delete", away)
        with pytest.raises(StorageError):
            await desk(service).prune(dry_run=False)
    assert len((await desk(service).prune(dry_run=False)).jobs) == 1
    assert not await readable(service, job)


async def test_old_deeds_go_and_young_ones_stay(service: Service) -> None:
    deeds = Deeds(service.ledger.memos, service.clock)
    for day in range(5):
        await deeds.write("jobs.pause", f"job {day}")
        await service.clock.advance(DAY)
    assert (await desk(service).prune(dry_run=False)).deeds == 0
    assert (await desk(service, audit_days=2.5).prune(dry_run=True)).deeds == 3
    assert len(await deeds.find()) == 5
    assert (await desk(service, audit_days=2.5).prune(dry_run=False)).deeds == 3
    assert [deed.what for deed in await deeds.find()] == ["job 3", "job 4"]


async def test_it_is_done_once_a_day_whoever_leads(service: Service) -> None:
    keeping = desk(service)
    first, second = [Tidying(service.ledger.memos, keeping, service.clock) for _ in range(2)]
    await first.look()
    job = await ended(service, "bills", days=0.1)
    await service.clock.advance(DAY / 2)
    await second.look()
    assert await readable(service, job)
    await service.clock.advance(DAY / 2)
    await second.look()
    assert not await readable(service, job)


async def test_a_span_that_is_none_is_refused(service: Service) -> None:
    job = await service.job("A-1")
    for days in (0.0, -1.0, float("nan")):
        with pytest.raises(BadInput, match="days"):
            await service.service.jobs.revise(job.id, Policy(keep_captures_days=days))
