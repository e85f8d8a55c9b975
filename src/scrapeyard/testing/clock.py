"""Time that stands still until a test moves it, so that a back-off of hours is tested in milliseconds."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

_TURNS = 40
"""Turns of the loop in which tasks that were woken settle down. Work in threads is not waited for."""


class VirtualClock:
    """Fulfils `scrapeyard.ports.clock.Clock`. Sleepers wake in the order of their times, one after the other."""

    def __init__(self, start: float = 1_750_000_000.0) -> None:
        self._start = start
        self._passed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def now(self) -> float:
        """Seconds since the epoch, as the test has it."""
        return self._start + self._passed

    def monotonic(self) -> float:
        """Seconds that the test let pass."""
        return self._passed

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has moved the time so far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiting = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._passed + seconds, next(self._numbers), waiting))
        await waiting

    @property
    def sleeping(self) -> int:
        """How many tasks wait for the time to pass."""
        return sum(not waiting.done() for _, _, waiting in self._sleepers)

    def jump(self, seconds: float) -> None:
        """Set the wall clock, forwards or back, as an administrator does. No time passes."""
        self._start += seconds

    async def advance(self, seconds: float) -> None:
        """Let time pass. Whoever wakes may go to sleep again and be woken again within that time."""
        end = self._passed + seconds
        await _settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            when, _, waiting = heapq.heappop(self._sleepers)
            if waiting.done():
                continue  # its task was cancelled
            self._passed = max(self._passed, when)
            waiting.set_result(None)
            await _settle()
        self._passed = end
        await _settle()

    async def advance_until(self, condition: Callable[[], bool], *, limit: float = 86_400.0, step: float = 0.1) -> None:
        """Let time pass in small steps until something is so."""
        end = self._passed + limit
        await _settle()
        while not condition():
            if self._passed >= end:
                raise TimeoutError(f"It did not come about within {limit:.0f} virtual seconds.")
            await self.advance(step)


async def _settle() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)
