"""What every queue promises: what suits comes out, quickly, and what was put in is not forgotten while it is good."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

import msgspec
import pytest

from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.ports.queue import Delivery, Queue, Wants
from scrapeyard.testing.scenes import NOW

OpenQueue = Callable[[], Awaitable[Queue]]

HTTP = Wants("http")


def an_offer(seq: int = 0, *, digest: str = "9f", lane: str = "http", until: float = NOW + 30) -> Offer:
    """An offer as the dispatcher hands it over."""
    return Offer(
        JobId("job-1"), seq, f"P-{seq}", b'{"parcel_id":"\xc3\xa9"}', ScraperRef("a.b", "1", digest), 0, 1, until, lane
    )


async def drained(queue: Queue, wants: Wants = HTTP, worker: str = "w1", now: float = NOW) -> list[Delivery]:
    """Everything that suits. What does not suit is given back, as the port allows a backend to deliver it."""
    taken: list[Delivery] = []
    strange: list[Delivery] = []
    while deliveries := await queue.take(worker, wants, 10, now=now):
        for delivery in deliveries:
            offer = delivery.offer
            suits = offer.lane == wants.lane and (wants.digests is None or offer.scraper.digest in wants.digests)
            (taken if suits else strange).append(delivery)
    await queue.back(strange)
    return taken


def seqs_of(deliveries: Iterable[Delivery]) -> list[int]:
    """Which items came, in order of `seq`."""
    return sorted(delivery.offer.seq for delivery in deliveries)


class QueueSuite:
    """Behaviour of the `Queue` port. The subclass has a fixture `open_queue`: a function each call of which opens
    the same queue once more, as another process would; a backend that cannot gives the same object again."""

    @pytest.fixture
    async def reopen(self, open_queue: OpenQueue) -> AsyncIterator[OpenQueue]:
        """Opens the queue of this test once more."""
        opened: list[Queue] = []

        async def once_more() -> Queue:
            opened.append(await open_queue())
            return opened[-1]

        yield once_more
        for queue in opened:
            await queue.close()

    @pytest.fixture
    async def queue(self, reopen: OpenQueue) -> Queue:
        """The queue of this test."""
        return await reopen()

    async def test_an_empty_queue_answers_at_once_with_nothing(self, queue: Queue) -> None:
        async with asyncio.timeout(5):
            assert await queue.take("w1", HTTP, 10, now=NOW) == []
        assert await queue.depth() == 0

    async def test_an_offer_comes_out_as_it_went_in(self, queue: Queue) -> None:
        offer = msgspec.structs.replace(
            an_offer(7), epoch=2, attempt=3, tier="datacenter", crashes=1, losses=4, last_kind="blocked",
            deadline=12.5, repeatable=False, key="é ' \" \n ☃",
        )  # fmt: skip
        await queue.put([offer])
        (delivery,) = await queue.take("w1", HTTP, 10, now=NOW)
        assert delivery.offer == offer

    async def test_nothing_that_suits_is_lost(self, queue: Queue) -> None:
        await queue.put([an_offer(n) for n in range(60)])
        await queue.put([an_offer(n) for n in range(60, 75)])
        assert set(seqs_of(await drained(queue))) == set(range(75))

    async def test_no_more_than_asked_for_is_delivered(self, queue: Queue) -> None:
        await queue.put([an_offer(n) for n in range(10)])
        assert len(await queue.take("w1", HTTP, 3, now=NOW)) == 3

    async def test_a_worker_gets_its_lane_and_the_rest_stays_for_others(self, queue: Queue) -> None:
        await queue.put([an_offer(n, lane="browser" if n % 2 else "http") for n in range(20)])
        assert seqs_of(await drained(queue, Wants("http"))) == list(range(0, 20, 2))
        assert seqs_of(await drained(queue, Wants("browser"))) == list(range(1, 20, 2))

    async def test_a_worker_gets_the_versions_that_it_can_run(self, queue: Queue) -> None:
        await queue.put([an_offer(n, digest="abc"[n % 3]) for n in range(30)])
        some = await drained(queue, Wants("http", frozenset("ab")))
        assert seqs_of(some) == [n for n in range(30) if n % 3 != 2]
        assert await drained(queue, Wants("http", frozenset())) == []
        assert seqs_of(await drained(queue, Wants("http", frozenset("c")))) == list(range(2, 30, 3))

    async def test_without_a_list_of_versions_any_will_do(self, queue: Queue) -> None:
        await queue.put([an_offer(n, digest=f"digest-{n}") for n in range(12)])
        assert seqs_of(await drained(queue, Wants("http"))) == list(range(12))

    async def test_what_nobody_wants_does_not_block_what_somebody_wants(self, queue: Queue) -> None:
        await queue.put([an_offer(n, digest="other") for n in range(300)])
        await queue.put([an_offer(n) for n in range(300, 305)])
        assert seqs_of(await drained(queue, Wants("http", frozenset({"9f"})))) == list(range(300, 305))

    async def test_an_expired_offer_is_not_delivered(self, queue: Queue) -> None:
        await queue.put([an_offer(1, until=NOW - 1), an_offer(2, until=NOW + 5), an_offer(3, until=NOW - 1)])
        assert seqs_of(await drained(queue, now=NOW)) == [2]
        await queue.put([an_offer(4, until=NOW + 5)])
        assert await drained(queue, now=NOW + 6) == []

    async def test_what_is_given_back_comes_to_others(self, queue: Queue) -> None:
        await queue.put([an_offer(n) for n in range(5)])
        await queue.back((await queue.take("w1", HTTP, 5, now=NOW))[:3])
        assert len(await drained(queue, worker="w2")) >= 3

    async def test_what_is_done_comes_to_nobody(self, queue: Queue) -> None:
        await queue.put([an_offer(n) for n in range(5)])
        await queue.done(await drained(queue))
        assert await drained(queue, worker="w2") == []
        assert await queue.depth() == 0

    async def test_what_is_kept_stays_hidden_from_others(self, queue: Queue) -> None:
        await queue.put([an_offer(n) for n in range(5)])
        mine = await drained(queue)
        await queue.keep(mine, seconds=20)
        assert await drained(queue, worker="w2") == []
        await queue.done(mine)

    async def test_depth_tells_how_much_waits(self, queue: Queue) -> None:
        await queue.put([an_offer(n) for n in range(40)])
        assert 20 <= await queue.depth() <= 60

    async def test_nothing_may_be_put_done_kept_and_given_back(self, queue: Queue) -> None:
        await queue.put([])
        await queue.done([])
        await queue.keep([], seconds=1)
        await queue.back([])
        assert await queue.take("w1", HTTP, 0, now=NOW) == []

    async def test_doing_twice_what_was_done_is_harmless(self, queue: Queue) -> None:
        await queue.put([an_offer(1)])
        mine = await drained(queue)
        await queue.done(mine)
        await queue.done(mine)
        assert await drained(queue, worker="w2") == []

    async def test_workers_at_once_lose_nothing_between_them(self, reopen: OpenQueue) -> None:
        queues = [await reopen() for _ in range(4)]
        await queues[0].put([an_offer(n) for n in range(200)])
        parts = await asyncio.gather(*(drained(queue, worker=f"w{n}") for n, queue in enumerate(queues)))
        assert {seq for part in parts for seq in seqs_of(part)} == set(range(200))

    async def test_what_one_puts_another_takes(self, reopen: OpenQueue) -> None:
        here, there = await reopen(), await reopen()
        await here.put([an_offer(5)])
        assert seqs_of(await drained(there)) == [5]
