"""How many workers there are: the one thing of a fleet that is not ours to do, but a machine's or a cloud's.

Who is to go is told so first, over the fleet channel, and ends by itself when nothing of it runs. So no backend ever
ends a worker that runs items.
"""

from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.fleet import WorkerReport


class Scale(Protocol):
    """The workers of one lane. What fails raises `StorageError`; it is asked again a moment later."""

    async def count(self) -> int:
        """How many were asked for last, as far as it is known there."""
        ...

    async def ask(self, count: int, leaving: Sequence[WorkerReport]) -> None:
        """Let there be so many workers. Those that are `leaving` are not counted, end by themselves, and must be the
        ones that go. Asking for the same again is harmless, and replaces those that are gone."""
        ...

    async def close(self, *, now: bool = False) -> None:
        """Let go of connections, and of what cannot go on alone: it gets its time to end, or is ended `now`."""
        ...
