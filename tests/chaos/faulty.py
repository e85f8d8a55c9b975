"""A role with faults around its ledger, queue and fleet: `python faulty.py SHARE ROLE`. The chaos tool starts it."""

import os
import sys
from contextlib import AsyncExitStack
from random import Random

import msgspec

from scrapeyard.cli.main import main
from scrapeyard.settings import Settings
from scrapeyard.testing.faults.kinds import DoubleDeliveries, LostAnswers
from scrapeyard.testing.faults.wrapping import wrapped
from scrapeyard.wiring import storage, yard


def surround(share: float) -> None:
    """Whatever storage this process opens is opened with faults around it."""
    open_storage = storage.open_storage
    luck = Random(os.getpid())
    faults = LostAnswers(luck, share), DoubleDeliveries(luck, share)

    async def faulty(settings: Settings, closing: AsyncExitStack) -> storage.Storage:
        plain = await open_storage(settings, closing)
        return msgspec.structs.replace(
            plain,
            ledger=wrapped(plain.ledger, "ledger", *faults),
            queue=wrapped(plain.queue, "queue", *faults),
            fleet=wrapped(plain.fleet, "fleet", *faults),
        )

    yard.open_storage = faulty


if __name__ == "__main__":
    surround(float(sys.argv.pop(1)))
    main()
