"""The live channel at the dispatcher keeps the promises of a fleet, and lets nobody in who cannot read the ledger."""

import aiohttp
import pytest

from scrapeyard.backends.direct.fleet import MEMO, DirectFleet, Place, RemoteFleet
from scrapeyard.backends.direct.host import LARGEST, Host, pack
from scrapeyard.backends.memory.fleet import MemoryFleet
from scrapeyard.backends.memory.memos import MemoryMemos
from scrapeyard.model.fleet import Orders
from scrapeyard.testing.fleet import FleetSuite, a_report, numbers


@pytest.fixture
def memos():
    return MemoryMemos()


@pytest.fixture
async def host():
    opened = Host(MemoryFleet(), "127.0.0.1", 0)
    await opened.open()
    yield opened
    await opened.close()


def direct(memos) -> DirectFleet:
    return DirectFleet(memos, lambda: Host(MemoryFleet(), "127.0.0.1", 0))


class TestRemoteFleet(FleetSuite):
    @pytest.fixture
    def open_fleet(self, memos, host):
        async def opened():
            await memos.keep(MEMO, pack(Place(host.address, host.word)), seen=await memos.recall(MEMO))
            return RemoteFleet(memos)

        return opened


class TestDirectFleet(FleetSuite):
    """As the dispatcher's process has it, with workers beside it."""

    @pytest.fixture
    async def open_fleet(self, memos):
        dispatcher = direct(memos)
        await dispatcher.collect()

        async def opened():
            return dispatcher

        yield opened
        await dispatcher.close()


async def test_before_anybody_leads_nothing_is_heard_and_nothing_breaks(memos):
    worker = direct(memos)
    assert await worker.report(a_report()) == Orders()
    assert await worker.views() == []
    await worker.close()


async def test_workers_follow_the_lead_to_another_dispatcher(memos, monkeypatch):
    monkeypatch.setattr("scrapeyard.backends.direct.fleet._LOOK", 0.0)
    first, second, worker = direct(memos), direct(memos), direct(memos)
    await first.collect()
    await worker.report(a_report("w1", 1))
    assert numbers(await first.collect()) == [("w1", 1)]
    await second.collect()
    await first.close()
    await worker.report(a_report("w1", 2))  # nobody is there any more
    await worker.report(a_report("w1", 3))
    assert numbers(await second.collect()) == [("w1", 3)]
    await worker.close()
    await second.close()


@pytest.mark.parametrize(
    ("verb", "word", "body", "status"),
    [
        ("report", "Bearer guessed", b"", 401),
        ("roster", "", b"", 401),
        ("report", None, b"\xc1", 400),
        ("burn", None, b"", 404),
        ("report", None, b"x" * (LARGEST + 1), 413),
    ],
)
async def test_strangers_and_nonsense_are_refused(host, verb, word, body, status):
    headers = {"Authorization": f"Bearer {host.word}" if word is None else word}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{host.address}/{verb}", data=body, headers=headers) as answer,
    ):
        assert answer.status == status
    assert await host.inner.roster() == []


async def test_a_port_that_somebody_has_is_exchanged_for_another(host):
    other = Host(MemoryFleet(), "127.0.0.1", int(host.address.rpartition(":")[2]))
    await other.open()
    assert other.address != host.address
    await other.close()
