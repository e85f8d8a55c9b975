"""What all children of a worker hold, want and weigh, and how much more they could use."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from scrapeyard.model.fleet import NO_ANSWERS, Answers
from scrapeyard.model.item import Lease
from scrapeyard.worker.guard import resident
from scrapeyard.worker.hand import Hand
from scrapeyard.worker.options import WorkerOptions


class Census:
    """Counts over the children; changes nothing."""

    def __init__(
        self,
        options: WorkerOptions,
        hands: Sequence[Hand],
        suspects: deque[Lease],
        weigh: Callable[[int], int] = resident,
    ) -> None:
        self._weigh = weigh
        self._options = options
        self._hands = hands
        self._suspects = suspects
        self._finished = 0
        self._rate = 0.0

    @property
    def slots(self) -> int:
        """Items that can run at once, cells not counted."""
        return self._options.processes * self._options.concurrency

    def held(self) -> list[Lease]:
        """Every lease that is with a child or waits for a cell."""
        return [lease for hand in self._hands for lease in hand.leases.values()] + list(self._suspects)

    def room(self) -> int:
        """How many more items could be used soon."""
        ordinary = [hand for hand in self._hands if not hand.cell and not hand.draining]
        ahead = max(1, int(self._rate * self._options.ahead))
        held = sum(hand.busy for hand in ordinary)
        return max(0, sum(hand.slots for hand in ordinary) + ahead - held - len(self._suspects))

    def free(self) -> int:
        """Slots with nothing to do."""
        return max(0, self.slots - sum(hand.busy for hand in self._hands if not hand.cell))

    def under_way(self) -> list[Lease]:
        """What is being worked on now."""
        return [lease for hand in self._hands for lease in hand.under_way()]

    def demand(self) -> dict[str, int]:
        """Requests that wait for leave, per site."""
        return _added(hand.demand for hand in self._hands)

    def ahead(self) -> dict[str, int]:
        """Requests that will want it soon, as it looks."""
        return _added(hand.ahead for hand in self._hands)

    def unspent(self) -> dict[str, int]:
        """Permits that lapsed since this was asked last."""
        total = _added(hand.unspent for hand in self._hands)
        for hand in self._hands:
            hand.unspent = {}
        return total

    def answers(self) -> dict[str, Answers]:
        """How sites answered since this was asked last."""
        total: dict[str, Answers] = {}
        for hand in self._hands:
            for site, answers in hand.answers.items():
                total[site] = total.get(site, NO_ANSWERS).plus(answers)
            hand.answers = {}
        return total

    def lag(self) -> float:
        """By how much a child was late at worst since this was asked last, in seconds."""
        worst = max((hand.lag for hand in self._hands), default=0.0)
        for hand in self._hands:
            hand.lag = 0.0
        return worst

    def memory(self) -> int:
        """Bytes that all children hold."""
        return sum(self._weigh(hand.pid) for hand in self._hands)

    def measure(self, elapsed: float, finished: int) -> None:
        """Learn how quickly items end; `finished` is the count since the worker began.

        It is measured over as long as is to be bridged: where items come in once in a while and end at once, the last
        moment before the next ones come tells nothing.
        """
        rate = (finished - self._finished) / max(elapsed, 0.001)
        self._finished = finished
        weight = 1 - math.exp(-elapsed / max(elapsed, self._options.ahead))
        self._rate += weight * (rate - self._rate)


def _added(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for site, count in part.items():
            total[site] = total.get(site, 0) + count
    return total
