"""What every book of offers promises: what may start is offered in the job's own order, and comes back if untaken."""

import asyncio

from scrapeyard.model.item import Offer
from scrapeyard.model.order import Permutation
from scrapeyard.model.policy import Order, Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import (
    NOW,
    TTL,
    LedgerSuite,
    OpenLedger,
    Scene,
    a_job,
    again,
    ended,
    failed,
    new_items,
    released,
    seqs,
    staged,
    succeeded,
)

IN_LIST_ORDER = Policy(order=Order.LIST)


class OffersSuite(LedgerSuite):
    """Behaviour of the `OfferBook` port."""

    async def test_nothing_is_offered_before_the_list_is_sealed(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job())
        await ledger.items.add(job.id, new_items(5))
        assert await ledger.offers.offer(job.id, 10, now=NOW, until=NOW + 30) == []

    async def test_an_offer_carries_all_that_a_worker_needs(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1, lane="browser", repeatable=False, policy=Policy(deadline=77.0))
        (offer,) = await scene.offer(ttl=12.0)
        job = await scene.job()
        assert offer == Offer(
            job.id, 0, "P-000000", b'{"parcel_id":"P-000000"}', job.scraper, 0, 1, NOW + 12.0, "browser",
            deadline=77.0, repeatable=False,
        )  # fmt: skip

    async def test_items_start_in_the_order_of_the_permutation(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 137)
        job = await scene.job()
        expected = Permutation(137, job.order_key).window(0, 137)
        found: list[int] = []
        while offers := await scene.offer(10):
            assert len(offers) <= 10
            found += seqs(offers)
        assert found == expected
        assert found != sorted(found)

    async def test_the_head_of_a_list_can_be_skipped_before_its_job_runs(self, ledger: Ledger) -> None:
        job = await ledger.jobs.create(a_job(policy=IN_LIST_ORDER))
        await ledger.items.add(job.id, new_items(12))
        await ledger.items.seal(job.id)
        scene = Scene(ledger, job)
        skip = [ended(lease, VisitState.SKIPPED, reason="It is fresh.") for lease in await scene.take(5)]
        assert await scene.settle(*skip) == [True] * 5
        await ledger.leases.leave("w1")
        await scene.move(JobState.RUNNING, JobState.LOADING)
        assert seqs(await scene.offer()) == [*range(5, 12)]
        assert (await scene.item(3)).reason == "It is fresh."
        assert (await scene.tally()).count(VisitState.SKIPPED) == 5

    async def test_items_start_in_the_order_of_the_list_if_that_is_asked_for(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 30, policy=IN_LIST_ORDER)
        assert seqs(await scene.offer(11)) + seqs(await scene.offer(11)) + seqs(await scene.offer(11)) == [*range(30)]

    async def test_of_a_list_in_its_order_a_sample_is_offered_out_of_turn_and_passed_by_later(
        self, ledger: Ledger, reopen: OpenLedger
    ) -> None:
        scene = await staged(ledger, 40, policy=IN_LIST_ORDER)
        assert seqs(await scene.offer(5)) == [0, 1, 2, 3, 4]
        sampled = await scene.sample(30, 12, 3, 30, 12, 99)
        assert seqs(sampled) == [30, 12], "what was offered before, and what there is not, is none"
        assert await scene.sample(30, 12) == []
        assert await ledger.offers.fresh(scene.id) == 33
        other = Scene(await reopen(), await scene.job())
        assert seqs(await other.offer(8)) == [5, 6, 7, 8, 9, 10, 11, 13]
        assert await ledger.offers.fresh(scene.id) == 25
        leases = await ledger.leases.begin("w1", sampled, now=NOW)
        assert await scene.settle(*(succeeded(lease) for lease in leases)) == [True, True]
        assert seqs(await other.offer(99)) == [*range(14, 30), *range(31, 40)]
        assert await ledger.offers.fresh(scene.id) == 0
        assert (await scene.tally()).states == {VisitState.OFFERED: 38, VisitState.SUCCEEDED: 2}

    async def test_a_sample_that_nobody_took_is_offered_again_and_its_retries_count(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 20, policy=IN_LIST_ORDER)
        one, two = sorted(await scene.sample(15, 9), key=lambda offer: offer.seq)
        (lease,) = await ledger.leases.begin("w1", [one], now=NOW)
        assert await ledger.offers.withdraw(scene.id, now=NOW) == 1
        assert await ledger.leases.begin("w1", [two], now=NOW) == []
        await scene.settle(again(lease, NOW + 10, "blocked"))
        scene.now = NOW + 20
        offers = await scene.offer(4)
        assert sorted(seqs(offers)) == [0, 1, 9, 15]
        assert {offer.seq: offer.attempt for offer in offers} == {0: 1, 1: 1, 9: 2, 15: 1}
        assert seqs(await scene.offer(99)) == [*range(2, 9), *range(10, 15), *range(16, 20)]

    async def test_nothing_is_sampled_where_the_order_is_random_or_the_job_does_not_run(self, ledger: Ledger) -> None:
        random = await staged(ledger, 20)
        assert await random.sample(3, 4) == []
        scene = await staged(ledger, 20, number=2, policy=IN_LIST_ORDER)
        await scene.move(JobState.CANCELLED, JobState.RUNNING)
        assert await scene.sample(3, 4) == []
        loading = await ledger.jobs.create(a_job(3, policy=IN_LIST_ORDER))
        await ledger.items.add(loading.id, new_items(5))
        assert await ledger.offers.sample(loading.id, [3], now=NOW, until=NOW + 30) == []

    async def test_the_order_goes_on_where_it_was_after_opening_anew(self, ledger: Ledger, reopen: OpenLedger) -> None:
        scene = await staged(ledger, 40)
        first = seqs(await scene.offer(15))
        other = Scene(await reopen(), await scene.job())
        assert first + seqs(await other.offer(100)) == Permutation(40, a_job().order_key).window(0, 40)

    async def test_an_offered_item_is_not_offered_again_while_the_offer_lives(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 8)
        assert len(await scene.offer()) == 8
        scene.now += TTL - 1
        assert await ledger.offers.sweep(now=scene.now) == 0
        assert await scene.offer() == []
        assert await scene.offer(0) == []

    async def test_what_nobody_took_is_swept_once_and_offered_again(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 8)
        first = await scene.offer(6)
        scene.now += TTL + 1
        assert await ledger.offers.sweep(now=scene.now) == 6
        assert await ledger.offers.sweep(now=scene.now) == 0
        second = await scene.offer()
        assert sorted(seqs(second)) == list(range(8))
        assert {offer.attempt for offer in second} == {1}
        assert await ledger.leases.begin("w1", first, now=scene.now) == []
        await scene.tally()

    async def test_what_was_taken_is_not_swept(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 8)
        offers = await scene.offer()
        leases = await ledger.leases.begin("w1", offers[:5], now=NOW)
        scene.now += TTL + 1
        assert await ledger.offers.sweep(now=scene.now) == 3
        assert sorted(seqs(await scene.offer())) == sorted(seqs(offers[5:]))
        assert await scene.settle(*(succeeded(lease) for lease in leases)) == [True] * 5

    async def test_a_sweep_reaches_every_job(self, ledger: Ledger) -> None:
        scenes = [await staged(ledger, 3, number=number) for number in (1, 2, 3)]
        for scene in scenes:
            await scene.offer()
        assert await ledger.offers.sweep(now=NOW + TTL + 1) == 9
        for scene in scenes:
            assert (await scene.tally()).states == {VisitState.WAITING: 3}

    async def test_withdrawn_offers_cannot_be_taken_and_may_be_made_again(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 8)
        other = await staged(ledger, 2, number=2)
        offers, others = await scene.offer(6), await other.offer()
        taken = await ledger.leases.begin("w1", offers[:2], now=NOW)
        assert await ledger.offers.withdraw(scene.id, now=NOW) == 4
        assert await ledger.offers.withdraw(scene.id, now=NOW) == 0
        assert await ledger.leases.begin("w2", offers[2:], now=NOW) == []
        assert len(await ledger.leases.begin("w2", others, now=NOW)) == 2
        scene.now += 1
        anew = await scene.offer()
        assert sorted(seqs(anew)) == sorted(set(range(8)) - set(seqs(offers[:2])))
        assert await ledger.leases.begin("w2", offers[2:], now=scene.now) == []
        assert len(await ledger.leases.begin("w2", anew, now=scene.now)) == 6
        assert await scene.settle(*(succeeded(lease) for lease in taken)) == [True, True]

    async def test_a_withdrawn_item_keeps_its_attempts_and_its_history(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (lease,) = await scene.take()
        await scene.settle(again(lease, NOW + 10, "blocked", crashes=1, losses=2))
        scene.now = NOW + 10
        await scene.offer()
        assert await ledger.offers.withdraw(scene.id, now=scene.now) == 1
        (offer,) = await scene.offer(ttl=50)
        assert (offer.attempt, offer.crashes, offer.losses, offer.last_kind) == (2, 1, 2, "blocked")

    async def test_due_retries_come_before_fresh_items(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 20, policy=IN_LIST_ORDER)
        leases = await scene.take(5)
        await scene.settle(*(again(lease, NOW + 10 * lease.offer.seq) for lease in leases))
        scene.now = NOW + 25
        assert seqs(await scene.offer(4)) == [0, 1, 2, 5]
        assert seqs(await scene.offer(2)) == [6, 7]
        scene.now = NOW + 40
        assert seqs(await scene.offer(3)) == [3, 4, 8]

    async def test_what_was_offered_before_can_be_limited_without_holding_up_fresh_items(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 20, policy=IN_LIST_ORDER)
        leases = await scene.take(6)
        await scene.settle(*(again(lease, NOW + lease.offer.seq) for lease in leases))
        scene.now = NOW + 60
        assert seqs(await scene.offer(4, again=0)) == [6, 7, 8, 9]
        assert seqs(await scene.offer(4, again=2)) == [0, 1, 10, 11]
        assert seqs(await scene.offer(2, again=9)) == [2, 3]
        assert await ledger.offers.next_due(scene.id) == NOW + 4
        assert seqs(await scene.offer(9, again=1)) == [4, *range(12, 20)]
        assert await scene.offer(9, again=0) == []
        assert seqs(await scene.offer(9)) == [5]
        assert (await scene.tally()).states == {VisitState.OFFERED: 20}

    async def test_a_retry_is_never_offered_before_its_time(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        (lease,) = await scene.take()
        await scene.settle(again(lease, NOW + 900))
        for after, expected in [(0, 0), (899, 0), (900, 1)]:
            scene.now = NOW + after
            assert len(await scene.offer()) == expected

    async def test_a_retry_is_offered_as_the_next_attempt(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 2)
        one, two = await scene.take()
        await scene.settle(again(one, NOW, "blocked", losses=3), released(two, NOW))
        first, second = sorted(await scene.offer(), key=lambda offer: offer.seq)
        assert (first.attempt, first.last_kind, first.losses) == (2, "blocked", 3)
        assert (second.attempt, second.last_kind, second.losses) == (1, None, 0)

    async def test_the_earliest_retry_is_known(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 6)
        assert await ledger.offers.next_due(scene.id) is None
        one, two, three, *_ = await scene.take()
        assert await ledger.offers.next_due(scene.id) is None
        await scene.settle(again(two, NOW + 50), again(three, NOW + 20), succeeded(one))
        assert await ledger.offers.next_due(scene.id) == NOW + 20
        scene.now = NOW + 20
        assert seqs(await scene.offer()) == [three.offer.seq]
        assert await ledger.offers.next_due(scene.id) == NOW + 50

    async def test_what_was_swept_is_due_at_once(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 1)
        await scene.offer()
        scene.now += TTL + 1
        await ledger.offers.sweep(now=scene.now)
        due = await ledger.offers.next_due(scene.id)
        assert due is None or due <= scene.now
        assert len(await scene.offer()) == 1

    async def test_fresh_items_are_those_never_offered(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 10)
        assert await ledger.offers.fresh(scene.id) == 10
        await scene.offer(4)
        assert await ledger.offers.fresh(scene.id) == 6
        await ledger.offers.withdraw(scene.id, now=NOW)
        assert await ledger.offers.fresh(scene.id) == 6
        for lease in await scene.take():
            await scene.settle(failed(lease))
        assert await ledger.offers.fresh(scene.id) == 0

    async def test_a_cancelled_job_offers_nothing(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 10)
        one, *_ = await scene.take(4)
        await scene.settle(again(one, NOW))
        await scene.move(JobState.CANCELLED, JobState.RUNNING)
        assert await scene.offer() == []

    async def test_what_is_settled_is_never_offered(self, ledger: Ledger) -> None:
        scene = await staged(ledger, 5)
        one, two, three, four, five = await scene.take()
        uncertain = ended(four, VisitState.UNCERTAIN, kind="worker_lost")
        await scene.settle(succeeded(one), ended(two), failed(three), uncertain, ended(five, VisitState.CANCELLED))
        scene.now += 86_400
        assert await ledger.offers.sweep(now=scene.now) == 0
        assert await scene.offer() == []

    async def test_two_dispatchers_may_offer_twice_but_nothing_is_recorded_twice(self, reopen: OpenLedger) -> None:
        one, two = await reopen(), await reopen()
        scene = await staged(one, 200)
        rounds = [
            ledger.offers.offer(scene.id, 30, now=NOW, until=NOW + 30 + n) for n in range(8) for ledger in (one, two)
        ]
        offered = await asyncio.gather(*rounds)
        begun = await asyncio.gather(
            *((one, two)[n % 2].leases.begin(f"w{n}", offers, now=NOW) for n, offers in enumerate(offered))
        )
        leases = [lease for part in begun for lease in part]
        assert {lease.offer.seq for lease in leases} == set(range(200))
        settled = await asyncio.gather(*(two.leases.settle([succeeded(lease)], now=NOW) for lease in leases))
        assert sum(answer for (answer,) in settled) == 200
        tally = await scene.tally()
        assert (tally.states, tally.records) == ({VisitState.SUCCEEDED: 200}, 400)
