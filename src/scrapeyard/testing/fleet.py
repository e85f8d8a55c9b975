"""What every fleet channel promises: reports go up in order, orders come down once, and what is shown can be seen."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

import msgspec
import pytest

from scrapeyard.model.fleet import Orders, OutcomeNote, Permit, RunningNote, WorkerReport
from scrapeyard.model.gate import ClosedGate, GateName, JobView
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.ports.fleet import Fleet
from scrapeyard.testing.scenes import NOW

OpenFleet = Callable[[], Awaitable[Fleet]]


def a_report(worker: str = "w1", number: int = 1) -> WorkerReport:
    """A report with nothing in particular."""
    return WorkerReport(worker, number, "http", slots=25, free=5)


def granted(orders: Orders) -> dict[str, int]:
    """How many requests an answer allows for each site."""
    counts: dict[str, int] = {}
    for permit in orders.permits:
        counts[permit.site] = counts.get(permit.site, 0) + permit.count
    return counts


def numbers(reports: Iterable[WorkerReport]) -> list[tuple[str, int]]:
    """Who reported, in order."""
    return [(report.worker, report.number) for report in reports]


class FleetSuite:
    """Behaviour of the `Fleet` port. The subclass has a fixture `open_fleet`: a function each call of which opens
    the same channel once more, as another process would; a backend that cannot gives the same object again."""

    @pytest.fixture
    async def reopen(self, open_fleet: OpenFleet) -> AsyncIterator[OpenFleet]:
        """Opens the channel of this test once more."""
        opened: list[Fleet] = []

        async def once_more() -> Fleet:
            opened.append(await open_fleet())
            return opened[-1]

        yield once_more
        for fleet in opened:
            await fleet.close()

    @pytest.fixture
    async def fleet(self, reopen: OpenFleet) -> Fleet:
        """The channel of this test."""
        return await reopen()

    async def test_a_quiet_channel_has_nothing_to_say(self, fleet: Fleet) -> None:
        assert await fleet.collect() == []
        assert await fleet.views() == []
        assert await fleet.roster() == []
        assert await fleet.report(a_report()) == Orders()

    async def test_a_report_arrives_whole(self, fleet: Fleet) -> None:
        report = WorkerReport(
            worker="w1", number=3, lane="browser", slots=25, free=4, catalogue=frozenset({"9f", "a0"}),
            outcomes=(
                OutcomeNote("job-1", 4, "tax.example", "direct", 1, "failed", "blocked", 1200),
                OutcomeNote("job-1", 9, "tax.example", "direct", 2, "succeeded", None, 800),
            ),
            running=(RunningNote("job-1", 12, "é ' ☃", NOW),),
            demand={"tax.example": 7}, ahead={"tax.example": 2}, unspent={"tax.example": 1},
            draining=True, refusing="memory is at 86 %", rss=200_000_000,
        )  # fmt: skip
        await fleet.report(report)
        assert await fleet.collect() == [report]

    async def test_sentinels_reach_the_worker_that_is_to_ask_for_them_once(self, fleet: Fleet) -> None:
        job, scraper = JobId("job-1"), ScraperRef("us.x", "1", "d1")
        one = Offer(job, -1, "é ☃", b'{"id":"\xc3\xa9"}', scraper, 0, 1, NOW + 9, "browser", "residential", way=1)
        two, other = msgspec.structs.replace(one, attempt=2), msgspec.structs.replace(one, seq=-2)
        await fleet.order("w1", Orders(sentinels=(one,)))
        await fleet.order("w1", Orders(sentinels=(other,), drain=True))
        await fleet.order("w1", Orders(sentinels=(two,)))
        assert (await fleet.report(a_report("w2"))).sentinels == ()
        got = (await fleet.report(a_report("w1"))).sentinels
        assert {offer.seq: offer for offer in got} == {-1: two, -2: other}
        assert len(got) == 2, "asked anew, it is one"
        assert await fleet.report(a_report("w1", 2)) == Orders()

    async def test_an_empty_catalogue_is_not_an_unchanged_one(self, fleet: Fleet) -> None:
        await fleet.report(WorkerReport("w1", 1, "http", 1, 1, catalogue=frozenset()))
        await fleet.report(WorkerReport("w1", 2, "http", 1, 1, catalogue=None))
        assert [report.catalogue for report in await fleet.collect()] == [frozenset(), None]

    async def test_reports_are_collected_once_and_oldest_first(self, fleet: Fleet) -> None:
        told = [("w1", 1), ("w2", 1), ("w1", 2), ("w3", 1), ("w1", 3), ("w2", 2)]
        for worker, number in told:
            await fleet.report(a_report(worker, number))
        assert numbers(await fleet.collect()) == told
        assert await fleet.collect() == []
        await fleet.report(a_report("w1", 4))
        assert numbers(await fleet.collect()) == [("w1", 4)]

    async def test_orders_are_delivered_with_the_next_report_and_only_once(self, fleet: Fleet) -> None:
        await fleet.report(a_report("w1", 1))
        await fleet.order("w1", Orders((Permit("tax.example", 5, 2.0),), frozenset({"job-1"}), drain=True))
        answer = await fleet.report(a_report("w1", 2))
        assert granted(answer) == {"tax.example": 5}
        assert answer.permits[0].seconds == 2.0
        assert (answer.cancel, answer.drain) == (frozenset({"job-1"}), True)
        assert await fleet.report(a_report("w1", 3)) == Orders()

    async def test_orders_are_added_to_those_not_yet_collected(self, fleet: Fleet) -> None:
        await fleet.order(
            "w1", Orders((Permit("a.example", 5, 2.0), Permit("b.example", 1, 2.0)), frozenset({"job-1"}))
        )
        await fleet.order("w1", Orders((Permit("a.example", 3, 2.0),), drain=True))
        await fleet.order("w1", Orders(cancel=frozenset({"job-2"}), retire=True))
        answer = await fleet.report(a_report("w1"))
        assert granted(answer) == {"a.example": 8, "b.example": 1}
        assert answer.cancel == {"job-1", "job-2"}
        assert answer.drain

    async def test_leave_for_as_many_as_wanted_stays_that(self, fleet: Fleet) -> None:
        await fleet.order("w1", Orders((Permit("a.example", -1, 2.0),)))
        assert (await fleet.report(a_report("w1"))).permits == (Permit("a.example", -1, 2.0),)

    async def test_orders_reach_only_their_worker(self, fleet: Fleet) -> None:
        await fleet.order("w2", Orders(drain=True))
        assert await fleet.report(a_report("w1")) == Orders()
        assert (await fleet.report(a_report("w2"))).drain

    async def test_orders_are_delivered_at_most_once_whatever_comes_at_the_same_time(self, reopen: OpenFleet) -> None:
        here, there = await reopen(), await reopen()
        orders = [here.order("w1", Orders((Permit("a.example", 1, 2.0),))) for _ in range(20)]
        reports = [(here, there)[n % 2].report(a_report("w1", n)) for n in range(20)]
        answers = await asyncio.gather(*(one for pair in zip(orders, reports, strict=True) for one in pair))
        late = await there.report(a_report("w1", 99))
        assert sum(granted(answer).get("a.example", 0) for answer in (*answers, late) if answer) == 20

    async def test_what_is_shown_replaces_what_was_shown_before(self, fleet: Fleet) -> None:
        gate = ClosedGate(GateName.WINDOW, "Outside the hours: opens at 20:00", NOW + 600)
        before = [JobView("job-1", NOW, (gate,), running=3, offered=9), JobView("job-2", NOW)]
        await fleet.show(before)
        assert sorted(await fleet.views(), key=lambda view: view.job) == before
        assert len(await fleet.views()) == 2
        after = [JobView("job-2", NOW + 1, running=1), JobView("job-3", NOW + 1)]
        await fleet.show(after)
        assert sorted(await fleet.views(), key=lambda view: view.job) == after
        await fleet.show([])
        assert await fleet.views() == []

    async def test_the_roster_has_the_last_report_of_everybody(self, fleet: Fleet) -> None:
        for worker, number in [("w1", 1), ("w2", 7), ("w1", 2)]:
            await fleet.report(a_report(worker, number))
        await fleet.collect()
        assert sorted(numbers(await fleet.roster())) == [("w1", 2), ("w2", 7)]

    async def test_both_ends_may_be_in_different_processes(self, reopen: OpenFleet) -> None:
        worker, dispatcher = await reopen(), await reopen()
        await worker.report(a_report("w1", 1))
        assert numbers(await dispatcher.collect()) == [("w1", 1)]
        await dispatcher.order("w1", Orders(drain=True))
        await dispatcher.show([JobView("job-1", NOW)])
        assert (await worker.report(a_report("w1", 2))).drain
        assert await worker.views() == [JobView("job-1", NOW)]
