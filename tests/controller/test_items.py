"""Asking about single items, putting them back, and looking at what they kept."""

from pathlib import Path

import orjson
import pytest

from controller.desk import Desk, order
from scrapeyard.model.ask import ExportOrder
from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.item import NewItem, Selection
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.results.manifest import write_manifest

FAILED = Selection(states=frozenset({VisitState.FAILED}))


async def mixed(desk: Desk, count: int = 12) -> Job:
    """Every third item failed, alternately blocked and timed out; every fourth is absent."""
    job = await desk.job(*(f"P-{number:05d}" for number in range(count)))
    outcomes: list[tuple[str, VisitState, str | None]] = []
    for number in range(count):
        if number % 3 == 0:
            kind = "blocked" if number % 2 else "timeout_read"
            outcomes.append((f"P-{number:05d}", VisitState.FAILED, kind))
        elif number % 4 == 1:
            outcomes.append((f"P-{number:05d}", VisitState.ABSENT, None))
    await desk.settle(job, *outcomes)
    return job


async def found(desk: Desk, selection: Selection, **more: int) -> list[int]:
    return [item.seq for item in await desk.service.items.find("bills", selection, **more)]


async def test_items_are_found_by_state_kind_key_and_text(desk: Desk) -> None:
    await mixed(desk)
    assert await found(desk, FAILED) == [0, 3, 6, 9]
    assert await found(desk, Selection(states=FAILED.states, kinds=frozenset({"blocked"}))) == [3, 9]
    assert await found(desk, Selection(kinds=frozenset({"blocked", "timeout_read"}))) == [0, 3, 6, 9]
    assert await found(desk, Selection(states=frozenset({VisitState.ABSENT}))) == [1, 5]
    assert await found(desk, Selection(keys=frozenset({"P-00011", "P-00003", "no"}))) == [3, 11]
    assert await found(desk, Selection(states=FAILED.states, keys=frozenset({"P-00011", "P-00003"}))) == [3]
    assert await found(desk, Selection(text="p-0001")) == [10, 11]
    assert await found(desk, Selection()) == list(range(12))


async def test_pages_follow_each_other_without_gap_or_overlap(desk: Desk) -> None:
    await mixed(desk, 5_000)
    for selection in (Selection(), FAILED, Selection(text="7"), Selection(states=frozenset({VisitState.ABSENT}))):
        whole = [
            item.seq for item in await desk.ledger.items.page((await desk.service.jobs.get("bills")).id, limit=9_999)
            if selection.picks(item)
        ]  # fmt: skip
        paged: list[int] = []
        while page := await found(desk, selection, after=paged[-1] if paged else -1, limit=700):
            paged += page
        assert paged == whole


async def test_running_items_are_found_while_they_run(desk: Desk) -> None:
    job = await desk.job("a", "b")
    now = desk.clock.now()
    offers = await desk.ledger.offers.offer(job.id, 1, now=now, until=now + 9)
    await desk.ledger.leases.begin("w1", offers, now=now)
    running = await desk.service.items.find(job.id, Selection(states=frozenset({VisitState.RUNNING})))
    assert [item.key for item in running] == [offers[0].key]


async def test_too_small_and_too_large_questions_are_refused(desk: Desk) -> None:
    await desk.job("a")
    with pytest.raises(BadInput):
        await found(desk, Selection(), limit=0)
    with pytest.raises(BadInput, match="at most 1,000"):
        await found(desk, Selection(keys=frozenset(map(str, range(1_001)))))


async def test_a_story_has_the_item_and_its_attempts_and_an_unknown_key_its_neighbours(desk: Desk) -> None:
    await mixed(desk)
    assert (await desk.service.items.story("bills", "P-00003")).item.kind == "blocked"
    with pytest.raises(NotFound, match="did you mean 'P-00003'"):
        await desk.service.items.story("bills", " p-00003".upper())
    with pytest.raises(NotFound, match="did you mean"):
        await desk.service.items.story("bills", "P-0003")
    with pytest.raises(NotFound, match="look like 'P-00000'"):
        await desk.service.items.story("bills", "0")
    await desk.service.jobs.open(order("empty"))
    with pytest.raises(NotFound, match="no items at all"):
        await desk.service.items.story("empty", "P")


async def test_a_dry_run_counts_and_changes_nothing(desk: Desk) -> None:
    job = await desk.ended(await mixed(desk))
    redriven = await desk.service.items.redrive("bills", Selection(), dry_run=True)
    assert (redriven.items, redriven.dry_run) == (4, True)
    assert await found(desk, FAILED) == [0, 3, 6, 9]
    assert (await desk.service.jobs.get(job.id)).state is JobState.COMPLETED


async def test_a_completed_job_runs_again_for_the_redriven_items(desk: Desk) -> None:
    job = await desk.ended(await mixed(desk))
    blocked = Selection(kinds=frozenset({"blocked"}))
    assert (await desk.service.items.redrive(job.id, blocked)).items == 2
    again = await desk.service.jobs.get(job.id)
    assert (again.state, again.epoch, again.total) == (JobState.RUNNING, 1, 12)
    assert await found(desk, FAILED) == [0, 6]
    assert await found(desk, Selection(states=frozenset({VisitState.WAITING}))) == [3, 9]


async def test_a_redrive_that_selects_nothing_leaves_a_completed_job_alone(desk: Desk) -> None:
    job = await desk.ended(await mixed(desk))
    redriven = await desk.service.items.redrive(job.id, Selection(kinds=frozenset({"dns"})))
    assert redriven.items == 0
    assert (await desk.service.jobs.get(job.id)).state is JobState.COMPLETED


async def test_a_cancelled_job_and_one_that_never_ran_refuse_a_redrive(desk: Desk) -> None:
    job = await mixed(desk)
    await desk.service.jobs.cancel(job.id, "enough")
    with pytest.raises(Conflict, match="cancelled for good"):
        await desk.service.items.redrive(job.id, Selection(), dry_run=True)
    loading = await desk.service.jobs.open(order("loading"))
    with pytest.raises(Conflict, match="has not run yet"):
        await desk.service.items.redrive(loading.job.id, Selection())


async def test_the_last_page_of_an_item_is_shown_unless_one_is_named(desk: Desk) -> None:
    await mixed(desk)
    assert (await desk.service.results.capture("bills", "P-00002")).body == b"<p>detail of P-00002"
    assert (await desk.service.results.capture("bills", "P-00002", "search")).body == b"<p>search of P-00002"
    with pytest.raises(NotFound, match="it has 'search', 'detail'"):
        await desk.service.results.capture("bills", "P-00002", "bill")
    with pytest.raises(NotFound, match="kept no page: it is failed: blocked"):
        await desk.service.results.capture("bills", "P-00003")
    with pytest.raises(NotFound, match="kept no page: it is absent"):
        await desk.service.results.capture("bills", "P-00001")


async def test_the_manifest_is_there_when_the_job_has_ended_and_has_every_item(desk: Desk) -> None:
    job = await mixed(desk)
    with pytest.raises(NotFound, match="written when it ends"):
        await desk.service.results.manifest("bills")
    with pytest.raises(NotFound, match="written when it ends"):
        await anext(aiter(desk.service.results.manifest_lines("bills")))
    job = await desk.ended(job)
    tally = await desk.ledger.jobs.tally(job.id)
    await write_manifest(job, tally, desk.ledger.items, desk.blobs, now=desk.clock.now())
    assert orjson.loads(await desk.service.results.manifest("bills"))
    lines = [orjson.loads(line) async for line in desk.service.results.manifest_lines("bills")]
    assert [line["key"] for line in lines] == [f"P-{number:05d}" for number in range(12)]


async def test_an_export_of_a_running_job_gives_what_there_is(desk: Desk, tmp_path: Path) -> None:
    await desk.job("a", "b")
    exported = await desk.service.results.export("bills", ExportOrder("jsonl", str(tmp_path / "out")))
    assert {Path(path).name: rows for path, rows in exported.files}["items.jsonl"] == 2


async def test_the_desk_for_loading_takes_any_number_of_items_that_are_new(desk: Desk) -> None:
    job = (await desk.service.jobs.open(order())).job
    added = await desk.service.jobs.load(job.id, [NewItem("a", b"{}"), NewItem("a", b"{}")])
    assert (added.accepted, added.duplicates) == (1, 1)


async def test_a_dry_run_says_what_it_would_take_and_a_redrive_is_an_event(desk: Desk) -> None:
    job = await desk.ended(await mixed(desk))
    assert (await desk.service.items.redrive("bills", Selection(), dry_run=True)).toll is None, "no try was recorded"
    await desk.service.items.redrive("bills", Selection(kinds=frozenset({"blocked"}), text="p-0000"))
    (event,) = await desk.ledger.events.page(job=job.id)
    assert event.name == "redriven"
    assert "2 items run again: failed or uncertain, of kind blocked, with 'p-0000' in the key" in event.words


async def test_too_many_keys_at_once_are_refused(desk: Desk) -> None:
    await desk.ended(await mixed(desk))
    with pytest.raises(BadInput, match="at most 10,000"):
        await desk.service.items.redrive("bills", Selection(keys=frozenset(map(str, range(10_001)))))
