"""A whole job on DynamoDB, SQS and S3, by the ordinary commands: killed processes lose and double nothing."""

import pytest

from chaos.cutting import Cut, cut_off
from chaos.test_chaos import balances
from chaos.tool import Plan, run
from scrapeyard.model.policy import BreakerPolicy, Policy
from scrapeyard.model.states import VisitState
from scrapeyard.settings import StorageSettings

UNBROKEN = Policy(breaker=BreakerPolicy(trip=0, canary=0, absents=False))
"""A breaker counts what is overdue, as the items of a killed worker are on a slow machine; here that proves nothing."""


@pytest.fixture
def on_aws(dynamodb, sqs, s3) -> StorageSettings:
    return StorageSettings(ledger=dynamodb.fresh(), live=f"{sqs.fresh()}&host=127.0.0.1", blobs=s3.fresh())


async def test_killed_workers_lose_and_double_nothing(tmp_path, on_aws):
    ledger = await run(tmp_path, Plan("workers", kills=3, items=300, storage=on_aws, policy=UNBROKEN))
    balances(ledger)
    assert ledger.kills >= 3
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items
    assert ledger.recovered > 0


@pytest.mark.soak
async def test_a_killed_dispatcher_loses_and_doubles_nothing(tmp_path, on_aws):
    ledger = await run(tmp_path, Plan("dispatcher", kills=3, items=300, storage=on_aws, policy=UNBROKEN))
    balances(ledger)
    assert ledger.kills >= 3
    assert ledger.manifest[VisitState.SUCCEEDED] == ledger.items


@pytest.mark.soak
@pytest.mark.parametrize("victims", ["workers", "scrapers", "dispatcher"])
async def test_many_kills_lose_and_double_nothing(tmp_path, on_aws, victims):
    ledger = await run(tmp_path, Plan(victims, kills=20, items=3_000, patience=900.0, storage=on_aws, policy=UNBROKEN))
    balances(ledger)
    assert ledger.kills >= 20


@pytest.mark.soak
@pytest.mark.parametrize("name", ["ledger", "live", "blobs"])
async def test_workers_that_are_cut_off_for_a_minute_go_on(tmp_path, on_aws, name):
    await cut_off(tmp_path, Cut(on_aws, name, 60.0, policy=UNBROKEN), 1_500)
