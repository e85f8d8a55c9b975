"""Addresses choose the storage; what cannot work together is refused with the reason, before anything is opened."""

import sys
from contextlib import AsyncExitStack

import pytest

from scrapeyard.model.address import scheme_of, shown
from scrapeyard.model.capture import Place
from scrapeyard.model.errors import Refused
from scrapeyard.ports.queue import Wants
from scrapeyard.settings import Settings, StorageSettings
from scrapeyard.testing.fleet import a_report
from scrapeyard.testing.queue import an_offer
from scrapeyard.testing.scenes import NOW
from scrapeyard.wiring.blobs import commit_window, open_blobs
from scrapeyard.wiring.storage import open_storage, pace, resolved


def settings_of(tmp_path, **addresses: str) -> Settings:
    return Settings(data=tmp_path, storage=StorageSettings(**addresses))


def test_without_addresses_everything_lies_in_the_data_folder(tmp_path):
    assert resolved(settings_of(tmp_path)) == StorageSettings(
        ledger=f"sqlite://{tmp_path}/ledger.db", live=f"sqlite://{tmp_path}/live.db", blobs=f"file://{tmp_path}/blobs"
    )


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        ({"ledger": "memory:"}, "from this process only, the other from this machine only"),
        ({"live": "memory:"}, "from this machine only, the other from this process only"),
        (
            {"ledger": "mysql://db.example/yard"},
            "'mysql://db.example/yard' is no address for ledger: it can begin with",
        ),
        ({"live": "kafka://db.example"}, "is no address for live: it can begin with memory:, sqlite:"),
        ({"ledger": "ledger.db"}, "'ledger.db' is no address for ledger"),
        (
            {"ledger": "postgresql://a:secret@db.example/yard", "live": "sqlite:///data/live.db"},
            "ledger 'postgresql://a@db.example/yard' and live 'sqlite:///data/live.db' do not go together",
        ),
        ({"ledger": "redis://cache.example/0"}, "'redis://cache.example/0' is no address for ledger"),
        ({"live": "sqs://eu-west-1/yard"}, "from this machine only, the other from every machine"),
        ({"ledger": "dynamodb://eu-west-1/yard"}, "ledger .* has no room for what is live: name a queue for it"),
        (
            {"ledger": "dynamodb://eu-west-1/yard", "live": "sqlite:///data/live.db"},
            "the one can be met from every machine, the other from this machine only",
        ),
        ({"ledger": "sqs://eu-west-1/yard"}, "is no address for ledger"),
        ({"live": "redis://cache.example/0"}, "from this machine only, the other from every machine"),
        ({"live": "postgresql://db.example/yard"}, "from this machine only, the other from every machine"),
    ],
)
def test_a_mixture_that_cannot_work_is_refused_with_the_reason(tmp_path, addresses, reason):
    with pytest.raises(Refused, match=reason):
        resolved(settings_of(tmp_path, **addresses))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "addresses",
    [{}, {"ledger": "memory:", "live": "memory:"}, {"ledger": "memory:", "live": "memory:", "blobs": "memory:"}],
)
async def test_what_goes_together_is_opened_and_closed(tmp_path, addresses):
    async with AsyncExitStack() as closing:
        storage = await open_storage(settings_of(tmp_path, **addresses), closing)
        assert await storage.ledger.jobs.find() == []
        assert await storage.queue.depth() == 0
        assert await storage.fleet.roster() == []
        assert await storage.blobs.stat("nothing") is None


async def test_blobs_may_lie_in_an_object_store_beside_any_ledger(tmp_path, s3):
    async with AsyncExitStack() as closing:
        storage = await open_storage(settings_of(tmp_path, blobs=s3.fresh()), closing)
        await storage.blobs.put("jobs/a", b"x")
        assert await storage.blobs.read(Place("jobs/a", 0, 1)) == b"x"


async def test_a_backend_whose_packages_are_not_installed_says_which_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "scrapeyard.backends.s3.opening", None)
    with pytest.raises(Refused, match=r"install scrapeyard\[s3\]"):
        open_blobs("s3://bucket/prefix")
    monkeypatch.setitem(sys.modules, "scrapeyard.wiring.redis", None)
    with pytest.raises(Refused, match=r"install scrapeyard\[redis\]"):
        await open_storage(settings_of(tmp_path, ledger="postgresql://x/y", live="redis://x/0"), AsyncExitStack())
    monkeypatch.setitem(sys.modules, "scrapeyard.wiring.postgres", None)
    with pytest.raises(Refused, match=r"install scrapeyard\[postgres\]"):
        await open_storage(settings_of(tmp_path, ledger="postgresql://db.example/yard"), AsyncExitStack())


def test_visits_are_gathered_only_where_each_request_is_paid_for():
    assert commit_window("s3://bucket/prefix", 60.0) == (20.0, 2_000)
    assert commit_window("file:///data/blobs", 60.0) == (0.2, 200)


def test_where_each_call_is_paid_for_fewer_are_made():
    aws = pace(StorageSettings(ledger="dynamodb://eu-west-1/yard", live="sqs://eu-west-1/yard"))
    here = pace(StorageSettings(ledger="sqlite:///ledger.db", live="sqlite:///live.db"))
    assert aws.take > 10 * here.take
    assert aws.ahead > aws.take  # so that nobody waits


async def test_one_address_of_a_server_serves_ledger_queue_and_fleet_over_the_same_connections(tmp_path, postgres):
    settings = settings_of(tmp_path, ledger=postgres.fresh() + "&connections=1")
    assert resolved(settings).live == settings.storage.ledger
    async with AsyncExitStack() as closing:
        storage = await open_storage(settings, closing)
        assert await storage.ledger.jobs.find() == []
        assert await storage.queue.depth() == 0
        assert await storage.fleet.roster() == []


async def test_the_queue_may_lie_in_redis_beside_a_ledger_of_every_machine(tmp_path, postgres, redis):
    async with AsyncExitStack() as closing:
        storage = await open_storage(settings_of(tmp_path, ledger=postgres.fresh(), live=redis.fresh()), closing)
        assert await storage.ledger.jobs.find() == []
        assert await storage.queue.depth() == 0
        assert await storage.fleet.roster() == []


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://yard:s3cret@db.example:5432/yard?sslpassword=s3cret", "postgresql://yard@db.example:5432/yard"),
        ("redis://:s3cret@cache.example/0", "redis://@cache.example/0"),
        ("redis://a:s3c@ret@cache.example/0", "redis://a@cache.example/0"),
        ("postgresql://[s3cret", "postgresql:…"),
        ("sqlite:///data/ledger.db", "sqlite:///data/ledger.db"),
        ("memory:", "memory:"),
    ],
)
def test_an_address_is_shown_without_what_is_secret(tmp_path, address, said):
    assert shown(address) == said
    assert scheme_of(address) == said.partition(":")[0]
    assert "s3c" not in repr(Settings(storage=StorageSettings(ledger=address)))


async def test_on_aws_the_ledger_is_a_table_and_offers_go_through_queues(tmp_path, dynamodb, sqs, s3):
    live = f"{sqs.fresh()}&host=127.0.0.1"
    settings = settings_of(tmp_path, ledger=dynamodb.fresh(), live=live, blobs=s3.fresh())
    async with AsyncExitStack() as closing:
        worker, dispatcher = await open_storage(settings, closing), await open_storage(settings, closing)
        await dispatcher.fleet.collect()  # who collects is the host, and says so in the ledger
        await worker.fleet.report(a_report("w1"))
        assert [report.worker for report in await dispatcher.fleet.collect()] == ["w1"]
        await dispatcher.queue.put([an_offer(1)])
        assert [one.offer.seq for one in await worker.queue.take("w1", Wants("http"), 5, now=NOW)] == [1]
        assert await worker.ledger.jobs.find() == []


@pytest.mark.parametrize(
    "address",
    ["dynamodb://eu-west-1", "dynamodb://me:word@eu-west-1/yard", "dynamodb://x/yard", "dynamodb://eu-west-1/y?a=b"],
)
async def test_an_address_of_a_table_that_is_none_is_refused(tmp_path, address):
    with pytest.raises(Refused, match="is no address of a table") as refused:
        await open_storage(settings_of(tmp_path, ledger=address, live="sqs://eu-west-1/yard"), AsyncExitStack())
    assert "word" not in str(refused.value)
