"""Random histories of the PostgreSQL ledger, which is closed and opened again in the middle of them."""

import os

import pytest

from scrapeyard.backends.postgres.ledger import PostgresLedger, open_ledger
from scrapeyard.backends.postgres.opening import open_database
from scrapeyard.testing.machine import LedgerMachine, run_histories
from scrapeyard.testing.servers.postgres import PostgresServer

SOAK = bool(os.environ.get("SCRAPEYARD_SOAK"))


def machine_on(server: PostgresServer) -> type[LedgerMachine]:
    class PostgresMachine(LedgerMachine):
        def __init__(self) -> None:
            self.address = server.fresh()
            super().__init__()

        async def open(self) -> PostgresLedger:
            return await open_ledger(await open_database(self.address))

    return PostgresMachine


def test_twenty_histories_break_no_promise(postgres):
    run_histories(machine_on(postgres), histories=20, steps=30)


@pytest.mark.soak
def test_hundreds_of_histories_break_no_promise(postgres):
    run_histories(machine_on(postgres), histories=500 if SOAK else 5, steps=50)
