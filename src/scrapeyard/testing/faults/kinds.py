"""The faults themselves. Each takes its luck from a generator with a seed, so that what happened happens again."""

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from random import Random
from typing import Any

from scrapeyard.model.errors import StorageError
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.queue import Delivery
from scrapeyard.testing.faults.wrapping import Call, Going

HARMLESS = (
    "*.jobs.create", "*.items.seal", "*.events.add", "*.leases.begin", "*.leases.beat", "*.leases.fence",
    "*.leases.leave", "*.leaders.resign", "queue.keep", "queue.done", "fleet.show", "blobs.delete",
)  # fmt: skip
"""Questions that may be asked twice: the second answer is that of the first, as their ports promise."""


class Delay:
    """Every question takes a while on its way, and so does its answer; so answers overtake each other."""

    def __init__(self, clock: Clock, luck: Random, most: float = 0.01) -> None:
        self._clock = clock
        self._luck = luck
        self.most = most

    async def around(self, call: Call, go: Going) -> Any:  # noqa: ARG002 - the same for all
        """Wait, ask, wait."""
        await self._clock.sleep(self._luck.random() * self.most)
        answer = await go()
        await self._clock.sleep(self._luck.random() * self.most)
        return answer


class ErrorOn:
    """The questions of these numbers fail, counted from 1, before anything is done."""

    def __init__(self, *numbers: int, names: Iterable[str] = ("*",)) -> None:
        self._numbers = frozenset(numbers)
        self._names = tuple(names)
        self.count = 0

    async def around(self, call: Call, go: Going) -> Any:
        """Fail, if it is this one's turn."""
        if _meant(call.name, self._names):
            self.count += 1
            if self.count in self._numbers:
                raise StorageError(f"On purpose: {call.name} fails.")
        return await go()


class Errors:
    """Some questions fail before anything is done."""

    def __init__(self, luck: Random, share: float) -> None:
        self._luck = luck
        self.share = share

    async def around(self, call: Call, go: Going) -> Any:
        """Fail, or ask."""
        if self._luck.random() < self.share:
            raise StorageError(f"On purpose: {call.name} fails.")
        return await go()


class LostAnswers:
    """Some things are done, and then it looks as if they had failed."""

    def __init__(self, luck: Random, share: float) -> None:
        self._luck = luck
        self.share = share

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, and perhaps do not tell."""
        answer = await go()
        if self._luck.random() < self.share:
            raise StorageError(f"On purpose: the answer to {call.name} is lost.")
        return answer


class Repeated:
    """Every question of these names is asked twice, as after a lost answer; the second answer is given."""

    def __init__(self, names: Iterable[str] = HARMLESS) -> None:
        self._names = tuple(names)

    async def around(self, call: Call, go: Going) -> Any:
        """Ask once more."""
        if _meant(call.name, self._names):
            await go()
        return await go()


class DoubleDeliveries:
    """Some of what a queue delivers comes a second time, later, perhaps to somebody else."""

    def __init__(self, luck: Random, share: float) -> None:
        self._luck = luck
        self.share = share
        self._again: list[Delivery] = []

    async def around(self, call: Call, go: Going) -> Any:
        """Keep a copy of some, and hand out the copies that were kept."""
        if not call.name.endswith(".take"):
            return await go()
        delivered: list[Delivery] = await go()
        again, self._again = self._again, []
        self._again = [delivery for delivery in delivered if self._luck.random() < self.share]
        return [*again, *delivered]


class Partition:
    """While it is cut, questions do not arrive and answers do not come back; it takes a while to notice."""

    def __init__(self, clock: Clock, patience: float = 2.0) -> None:
        self._clock = clock
        self._patience = patience
        self.cut = False

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, unless it is cut; answer, unless it was cut meanwhile."""
        answer = None if self.cut else await go()
        if self.cut:
            await self._clock.sleep(self._patience)
            raise StorageError(f"On purpose: {call.name} cannot be reached.")
        return answer


class Watched:
    """Tells of every question and its answer, also of the one that failed."""

    def __init__(self, tell: Callable[[Call, object], None]) -> None:
        self._tell = tell

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, and tell."""
        try:
            answer = await go()
        except StorageError as error:
            self._tell(call, error)
            raise
        self._tell(call, answer)
        return answer


def _meant(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
