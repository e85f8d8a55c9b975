"""What every book of items promises: nothing added twice, nothing lost, and every answer in the order of the list."""

import asyncio

import msgspec
import pytest

from scrapeyard.model.attempt import Attempt
from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.item import Added, Lease, NewItem, Selection
from scrapeyard.model.job import JobId
from scrapeyard.model.states import JobState, ReadingState, VisitState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import (
    NOW,
    LedgerSuite,
    OpenLedger,
    Scene,
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

STRANGE_KEYS = (
    "é",
    "e\u0301",
    "É",
    " x",
    "x ",
    "x",
    "X",
    "a'b",
    'a"b',
    "a\nb",
    "a\\b",
    "%",
    "_",
    "☃",
    "0",
    "00",
    "../x",
)
REFUSED_KEYS = ("", "k" * 1_025, "half \ud800 a character")


class ItemsSuite(LedgerSuite):
    """Behaviour of the `ItemBook` port: loading, asking, and putting back."""

    async def test_items_are_numbered_from_zero_without_holes(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        assert await ledger.items.add(job.id, new_items(3)) == Added(3, 0)
        assert await ledger.items.add(job.id, [*new_items(2), *new_items(2, 50)]) == Added(2, 2)
        assert await ledger.items.add(job.id, [*new_items(1, 90), *new_items(1, 90)]) == Added(1, 1)
        items = await Scene(ledger, job).items()
        assert [item.seq for item in items] == list(range(6))
        assert [item.key[-2:] for item in items] == ["00", "01", "02", "50", "51", "90"]

    async def test_a_new_item_waits_and_nothing_was_tried(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        item = await scene.item(1)
        assert (item.job, item.key, item.inputs) == (scene.id, "P-000001", b'{"parcel_id":"P-000001"}')
        assert (item.state, item.epoch, item.attempts, item.crashes) == (VisitState.WAITING, 0, 0, 0)
        assert (item.kind, item.worker, item.captures, item.records) == (None, None, (), None)
        assert await ledger.items.attempts(scene.id, 1) == []

    async def test_the_first_of_two_items_with_one_key_stays(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        await ledger.items.add(job.id, [NewItem("k", b'{"n":1}'), NewItem("k", b'{"n":2}')])
        await ledger.items.add(job.id, [NewItem("k", b'{"n":3}')])
        (item,) = await Scene(ledger, job).items()
        assert item.inputs == b'{"n":1}'

    async def test_repeating_a_chunk_adds_nothing(self, ledger: Ledger, reopen: OpenLedger) -> None:
        job = await ledger.jobs.create(a_job())
        await ledger.items.add(job.id, new_items(700))
        assert await (await reopen()).items.add(job.id, new_items(700)) == Added(0, 700)
        assert len(await Scene(ledger, job).items()) == 700

    async def test_a_chunk_that_comes_many_times_at_once_is_added_once(self, reopen: OpenLedger) -> None:
        ledgers = [await reopen() for _ in range(3)]
        job = await ledgers[0].jobs.create(a_job())
        answers = await asyncio.gather(*(ledgers[n % 3].items.add(job.id, new_items(100)) for n in range(6)))
        assert sum(added.accepted for added in answers) == 100
        assert [item.seq for item in await Scene(ledgers[0], job).items()] == list(range(100))

    async def test_nothing_may_be_added(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        assert await ledger.items.add(job.id, []) == Added(0, 0)
        assert await ledger.items.seal(job.id) == 0
        assert (await Scene(ledger, job).job()).total == 0

    async def test_two_jobs_may_have_the_same_keys(self, ledger: Ledger) -> None:
        for number in (1, 2):
            await ledger.jobs.create(a_job(number))
            assert await ledger.items.add(a_job(number).id, new_items(5)) == Added(5, 0)

    async def test_keys_are_told_apart_to_the_last_character(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        added = await ledger.items.add(job.id, [NewItem(key, b"{}") for key in STRANGE_KEYS])
        assert added == Added(len(STRANGE_KEYS), 0)
        for seq, key in enumerate(STRANGE_KEYS):
            item = await ledger.items.get(job.id, key)
            assert item is not None
            assert (item.key, item.seq) == (key, seq)

    async def test_inputs_are_kept_to_the_byte(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        inputs = '{ "é":"\\u0000 ☃", "n" : 1e2 }\n'.encode()
        await ledger.items.add(job.id, [NewItem("k" * 1_024, inputs)])
        item = await ledger.items.get(job.id, "k" * 1_024)
        assert item is not None
        assert item.inputs == inputs

    @pytest.mark.parametrize("key", REFUSED_KEYS, ids=["empty", "long", "half"])
    async def test_a_key_that_cannot_be_kept_is_refused_with_its_whole_chunk(self, ledger: Ledger, key: str) -> None:
        job = await ledger.jobs.create(a_job())
        with pytest.raises(BadInput):
            await ledger.items.add(job.id, [*new_items(2), NewItem(key, b"{}")])
        assert await Scene(ledger, job).items() == []
        assert await ledger.jobs.tally(job.id) == await ledger.jobs.recount(job.id)

    async def test_inputs_without_measure_are_refused(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        with pytest.raises(BadInput):
            await ledger.items.add(job.id, [NewItem("k", b"x" * 262_145)])

    async def test_a_sealed_list_takes_nothing_more(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 3)
        with pytest.raises(Conflict):
            await ledger.items.add(scene.id, new_items(1, 99))
        with pytest.raises(Conflict):
            await ledger.items.add(scene.id, new_items(3))
        assert (await scene.tally()).loaded == 3

    async def test_a_list_of_a_job_that_was_cancelled_takes_nothing_more(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        await ledger.items.add(job.id, new_items(2))
        await ledger.jobs.advance(job.id, JobState.CANCELLED, [JobState.LOADING], now=NOW)
        with pytest.raises(Conflict):
            await ledger.items.add(job.id, new_items(2, 10))

    async def test_a_job_that_is_not_there_has_no_list(self, ledger: Ledger) -> None:
        with pytest.raises(NotFound):
            await ledger.items.add(JobId("job-unknown"), new_items(1))
        with pytest.raises(NotFound):
            await ledger.items.seal(JobId("job-unknown"))

    async def test_sealing_twice_gives_the_same_total(self, ledger: Ledger, reopen: OpenLedger) -> None:
        job = await ledger.jobs.create(a_job())
        await ledger.items.add(job.id, new_items(4))
        assert (await Scene(ledger, job).job()).total is None
        assert await ledger.items.seal(job.id) == 4
        assert await (await reopen()).items.seal(job.id) == 4
        assert (await Scene(ledger, job).job()).total == 4

    async def test_what_is_not_there_is_none(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        assert await ledger.items.get(scene.id, "P-000009") is None
        assert await ledger.items.get(JobId("job-unknown"), "P-000001") is None
        assert await ledger.items.page(scene.id, after=1) == []
        assert await ledger.items.attempts(scene.id, 99) == []

    async def test_pages_follow_each_other_without_gap_or_overlap(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 25)
        found: list[int] = []
        while page := await ledger.items.page(scene.id, after=found[-1] if found else -1, limit=10):
            assert len(page) <= 10
            found += [item.seq for item in page]
        assert found == list(range(25))

    async def test_trouble_lists_what_failed_and_what_is_uncertain(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 9)
        leases = await scene.take()
        kinds = ["blocked", "parse_empty"]
        await scene.settle(*(failed(lease, kinds[lease.offer.seq % 2]) for lease in leases[:5]))
        await scene.settle(ended(leases[5], VisitState.UNCERTAIN, kind="worker_lost", reason="?"), succeeded(leases[6]))
        await scene.settle(again(leases[7], NOW + 60, "blocked"))
        trouble = await ledger.items.trouble(scene.id)
        assert [(item.seq, item.kind) for item in trouble] == [
            (0, "blocked"), (1, "parse_empty"), (2, "blocked"), (3, "parse_empty"), (4, "blocked"), (5, "worker_lost"),
        ]  # fmt: skip
        assert [item.seq for item in await ledger.items.trouble(scene.id, "blocked")] == [0, 2, 4]
        assert [item.seq for item in await ledger.items.trouble(scene.id, "blocked", after=0, limit=1)] == [2]
        assert [item.seq for item in await ledger.items.trouble(scene.id, after=1, limit=3)] == [2, 3, 4]
        assert await ledger.items.trouble(scene.id, "captcha") == []

    async def test_running_items_are_those_that_hold_a_lease_where_that_is_known(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 6)
        one, two, *rest = await scene.take(5)
        await scene.settle(succeeded(one))
        running = await ledger.items.running(scene.id)
        known = [item.seq for item in running]
        assert known in ([], sorted(lease.offer.seq for lease in (two, *rest)))
        assert {item.worker for item in running} <= {"w1"}
        assert len(await ledger.items.running(scene.id, limit=2)) <= 2

    async def test_every_try_is_told_oldest_first(self, ledger: Ledger) -> None:
        scene, other = await staged(ledger, 1, number=1), await staged(ledger, 1, number=2)
        told: list[Attempt] = []
        for kind in ("blocked", "timeout_read", "dns"):
            (lease,) = await scene.take(worker=kind)
            told.append(tried(lease, VisitState.WAITING, kind))
            await scene.settle(again(lease, scene.now, kind))
        assert await ledger.items.attempts(scene.id, 0) == told
        assert await ledger.items.attempts(other.id, 0) == []

    async def test_a_redrive_takes_failed_and_uncertain_items_unless_told_otherwise(self, ledger: Ledger) -> None:
        scene = await _mixed(ledger)
        assert await scene.redrive() == 3
        assert [item.seq for item in await scene.items() if item.state is VisitState.WAITING] == [2, 3, 4, 5, 7]
        assert (await scene.tally()).failed == {}

    async def test_a_dry_run_tells_the_number_and_changes_nothing(self, ledger: Ledger) -> None:
        scene = await _mixed(ledger)
        before = (await scene.items(), await scene.job(), await scene.tally())
        assert await scene.redrive(dry_run=True) == 3
        assert (await scene.items(), await scene.job(), await scene.tally()) == before

    async def test_a_redriven_item_begins_a_new_epoch_with_fresh_attempts(self, ledger: Ledger) -> None:
        scene = await _mixed(ledger)
        before = await scene.item(0)
        job = await scene.job()
        assert await scene.redrive(Selection(states=frozenset({VisitState.SUCCEEDED}))) == 2
        after = await scene.item(0)
        assert after.epoch > before.epoch
        assert (await scene.job()).epoch > job.epoch
        assert (after.state, after.attempts, after.crashes, after.losses) == (VisitState.WAITING, 0, 0, 0)
        assert (after.kind, after.captures, after.records, after.reading) == (None, (), None, ReadingState.NONE)
        assert len(await ledger.items.attempts(scene.id, 0)) == 1
        assert (await scene.tally()).records == 0

    async def test_redriven_items_are_offered_again_in_their_new_epoch(self, ledger: Ledger) -> None:
        scene = await _mixed(ledger)
        assert [offer.epoch for offer in await scene.offer()] == [0]
        count = await scene.redrive(Selection(states=frozenset({VisitState.FAILED})))
        offers = await scene.offer()
        epochs = {item.seq: item.epoch for item in await scene.items()}
        assert len(offers) == count == 2
        for offer in offers:
            assert (offer.attempt, offer.crashes, offer.losses) == (1, 0, 0)
            assert (offer.epoch, offer.last_kind) == (epochs[offer.seq], None)
        (lease, *_) = await ledger.leases.begin("w2", offers, now=scene.now)
        assert await scene.settle(succeeded(lease)) == [True]
        await scene.tally()

    async def test_a_redrive_can_choose_kinds_keys_words_and_unreadable_ones(self, ledger: Ledger) -> None:
        scene = await _mixed(ledger)
        succeeded_too = frozenset({VisitState.SUCCEEDED, VisitState.FAILED})
        for selection, count in [
            (Selection(kinds=frozenset({"blocked"})), 1),
            (Selection(kinds=frozenset({"blocked", "worker_lost"})), 2),
            (Selection(keys=frozenset({"P-000003", "P-000000", "nobody"})), 1),
            (Selection(states=succeeded_too, keys=frozenset({"P-000003", "P-000000"})), 2),
            (Selection(text="IT WAS PARSE"), 1),
            (Selection(text="p-00000"), 3),
            (Selection(states=succeeded_too, unreadable=True), 1),
            (Selection(states=frozenset({VisitState.ABSENT})), 1),
            (Selection(states=frozenset({VisitState.RUNNING, VisitState.WAITING, VisitState.CANCELLED})), 0),
            (Selection(states=frozenset({VisitState.SKIPPED})), 0),
        ]:
            assert await scene.redrive(selection, dry_run=True) == count, selection
        assert await scene.redrive(Selection(kinds=frozenset({"blocked"}))) == 1
        assert (await scene.item(2)).state is VisitState.WAITING

    async def test_a_redrive_can_choose_by_the_time_of_the_last_change(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 3)
        for lease in await scene.take():
            await scene.settle(failed(lease))
            scene.now += 60
        since, until = NOW + 60, NOW + 120
        assert await scene.redrive(Selection(since=since), dry_run=True) == 2
        assert await scene.redrive(Selection(until=until), dry_run=True) == 2
        assert await scene.redrive(Selection(since=since, until=until)) == 1
        assert (await scene.states()).count(VisitState.WAITING) == 1

    async def test_a_climbed_rung_is_kept_until_a_redrive(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (lease,) = await scene.take()
        await scene.settle(again(lease, NOW, rung=2, strikes=1))
        (lease,) = await scene.take()
        assert (lease.offer.rung, lease.offer.strikes) == (2, 1)
        await scene.settle(failed(lease))
        assert ((await scene.item(0)).rung, (await scene.item(0)).strikes) == (2, 1)
        await scene.redrive()
        assert ((await scene.item(0)).rung, (await scene.item(0)).strikes) == (0, 0)

    async def test_repeating_a_redrive_puts_nothing_back_twice(self, ledger: Ledger) -> None:
        scene = await _mixed(ledger)
        await scene.redrive()
        before = await scene.items()
        assert await scene.redrive() == 0
        assert await scene.items() == before

    async def test_a_result_of_an_older_epoch_is_not_recorded(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (old,) = await scene.take()
        await scene.settle(failed(old))
        await scene.redrive()
        assert await scene.settle(succeeded(old)) == [False]
        (new,) = await scene.take(worker="w2")
        assert await scene.settle(succeeded(old)) == [False]
        assert await scene.settle(msgspec.structs.replace(succeeded(new), epoch=old.offer.epoch)) == [False]
        assert await scene.settle(ended(new)) == [True]
        assert await scene.states() == [VisitState.ABSENT]
        await scene.tally()

    async def test_a_cancelled_job_is_not_redriven(self, ledger: Ledger) -> None:
        scene = await _mixed(ledger)
        await scene.move(JobState.CANCELLED, JobState.RUNNING)
        with pytest.raises(Conflict):
            await scene.redrive()

    async def test_thousands_are_redriven_and_counted(self, ledger: Ledger) -> None:
        count = int(2_600 * self.scale)
        scene = await staged(ledger, count)
        await scene.settle(*(failed(lease) for lease in await scene.take(3_000)))
        assert await scene.redrive() == count
        assert (await scene.tally()).states == {VisitState.WAITING: count}
        leases: list[Lease] = await scene.take(3_000)
        assert sorted(lease.offer.seq for lease in leases) == list(range(count))
        await scene.settle(*(succeeded(lease, 0) for lease in leases))
        assert (await scene.tally()).states == {VisitState.SUCCEEDED: count}

    async def test_everything_is_there_after_opening_anew(self, ledger: Ledger, reopen: OpenLedger) -> None:
        scene = await _mixed(ledger)
        await scene.redrive(Selection(kinds=frozenset({"blocked"})))
        other = Scene(await reopen(), await scene.job())
        assert await other.items() == await scene.items()
        assert await other.ledger.items.attempts(scene.id, 2) == await ledger.items.attempts(scene.id, 2)


async def _mixed(ledger: Ledger) -> Scene:
    """0 succeeded, 1 absent, 2 and 3 failed, 4 uncertain, 5 waits, 6 runs, 7 waits, 8 unreadable."""
    scene = await staged(ledger, 9)
    leases = await scene.take()
    await scene.settle(
        succeeded(leases[0]),
        ended(leases[1]),
        failed(leases[2], "blocked", crashes=2, losses=3),
        failed(leases[3], "parse_empty"),
        ended(leases[4], VisitState.UNCERTAIN, kind="worker_lost", reason="its worker was lost"),
        again(leases[5], NOW + 600),
        released(leases[7], NOW),
        succeeded(leases[8], records=None, reading=ReadingState.UNREADABLE, reason="no such column"),
    )
    return scene
