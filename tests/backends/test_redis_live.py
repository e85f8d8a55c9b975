"""Queue and fleet keep their promises in Redis, which may lose everything at any moment and must not fill up."""

import pytest

from scrapeyard.backends.redis import fleet as fleet_module
from scrapeyard.backends.redis import queue as queue_module
from scrapeyard.backends.redis.fleet import RedisFleet
from scrapeyard.backends.redis.queue import RedisQueue
from scrapeyard.backends.redis.server import address_of, open_server
from scrapeyard.model.errors import Refused, StorageError
from scrapeyard.model.fleet import Orders
from scrapeyard.ports.queue import Wants
from scrapeyard.testing.fleet import FleetSuite, a_report, numbers
from scrapeyard.testing.queue import QueueSuite, an_offer, drained, seqs_of
from scrapeyard.testing.scenes import NOW
from scrapeyard.testing.servers.redis import RedisServer


class TestRedisQueue(QueueSuite):
    @pytest.fixture
    def open_queue(self, redis):
        address = redis.fresh()

        async def opened():
            return RedisQueue(await open_server(address))

        return opened


class TestRedisFleet(FleetSuite):
    @pytest.fixture
    def open_fleet(self, redis):
        address = redis.fresh()

        async def opened():
            return RedisFleet(await open_server(address))

        return opened


@pytest.fixture
async def server(redis):
    opened = await open_server(redis.fresh())
    yield opened
    await opened.close()


@pytest.fixture
def queue(server):
    return RedisQueue(server)


@pytest.fixture
def fleet(server):
    return RedisFleet(server)


async def test_what_a_dead_worker_was_given_comes_to_another(queue, monkeypatch):
    await queue.put([an_offer(seq) for seq in range(5)])
    assert len(await queue.take("dead", Wants("http"), 5, now=NOW)) == 5
    assert await queue.take("w2", Wants("http"), 5, now=NOW) == []
    monkeypatch.setattr(queue_module, "_SILENT", 0.0)
    assert seqs_of(await queue.take("w2", Wants("http"), 5, now=NOW)) == list(range(5))


async def test_what_expired_in_dead_hands_comes_to_nobody(queue, monkeypatch):
    await queue.put([an_offer(seq, until=NOW + 5) for seq in range(5)])
    await queue.take("dead", Wants("http"), 5, now=NOW)
    monkeypatch.setattr(queue_module, "_SILENT", 0.0)
    assert await queue.take("w2", Wants("http"), 5, now=NOW + 6) == []
    assert await queue.take("w2", Wants("http"), 5, now=NOW) == []


async def test_a_queue_that_nobody_empties_forgets_the_oldest(queue, monkeypatch):
    monkeypatch.setattr(queue_module, "_MOST", 1_000)
    await queue.put([an_offer(seq) for seq in range(5_000)])
    assert await queue.depth() < 2_000
    seqs = seqs_of(await drained(queue))
    assert seqs[-1] == 4_999
    assert seqs[0] > 2_000


async def test_many_expired_offers_hide_no_good_one(queue):
    await queue.put([an_offer(seq, until=NOW - 1) for seq in range(300)])
    await queue.put([an_offer(300)])
    assert seqs_of(await queue.take("w1", Wants("http"), 10, now=NOW)) == [300]
    assert await queue.depth() == 0


async def test_no_version_of_a_scraper_starves_another(queue):
    await queue.put([an_offer(seq, digest="ab"[seq % 2]) for seq in range(100)])
    some = [one for _ in range(10) for one in await queue.take("w1", Wants("http"), 2, now=NOW)]
    assert {delivery.offer.scraper.digest for delivery in some} == {"a", "b"}


async def test_everything_may_be_lost_while_it_is_used():
    with RedisServer() as alone:
        server = await open_server(alone.fresh())
        queue, fleet = RedisQueue(server), RedisFleet(server)
        await queue.put([an_offer(seq) for seq in range(10)])
        mine = await queue.take("w1", Wants("http"), 5, now=NOW)
        await fleet.order("w1", Orders(drain=True))
        alone.flush()
        await queue.keep(mine, seconds=20)
        await queue.back(mine[:2])
        await queue.done(mine)
        assert seqs_of(await drained(queue)) == [one.offer.seq for one in mine[:2]]
        assert await fleet.report(a_report()) == Orders()
        await queue.put([an_offer(77)])
        alone.stop()
        with pytest.raises(StorageError, match="cannot be reached"):
            await queue.take("w1", Wants("http"), 5, now=NOW)
        alone.start()
        assert await queue.take("w1", Wants("http"), 5, now=NOW) == []
        await queue.put([an_offer(78)])
        assert seqs_of(await drained(queue)) == [78]
        await server.close()
        with pytest.raises(StorageError, match="closed already"):
            await queue.depth()


async def test_a_channel_that_nobody_listens_to_forgets_the_oldest(fleet, monkeypatch):
    monkeypatch.setattr(fleet_module, "_MOST_REPORTS", 10)
    monkeypatch.setattr(fleet_module, "_MOST_WORKERS", 4)
    for number in range(30):
        await fleet.report(a_report(f"w{number}", number))
    assert numbers(await fleet.collect()) == [(f"w{number}", number) for number in range(20, 30)]
    assert numbers(await fleet.roster()) == [(f"w{number}", number) for number in range(26, 30)]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("redis://host/0?prefix=a b", "'a b' cannot be a prefix"),
        ("redis://host/0?prefix=" + "x" * 101, "cannot be a prefix"),
        ("redis://host/0?single_connection_client=yes", "'single_connection_client' is no option of redis://host/0"),
        ("redis://:s3cret@host/zero", "'redis://@host/zero' is no address of a Redis"),
        ("redis://", "is no address of a Redis"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused(address, said):
    with pytest.raises(Refused, match=said):
        address_of(address)


async def test_a_server_that_is_not_there_is_named_without_its_password():
    with pytest.raises(StorageError, match=r"Redis at redis://@127.0.0.1:9/0 cannot be reached"):
        await open_server("redis://:s3cret@127.0.0.1:9/0")
