"""The machine's own clock."""

import asyncio
import time


class SystemClock:
    """Fulfils `scrapeyard.ports.clock.Clock`."""

    def now(self) -> float:
        """Seconds since the epoch, as far as the machine knows them; they may jump."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait; others run meanwhile, even for no time at all."""
        await asyncio.sleep(max(0.0, seconds))
