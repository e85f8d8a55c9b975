"""Random histories of the SQLite ledger, which is closed and opened again in the middle of them."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from scrapeyard.backends.sqlite.ledger import SqliteLedger, open_ledger
from scrapeyard.testing.machine import LedgerMachine, run_histories

SOAK = bool(os.environ.get("SCRAPEYARD_SOAK"))
QUICK = Path("/dev/shm")
"""Nothing crashes here, so nothing has to reach a disk; crashes have tests of their own."""


class SqliteMachine(LedgerMachine):
    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="scrapeyard-history-", dir=QUICK if QUICK.is_dir() else None))
        super().__init__()

    async def open(self) -> SqliteLedger:
        return await open_ledger(self.folder / "ledger.db")

    def discard(self) -> None:
        shutil.rmtree(self.folder)


def test_two_hundred_histories_break_no_promise():
    run_histories(SqliteMachine, histories=200, steps=50)


@pytest.mark.soak
def test_thousands_of_histories_break_no_promise():
    run_histories(SqliteMachine, histories=5_000 if SOAK else 20, steps=100)
