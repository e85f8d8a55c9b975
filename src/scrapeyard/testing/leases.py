"""What every book of leases promises: whatever is lost, late or repeated, each result is recorded exactly once."""

import asyncio

import msgspec
import pytest

from scrapeyard.model.errors import Conflict
from scrapeyard.model.item import Lease, Settlement
from scrapeyard.model.states import VISIT_MOVES, JobState, ReadingState, VisitState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import (
    NOW,
    TTL,
    LedgerSuite,
    OpenLedger,
    Scene,
    again,
    beat,
    ended,
    failed,
    released,
    staged,
    succeeded,
    tried,
)


def taken(leases: list[Lease]) -> list[int]:
    """Which items are held."""
    return sorted(lease.offer.seq for lease in leases)


class LeasesSuite(LedgerSuite):
    """Behaviour of the `LeaseBook` port."""

    async def test_taking_an_offer_gives_a_lease_on_it(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 5)
        offers = await scene.offer()
        leases = await ledger.leases.begin("w1", offers, now=NOW)
        assert {lease.offer for lease in leases} == set(offers)
        assert {lease.worker for lease in leases} == {"w1"}

    async def test_nothing_may_be_taken_and_settled(self, ledger: Ledger) -> None:
        assert await ledger.leases.begin("w1", [], now=NOW) == []
        assert await ledger.leases.settle([], now=NOW) == []

    async def test_an_expired_offer_is_not_taken(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        offers = await scene.offer()
        assert await ledger.leases.begin("w1", offers, now=NOW + TTL + 1) == []
        assert (await scene.tally()).count(VisitState.RUNNING) == 0

    async def test_what_another_worker_took_is_left_out(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 6)
        offers = await scene.offer()
        first = await ledger.leases.begin("w1", offers[:4], now=NOW)
        second = await ledger.leases.begin("w2", offers, now=NOW)
        if ledger.leases.exclusive:
            assert taken(first) == sorted(offer.seq for offer in offers[:4])
            assert taken(second) == sorted(offer.seq for offer in offers[4:])
        settled = await scene.settle(*(succeeded(lease) for lease in (*first, *second)))
        assert sum(settled) == 6
        assert (await scene.tally()).records == 12

    async def test_of_many_workers_at_once_one_gets_each_item(self, reopen: OpenLedger) -> None:
        ledgers = [await reopen() for _ in range(3)]
        scene = await staged(ledgers[0], 60)
        offers = await scene.offer()
        begun = await asyncio.gather(*(ledgers[n % 3].leases.begin(f"w{n}", offers, now=NOW) for n in range(9)))
        leases = [lease for part in begun for lease in part]
        assert set(taken(leases)) == set(range(60))
        if ledgers[0].leases.exclusive:
            assert len(leases) == 60
        answers = await asyncio.gather(*(ledgers[1].leases.settle([succeeded(lease)], now=NOW) for lease in leases))
        assert sum(answer for (answer,) in answers) == 60

    async def test_taking_again_after_a_lost_answer_gives_the_same_leases(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 4)
        offers = await scene.offer()
        first = await ledger.leases.begin("w1", offers, now=NOW)
        second = await ledger.leases.begin("w1", [*offers, *offers], now=NOW + 1)
        assert sorted(second, key=lambda lease: lease.offer.seq) == sorted(first, key=lambda lease: lease.offer.seq)
        assert await scene.settle(*(succeeded(lease) for lease in first)) == [True] * 4

    async def test_what_is_settled_is_not_taken_again_with_the_old_offer(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 3)
        offers = await scene.offer()
        one, two, three = await ledger.leases.begin("w1", offers, now=NOW)
        await scene.settle(succeeded(one), again(two, NOW), released(three, NOW))
        assert await ledger.leases.begin("w1", offers, now=NOW) == []
        assert await ledger.leases.begin("w2", offers, now=NOW) == []

    async def test_an_old_offer_beside_the_new_one_takes_nothing_away(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (old,) = await scene.offer()
        scene.now += TTL + 1
        await ledger.offers.sweep(now=scene.now)
        (new,) = await scene.offer()
        assert [lease.offer for lease in await ledger.leases.begin("w1", [old, new, old], now=scene.now)] == [new]
        assert len(await ledger.leases.begin("w1", [new, old], now=scene.now)) == 1

    async def test_a_cancelled_job_starts_nothing_more(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 3)
        offers = await scene.offer()
        await scene.move(JobState.CANCELLED, JobState.RUNNING)
        assert await ledger.leases.begin("w1", offers, now=NOW) == []
        assert (await scene.tally()).states == {VisitState.CANCELLED: 3}

    async def test_a_success_is_remembered_with_all_its_references(self, ledger: Ledger, reopen: OpenLedger) -> None:
        scene = await staged(ledger, 3)
        lease, *_ = await scene.take()
        settlement = succeeded(lease, 7, losses=2)
        scene.now += 4
        assert await scene.settle(settlement) == [True]
        item = await Scene(await reopen(), await scene.job()).item(lease.offer.seq)
        assert (item.state, item.epoch, item.attempts, item.losses) == (VisitState.SUCCEEDED, 0, 1, 2)
        assert (item.captures, item.records) == (settlement.captures, settlement.records)
        assert (item.reading, item.worker, item.changed) == (ReadingState.READ, None, NOW + 4)
        assert await ledger.items.attempts(scene.id, lease.offer.seq) == [tried(lease, VisitState.SUCCEEDED)]

    async def test_a_failure_is_remembered_with_kind_reason_and_evidence(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (lease,) = await scene.take()
        evidence = succeeded(lease).captures
        await scene.settle(failed(lease, "blocked", reason="Access ' denied ☃", captures=evidence, crashes=1))
        item = await scene.item(0)
        assert (item.state, item.kind, item.reason) == (VisitState.FAILED, "blocked", "Access ' denied ☃")
        assert (item.captures, item.crashes) == (evidence, 1)

    async def test_a_retry_waits_with_its_new_totals(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (lease,) = await scene.take()
        await scene.settle(again(lease, NOW + 77, "dns", attempts=1, crashes=2, losses=5))
        item = await scene.item(0)
        assert (item.state, item.not_before, item.kind) == (VisitState.WAITING, NOW + 77, "dns")
        assert (item.attempts, item.crashes, item.losses, item.worker) == (1, 2, 5, None)

    async def test_a_released_item_has_spent_nothing(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (lease,) = await scene.take()
        await scene.settle(released(lease, NOW))
        assert (await scene.item(0)).attempts == 0
        assert await ledger.items.attempts(scene.id, 0) == []
        assert (await scene.tally()).attempts == 0
        (offer,) = await scene.offer()
        assert offer.attempt == 1

    async def test_repeating_a_settlement_records_nothing_twice(self, ledger: Ledger, reopen: OpenLedger) -> None:
        scene = await staged(ledger, 4)
        one, two, three, four = await scene.take()
        call = [succeeded(one), failed(two), again(three, NOW + 9), released(four, NOW)]
        assert await scene.settle(*call) == [True] * 4
        before = (await scene.items(), await scene.tally())
        assert await scene.settle(*call) == [False] * 4
        assert await (await reopen()).leases.settle(call[:1], now=NOW + 60) == [False]
        assert (await scene.items(), await scene.tally()) == before
        assert before[1].stale == 0

    async def test_a_lease_settled_twice_in_one_call_counts_once(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (lease,) = await scene.take()
        assert await scene.settle(succeeded(lease), failed(lease)) == [True, False]
        assert await scene.states() == [VisitState.SUCCEEDED]
        tally = await scene.tally()
        assert (tally.attempts, tally.records) == (1, 2)

    async def test_a_settlement_that_comes_many_times_at_once_counts_once(self, reopen: OpenLedger) -> None:
        ledgers = [await reopen() for _ in range(3)]
        scene = await staged(ledgers[0], 1)
        (lease,) = await scene.take()
        calls = [ledgers[n % 3].leases.settle([succeeded(lease)], now=NOW) for n in range(9)]
        assert sorted(answer for (answer,) in await asyncio.gather(*calls)) == [False] * 8 + [True]
        assert (await scene.tally()).attempts == 1

    async def test_a_wrong_fence_or_epoch_records_nothing_but_the_count_of_stale_ones(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        one, two = await scene.take()
        wrong = [
            msgspec.structs.replace(succeeded(one), fence=one.fence + 1_000_000),
            msgspec.structs.replace(succeeded(two), epoch=two.offer.epoch + 1, fence=two.fence + 1_000_000),
        ]
        before = await scene.items()
        assert await scene.settle(*wrong) == [False, False]
        assert await scene.items() == before
        tally = await scene.tally()
        assert (tally.stale, tally.attempts, tally.records) == (2, 0, 0)
        assert await scene.settle(wrong[0], wrong[0]) == [False, False]
        assert (await scene.tally()).stale == 4, "what is said twice in one call is counted twice"
        assert await scene.settle(succeeded(one), succeeded(two)) == [True, True]

    async def test_what_was_never_taken_cannot_be_settled(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 3)
        waiting, offered = 2, (await scene.offer(1))[0].seq
        for seq in (waiting, offered, 99):
            stranger = Settlement(scene.id, seq, 0, 1, VisitState.SUCCEEDED, 1)
            assert await scene.settle(stranger) == [False]
        nowhere = Settlement(type(scene.id)("job-unknown"), 0, 0, 1, VisitState.SUCCEEDED, 1)
        assert await scene.settle(nowhere) == [False]
        assert (await scene.tally()).moving == 3

    async def test_a_call_with_late_ones_answers_for_each(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 4)
        one, two, three, four = await scene.take()
        await scene.settle(failed(two), failed(four))
        call = [succeeded(lease) for lease in (one, two, three, four)]
        assert await scene.settle(*call) == [True, False, True, False]
        assert (await scene.tally()).count(VisitState.SUCCEEDED, VisitState.FAILED) == 4

    async def test_what_a_running_item_cannot_become_is_refused_with_its_whole_call(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        one, two = await scene.take()
        for state in set(VisitState) - VISIT_MOVES[VisitState.RUNNING]:
            with pytest.raises(Conflict):
                await scene.settle(succeeded(one), ended(two, state))
        assert (await scene.tally()).count(VisitState.RUNNING) == 2
        assert await ledger.items.attempts(scene.id, one.offer.seq) == []

    async def test_hundreds_are_settled_in_one_call(self, ledger: Ledger) -> None:
        scenes = [await staged(ledger, 300, number=number) for number in (1, 2)]
        leases = [lease for scene in scenes for lease in await scene.take()]
        assert await scenes[0].settle(*(succeeded(lease) for lease in leases)) == [True] * 600
        for scene in scenes:
            assert (await scene.tally()).states == {VisitState.SUCCEEDED: 300}

    async def test_each_holding_of_an_item_has_a_fence_of_its_own(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        fences: list[int] = []
        for turn in range(5):
            (lease,) = await scene.take(worker=f"w{turn % 2}")
            fences.append(lease.fence)
            await scene.settle(released(lease, NOW))
        assert len(set(fences)) == 5

    async def test_a_worker_is_known_by_its_beats(self, ledger: Ledger, reopen: OpenLedger) -> None:
        assert await ledger.leases.workers() == []
        for version in (0, 1, 2):
            assert await ledger.leases.beat(beat("w1", version))
        assert await (await reopen()).leases.workers() == [beat("w1", 2)]

    async def test_a_worker_that_left_is_forgotten(self, ledger: Ledger) -> None:
        await ledger.leases.beat(beat("w1"))
        await ledger.leases.beat(beat("w2"))
        await ledger.leases.leave("w1")
        await ledger.leases.leave("nobody")
        assert [known.worker for known in await ledger.leases.workers()] == ["w2"]
        assert await ledger.leases.fence("w1", 1) is None

    async def test_a_worker_that_beat_meanwhile_is_not_fenced(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        await ledger.leases.beat(beat("w1", 4))
        leases = await scene.take()
        await ledger.leases.beat(beat("w1", 5))
        assert await ledger.leases.fence("w1", 4) is None
        assert await ledger.leases.beat(beat("w1", 6))
        assert await scene.settle(*(succeeded(lease) for lease in leases)) == [True, True]

    async def test_nobody_cannot_be_fenced(self, ledger: Ledger) -> None:
        assert await ledger.leases.fence("nobody", 0) is None

    async def test_a_fenced_worker_can_neither_beat_nor_take(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 6)
        await ledger.leases.beat(beat("w1", 3))
        await scene.take(2)
        offers = await scene.offer()
        assert await ledger.leases.fence("w1", 3) is not None
        assert not await ledger.leases.beat(beat("w1", 4))
        assert await ledger.leases.begin("w1", offers, now=NOW) == []
        assert len(await ledger.leases.begin("w2", offers, now=NOW)) == 4

    async def test_fencing_gives_the_leases_and_the_caller_settles_them(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 5)
        await ledger.leases.beat(beat("w1", 3))
        old = await scene.take(3)
        others = await scene.take(2, worker="w2")
        held = await ledger.leases.fence("w1", 3)
        assert held is not None
        assert {lease.offer for lease in held} == {lease.offer for lease in old}
        assert await scene.settle(*(again(lease, NOW, "worker_lost", losses=1) for lease in held)) == [True] * 3
        assert await scene.settle(*(succeeded(lease) for lease in old)) == [False] * 3
        assert await scene.settle(*(succeeded(lease) for lease in others)) == [True] * 2
        tally = await scene.tally()
        assert (tally.stale, tally.count(VisitState.WAITING, VisitState.SUCCEEDED)) == (3, 5)

    async def test_asking_again_gives_the_leases_that_are_not_settled_yet(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 4)
        await ledger.leases.beat(beat("w1", 1))
        await scene.take()
        first, *rest = await scene.fence("w1")
        await scene.settle(again(first, NOW))
        still = await ledger.leases.fence("w1", 1)
        assert still is not None
        assert taken(still) == taken(rest)
        assert [known.fenced for known in await ledger.leases.workers()] == [True]
        assert await scene.settle(*(again(lease, NOW) for lease in still)) == [True] * 3
        assert await ledger.leases.fence("w1", 1) in ([], None)
        assert await ledger.leases.workers() == []

    async def test_a_dead_worker_and_its_reaper_record_one_result_whoever_comes_first(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 4)
        await ledger.leases.beat(beat("w1", 1))
        old = await scene.take()
        new = sorted(await scene.fence("w1"), key=lambda lease: lease.offer.seq)
        first = await scene.settle(*(succeeded(lease) for lease in old[:2]), *(again(lease, NOW) for lease in new[2:]))
        second = await scene.settle(*(again(lease, NOW) for lease in new[:2]), *(succeeded(lease) for lease in old[2:]))
        assert [one + other for one, other in zip(first, second, strict=True)] == [1, 1, 1, 1]
        await scene.tally()

    async def test_a_worker_that_died_before_its_first_beat_can_be_fenced(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        leases = await scene.take(worker="quick")
        assert [known.worker for known in await ledger.leases.workers()] == ["quick"]
        assert taken(await scene.fence("quick")) == taken(leases)

    async def test_the_leases_of_a_dead_worker_are_found_after_opening_anew(
        self, ledger: Ledger, reopen: OpenLedger
    ) -> None:
        scene = await staged(ledger, 5)
        await ledger.leases.beat(beat("w1", 2))
        leases = await scene.take(4)
        other = Scene(await reopen(), await scene.job())
        held = await other.fence("w1")
        assert taken(held) == taken(leases)
        assert await other.settle(*(again(lease, NOW, losses=1) for lease in held)) == [True] * 4
        assert await scene.settle(*(succeeded(lease) for lease in leases)) == [False] * 4
        assert (await scene.tally()).moving == 5

    async def test_a_lease_reaped_and_taken_anew_belongs_to_its_new_holder(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (old,) = await scene.take(worker="w1")
        (held,) = await scene.fence("w1")
        await scene.settle(again(held, NOW))
        (new,) = await scene.take(worker="w2")
        assert await scene.settle(succeeded(old)) == [False]
        assert await scene.settle(succeeded(held)) == [False]
        assert (await scene.tally()).count(VisitState.RUNNING) == 1
        assert await scene.settle(succeeded(new)) == [True]
        item = await scene.item(0)
        assert (item.state, len(await ledger.items.attempts(scene.id, 0))) == (VisitState.SUCCEEDED, 2)
