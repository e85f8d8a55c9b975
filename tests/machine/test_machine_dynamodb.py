"""Random histories of the DynamoDB ledger, which is closed and opened again in the middle of them."""

import os

import pytest

from scrapeyard.backends.dynamodb.ledger import DynamoLedger, open_ledger
from scrapeyard.testing.machine import LedgerMachine, run_histories
from scrapeyard.testing.servers.dynamodb import DynamoServer

SOAK = bool(os.environ.get("SCRAPEYARD_SOAK"))


def machine_on(server: DynamoServer) -> type[LedgerMachine]:
    class DynamoMachine(LedgerMachine):
        def __init__(self) -> None:
            self.address = server.fresh()
            super().__init__()

        async def open(self) -> DynamoLedger:
            return await open_ledger(self.address)

    return DynamoMachine


def test_twenty_histories_break_no_promise(dynamodb):
    run_histories(machine_on(dynamodb), histories=20, steps=30)


@pytest.mark.soak
def test_hundreds_of_histories_break_no_promise(dynamodb):
    run_histories(machine_on(dynamodb), histories=500 if SOAK else 5, steps=50)
