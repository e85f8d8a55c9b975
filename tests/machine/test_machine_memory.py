"""Random histories of the memory ledger."""

import os

import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.testing.machine import LedgerMachine, run_histories

SOAK = bool(os.environ.get("SCRAPEYARD_SOAK"))


class MemoryMachine(LedgerMachine):
    memory: MemoryLedger | None = None

    async def open(self) -> MemoryLedger:
        self.memory = self.memory or MemoryLedger()
        return self.memory


def test_two_hundred_histories_break_no_promise():
    run_histories(MemoryMachine, histories=200, steps=50)


@pytest.mark.soak
def test_thousands_of_histories_break_no_promise():
    run_histories(MemoryMachine, histories=5_000 if SOAK else 20, steps=100)
