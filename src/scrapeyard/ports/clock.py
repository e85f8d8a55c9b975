"""Time, handed in: so that a back-off of hours is tested in milliseconds.

Intervals are measured with `monotonic`; `now` is for records, schedules and expiries that people read.
"""

from typing import Protocol


class Clock(Protocol):
    """Where a room gets its time from."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow, from an arbitrary start."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...
