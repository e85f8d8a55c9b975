"""Request permits in a scraping process: nobody asks a site without leave, and waiting costs no deadline."""

import asyncio

import pytest

from scrapeyard.model.fleet import Answers, Permit
from scrapeyard.ports.scrapers import Answer
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.worker.purse import ItemPermits, Purse


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def purse(clock):
    return Purse(clock)


async def turns():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_without_leave_a_request_waits_and_says_that_it_does(purse):
    waiting = asyncio.create_task(purse.take("county"))
    await turns()
    assert not waiting.done()
    assert purse.demand() == ({"county": 1}, {})
    assert purse.thirst.is_set()
    purse.grant(Permit("county", 1, 5.0))
    assert await waiting >= 0


async def test_three_permits_let_three_requests_through_in_order(purse):
    order: list[int] = []

    async def ask(number: int) -> None:
        await purse.take("county")
        order.append(number)

    asking = [asyncio.create_task(ask(number)) for number in range(5)]
    await turns()
    purse.grant(Permit("county", 3, 5.0))
    await turns()
    assert order == [0, 1, 2]
    purse.grant(Permit("county", 2, 5.0))
    await asyncio.gather(*asking)
    assert order == [0, 1, 2, 3, 4]


async def test_leave_that_is_not_used_in_time_lapses(purse, clock):
    purse.grant(Permit("county", 5, 2.0))
    assert await purse.take("county") == 0.0
    await clock.advance(2.5)
    waiting = asyncio.create_task(purse.take("county"))
    await turns()
    assert not waiting.done()
    assert purse.unspent() == {"county": 4}
    assert purse.unspent() == {}
    waiting.cancel()


async def test_unlimited_means_unlimited_until_it_lapses(purse, clock):
    purse.grant(Permit("county", -1, 2.0))
    for _ in range(1_000):
        assert await purse.take("county") == 0.0
    assert purse.demand() == ({}, {"county": 1_000})
    await clock.advance(3.0)
    waiting = asyncio.create_task(purse.take("county"))
    await turns()
    assert not waiting.done()
    waiting.cancel()


async def test_a_request_that_gives_up_leaves_its_permit_to_others(purse):
    first, second = asyncio.create_task(purse.take("county")), asyncio.create_task(purse.take("county"))
    await turns()
    first.cancel()
    await turns()
    purse.grant(Permit("county", 1, 5.0))
    await second


async def test_leave_for_one_site_is_none_for_another(purse):
    purse.grant(Permit("county", 5, 5.0))
    waiting = asyncio.create_task(purse.take("other"))
    await turns()
    assert not waiting.done()
    waiting.cancel()


async def test_the_deadline_stands_still_while_an_item_waits_for_leave(purse):
    async with asyncio.timeout(60) as limit:
        before = limit.when()
        permits = ItemPermits(purse, limit)
        asking = [asyncio.create_task(permits.request("county")) for _ in range(2)]
        await turns()
        assert limit.when() is None
        purse.grant(Permit("county", 1, 5.0))
        await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        assert limit.when() is None
        purse.grant(Permit("county", 1, 5.0))
        await asyncio.gather(*asking)
        assert limit.when() == pytest.approx(before, abs=5)


async def test_a_visit_without_a_deadline_may_ask_too(purse):
    purse.grant(Permit("county", 1, 5.0))
    async with asyncio.timeout(None) as limit:
        await ItemPermits(purse, limit).request("county")
        assert limit.when() is None


async def test_a_permit_for_nothing_takes_back_what_had_no_limit(purse, clock):
    purse.grant(Permit("county", -1, 9.0))
    assert await purse.take("county") == 0.0
    purse.grant(Permit("county", 0, 1.0))
    waiting = asyncio.create_task(purse.take("county"))
    await turns()
    assert not waiting.done()
    waiting.cancel()


def test_answers_are_added_up_and_told_once(purse):
    for seconds in (0.5, 1.5):
        purse.heard(Answer("county", seconds))
    purse.heard(Answer("county", 0.1, good=False, throttled=True, retry_after=7.0))
    purse.heard(Answer("county", 30.0, good=False))
    assert purse.answers() == {"county": Answers(2, 2.0, 1, 30.0, 1, 7.0)}
    assert purse.answers() == {}
    purse.paced("county", 10.0)
    assert [purse.answers()["county"].crawl_delay for _ in range(2)] == [10.0, 10.0]
