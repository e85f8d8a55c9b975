"""The live tables keep the promises of queue and fleet."""

import pytest

from scrapeyard.backends.postgres import fleet as fleet_module
from scrapeyard.backends.postgres import queue as queue_module
from scrapeyard.backends.postgres.fleet import PostgresFleet
from scrapeyard.backends.postgres.live import open_live
from scrapeyard.backends.postgres.opening import open_database
from scrapeyard.backends.postgres.queue import PostgresQueue
from scrapeyard.model.fleet import Orders
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.fleet import FleetSuite, a_report, numbers
from scrapeyard.testing.queue import QueueSuite, an_offer, seqs_of
from scrapeyard.testing.scenes import NOW


class TestPostgresQueue(QueueSuite):
    @pytest.fixture
    def open_queue(self, postgres):
        address = postgres.fresh()

        async def opened():
            return PostgresQueue(await open_live(await open_database(address)))

        return opened


class TestPostgresFleet(FleetSuite):
    @pytest.fixture
    def open_fleet(self, postgres):
        address = postgres.fresh()

        async def opened():
            return PostgresFleet(await open_live(await open_database(address)))

        return opened


async def test_a_queue_that_nobody_empties_forgets_the_oldest(postgres, monkeypatch):
    monkeypatch.setattr(queue_module, "_MOST", 10)
    queue = PostgresQueue(await open_live(await open_database(postgres.fresh())))
    for first in range(0, 50, 5):
        await queue.put([an_offer(seq) for seq in range(first, first + 5)])
    assert await queue.depth() == 10
    assert seqs_of(await queue.take("w1", Wants("http"), 100, now=NOW)) == list(range(40, 50))
    await queue.close()


async def test_expired_offers_do_not_pile_up(postgres):
    queue = PostgresQueue(await open_live(await open_database(postgres.fresh())))
    await queue.put([an_offer(seq, until=NOW - 1) for seq in range(100)])
    assert await queue.take("w1", Wants("http"), 10, now=NOW) == []
    assert await queue.depth() == 0
    await queue.close()


async def test_a_channel_that_nobody_listens_to_forgets_the_oldest(postgres, monkeypatch):
    monkeypatch.setattr(fleet_module, "_MOST_REPORTS", 10)
    monkeypatch.setattr(fleet_module, "_MOST_WORKERS", 4)
    fleet = PostgresFleet(await open_live(await open_database(postgres.fresh())))
    for number in range(30):
        await fleet.order(f"w{number}", Orders(drain=True))
    for number in range(30):
        answer = await fleet.report(a_report(f"w{number}", number))
        assert answer.drain == (number >= 26)
    assert numbers(await fleet.collect()) == [(f"w{number}", number) for number in range(20, 30)]
    assert numbers(await fleet.roster()) == [(f"w{number}", number) for number in range(26, 30)]
    await fleet.close()


async def test_queue_and_fleet_share_their_connections(postgres):
    database = await open_live(await open_database(postgres.fresh()))
    queue, fleet = PostgresQueue(database), PostgresFleet(database)
    await queue.put([an_offer(1)])
    await fleet.report(a_report())
    assert (await queue.depth(), len(await fleet.collect())) == (1, 1)
    await database.close()
