"""The live file keeps the promises of queue and fleet."""

import pytest

from scrapeyard.backends.sqlite import fleet as fleet_module
from scrapeyard.backends.sqlite import queue as queue_module
from scrapeyard.backends.sqlite.fleet import SqliteFleet
from scrapeyard.backends.sqlite.live import open_live
from scrapeyard.backends.sqlite.queue import SqliteQueue
from scrapeyard.model.fleet import Orders
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.fleet import FleetSuite, a_report, numbers
from scrapeyard.testing.queue import QueueSuite, an_offer, seqs_of
from scrapeyard.testing.scenes import NOW


class TestSqliteQueue(QueueSuite):
    @pytest.fixture
    def open_queue(self, tmp_path):
        async def opened():
            return SqliteQueue(await open_live(tmp_path / "live.db"))

        return opened


class TestSqliteFleet(FleetSuite):
    @pytest.fixture
    def open_fleet(self, tmp_path):
        async def opened():
            return SqliteFleet(await open_live(tmp_path / "live.db"))

        return opened


async def test_a_queue_that_nobody_empties_forgets_the_oldest(tmp_path, monkeypatch):
    monkeypatch.setattr(queue_module, "_MOST", 10)
    queue = SqliteQueue(await open_live(tmp_path / "live.db"))
    for first in range(0, 50, 5):
        await queue.put([an_offer(seq) for seq in range(first, first + 5)])
    assert await queue.depth() == 10
    assert seqs_of(await queue.take("w1", Wants("http"), 100, now=NOW)) == list(range(40, 50))
    await queue.close()


async def test_a_channel_that_nobody_listens_to_forgets_the_oldest(tmp_path, monkeypatch):
    monkeypatch.setattr(fleet_module, "_MOST_REPORTS", 10)
    monkeypatch.setattr(fleet_module, "_MOST_WORKERS", 4)
    fleet = SqliteFleet(await open_live(tmp_path / "live.db"))
    for number in range(30):
        await fleet.order(f"w{number}", Orders(drain=True))
    for number in range(30):
        answer = await fleet.report(a_report(f"w{number}", number))
        assert answer.drain == (number >= 26)
    assert numbers(await fleet.collect()) == [(f"w{number}", number) for number in range(20, 30)]
    assert numbers(await fleet.roster()) == [(f"w{number}", number) for number in range(26, 30)]
    await fleet.close()


async def test_queue_and_fleet_share_a_file(tmp_path):
    database = await open_live(tmp_path / "live.db")
    queue, fleet = SqliteQueue(database), SqliteFleet(database)
    await queue.put([an_offer(1)])
    await fleet.report(a_report())
    assert (await queue.depth(), len(await fleet.collect())) == (1, 1)
    await database.close()
