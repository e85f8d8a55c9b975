"""Whatever breaks between two rows of DynamoDB: each result is recorded and counted once, no item is left behind."""

import asyncio
import time

import aiohttp
import pytest

from scrapeyard.backends.dynamodb import recount
from scrapeyard.backends.dynamodb.keys import digest_of, item_key, worker_key
from scrapeyard.backends.dynamodb.ledger import open_ledger
from scrapeyard.backends.dynamodb.loading import Load
from scrapeyard.backends.dynamodb.table import EXPIRES
from scrapeyard.model.errors import StorageError
from scrapeyard.model.item import Added
from scrapeyard.model.states import VisitState
from scrapeyard.testing.scenes import NOW, TTL, Scene, a_job, again, beat, failed, new_items, staged, succeeded

WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}


@pytest.fixture
async def ledgers(dynamodb):
    """The same ledger, opened twice."""
    address = dynamodb.fresh()
    opened = [await open_ledger(address) for _ in range(2)]
    yield opened
    for one in opened:
        await one.close()


def breaking(ledger, monkeypatch, sort_of_row):
    """The next writing of a row whose partition is of this sort fails."""
    service = ledger._table.service
    call = service.call
    broken = []

    async def failing(action, said):
        part = str(said.get("Item", {}).get("p", {}).get("S", ""))
        if action in WRITES and sort_of_row in part and not broken:
            broken.append(part)
            raise StorageError("the wire broke")
        return await call(action, said)

    monkeypatch.setattr(service, "call", failing)
    return broken


@pytest.mark.parametrize("where", [".again", ".tab"])
async def test_a_settlement_that_broke_off_is_finished_by_repeating_it(ledgers, monkeypatch, where):
    scene = await staged(ledgers[0], 4)
    leases = await scene.take()
    said = [succeeded(leases[0]), failed(leases[1]), *(again(lease, NOW + 5) for lease in leases[2:])]
    assert breaking(ledgers[0], monkeypatch, where) == []
    with pytest.raises(StorageError):
        await scene.settle(*said)
    assert await scene.settle(*said) == [True] * 4
    assert await scene.settle(*said) == [False] * 4
    tally = await scene.tally()
    assert (tally.attempts, tally.records, tally.stale, tally.moving) == (4, 2, 0, 2)
    scene.now = NOW + 5
    assert len(await scene.offer()) == 2
    assert await scene.offer() == []


@pytest.mark.parametrize("where", [".again", ".tab"])
async def test_what_a_dead_worker_recorded_and_did_not_count_is_counted_by_its_reaper(ledgers, monkeypatch, where):
    here, there = ledgers
    scene = await staged(here, 5)
    await here.leases.beat(beat("w1", 1))
    leases = await scene.take()
    assert breaking(here, monkeypatch, where) == []
    with pytest.raises(StorageError):
        await scene.settle(succeeded(leases[0]), *(again(lease, NOW + 5) for lease in leases[1:4]))
    other = Scene(there, await scene.job())
    (held,) = await other.fence("w1")
    assert held.offer.seq == leases[4].offer.seq
    assert await other.settle(again(held, NOW, losses=1)) == [True]
    tally = await other.tally()
    assert (tally.count(VisitState.SUCCEEDED), tally.attempts, tally.moving) == (1, 5, 4)
    other.now = NOW + 5
    assert len(await other.offer()) == 4
    assert await there.leases.workers() == []


async def test_answers_that_are_lost_all_the_time_double_nothing(ledgers, monkeypatch):
    """Every writing is done, but its first answer never comes; so it is asked for again."""
    service = ledgers[0]._table.service
    once, told = service._once, set()

    async def losing(action, body):
        answer = await once(action, body)
        if action in WRITES and body not in told:
            told.add(body)
            raise aiohttp.ServerDisconnectedError
        return answer

    monkeypatch.setattr(service, "_once", losing)
    scene = await staged(ledgers[0], 12)
    leases = await scene.take()
    said = [succeeded(lease) for lease in leases[:6]] + [again(lease, NOW) for lease in leases[6:]]
    assert await scene.settle(*said) == [True] * 12
    assert await scene.settle(*(failed(lease) for lease in await scene.take())) == [True] * 6
    assert await scene.redrive() == 6
    tally = await scene.tally()
    assert (tally.attempts, tally.records, tally.stale) == (18, 12, 0)
    assert tally.states == {VisitState.SUCCEEDED: 6, VisitState.WAITING: 6}


async def test_of_two_who_run_an_item_one_is_recorded(ledgers):
    here, there = ledgers
    scene = await staged(here, 3)
    offers = await scene.offer()
    one, two = await here.leases.begin("w1", offers, now=NOW), await there.leases.begin("w2", offers, now=NOW)
    assert len(one) == len(two) == 3
    answers = await asyncio.gather(
        here.leases.settle([succeeded(lease) for lease in one], now=NOW),
        there.leases.settle([failed(lease) for lease in two], now=NOW),
    )
    assert [first + second for first, second in zip(*answers, strict=True)] == [1, 1, 1]
    tally = await scene.tally()
    assert (tally.moving, tally.attempts, tally.stale) == (0, 3, 3)


async def test_offers_that_were_swept_twice_are_made_once(ledgers):
    here, there = ledgers
    scene = await staged(here, 30)
    await scene.offer()
    scene.now += TTL + 1
    await asyncio.gather(here.offers.sweep(now=scene.now), there.offers.sweep(now=scene.now + 0.5))
    scene.now += 1
    assert sorted(offer.seq for offer in await scene.offer()) == list(range(30))
    assert await scene.offer() == []


async def test_a_loading_that_was_cut_off_leaves_nothing_that_counts(ledgers, monkeypatch):
    here, there = ledgers
    job = await here.jobs.create(a_job())
    await here.items.add(job.id, new_items(3))

    async def cut_off(*_):
        raise StorageError("the process is gone")

    with monkeypatch.context() as patch:
        patch.setattr(Load, "_pages", cut_off)
        with pytest.raises(StorageError):
            await here.items.add(job.id, [*new_items(2, 50), *new_items(1)])
    assert await there.items.get(job.id, "P-000050") is None
    assert await there.items.add(job.id, new_items(2, 51)) == Added(2, 0)
    assert await there.items.seal(job.id) == 5
    for short in (recount.SHORT, 0):  # row by row, and by partition
        monkeypatch.setattr(recount, "SHORT", short)
        assert await there.jobs.recount(job.id) == await there.jobs.tally(job.id)
    assert [item.key for item in await there.items.page(job.id)][3:] == ["P-000051", "P-000052"]


async def test_no_partition_has_more_than_its_share():
    parts = [item_key("job", digest_of("job", f"P-{n:06}"))[0] for n in range(25_600)]
    assert len(set(parts)) == 256
    assert max(parts.count(part) for part in set(parts)) < 200


async def test_the_dead_are_remembered_for_a_month_and_then_buried_by_the_table_itself(ledgers):
    here, _ = ledgers
    scene = await staged(here, 1)
    await here.leases.begin("w1", await scene.offer(), now=NOW)
    (held,) = await here.leases.fence("w1", 0)
    await scene.settle(again(held, NOW, losses=1))
    assert "w1" not in [beat.worker for beat in await here.leases.workers()]
    row = await here._table.get(worker_key("w1"))
    assert row is not None
    assert time.time() + 29 * 86_400 < row[EXPIRES] < time.time() + 31 * 86_400
    known = await here._table.call("DescribeTimeToLive", {})
    assert known["TimeToLiveDescription"]["AttributeName"] == EXPIRES
