"""The memory fleet keeps the promises of its port, and stays small when nobody listens."""

import pytest

from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.model.fleet import Orders, Permit
from scrapeyard.testing.fleet import FleetSuite, a_report


class TestMemoryFleet(FleetSuite):
    @pytest.fixture
    def open_fleet(self):
        fleet = MemoryFleet()

        async def opened():
            return fleet

        return opened


async def test_without_a_dispatcher_the_oldest_reports_are_lost():
    fleet = MemoryFleet()
    for number in range(10_010):
        await fleet.report(a_report("w1", number))
    reports = await fleet.collect()
    assert (len(reports), reports[-1].number) == (10_000, 10_009)


async def test_workers_of_long_ago_are_forgotten():
    fleet = MemoryFleet()
    for number in range(1_010):
        await fleet.report(a_report(f"w{number}"))
    roster = await fleet.roster()
    assert (len(roster), roster[0].worker, roster[-1].worker) == (1_000, "w10", "w1009")


async def test_permits_added_up_are_good_as_long_as_the_shortest():
    fleet = MemoryFleet()
    await fleet.order("w1", Orders((Permit("a", 2, 5.0), Permit("b", 1, 1.0))))
    await fleet.order("w1", Orders((Permit("a", 3, 2.0), Permit("b", -1, 9.0))))
    assert (await fleet.report(a_report())).permits == (Permit("a", 5, 2.0), Permit("b", -1, 1.0))
