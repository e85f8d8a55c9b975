"""The hand-over of offers, in memory: a delivery is gone from here, and comes back only if it is given back."""

import heapq
from collections import deque
from collections.abc import Sequence
from itertools import count

from scrapeyard.model.item import Offer
from scrapeyard.ports.queue import Delivery, Wants

_Line = deque[tuple[int, Offer]]


class MemoryQueue:
    """Fulfils `scrapeyard.ports.queue.Queue` for one event loop. One line for each lane and version of a scraper,
    so that offers which nobody here can run stand in nobody's way."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], _Line] = {}
        self._numbers = count()

    async def put(self, offers: Sequence[Offer]) -> None:
        """Line them up."""
        for offer in offers:
            line = self._lines.setdefault((offer.lane, offer.scraper.digest), deque())
            line.append((next(self._numbers), offer))

    async def take(self, worker: str, wants: Wants, limit: int, *, now: float) -> list[Delivery]:  # noqa: ARG002 - the port's words
        """The oldest that suit. Expired ones are dropped on the way."""
        heads = [(line[0][0], name) for name, line in self._lines.items() if line and _suits(name, wants)]
        heapq.heapify(heads)
        taken: list[Delivery] = []
        while heads and len(taken) < limit:
            _, name = heads[0]
            line = self._lines[name]
            _, offer = line.popleft()
            if offer.until > now:
                taken.append(Delivery(offer))
            if line:
                heapq.heapreplace(heads, (line[0][0], name))
            else:
                heapq.heappop(heads)
                del self._lines[name]
        return taken

    async def keep(self, deliveries: Sequence[Delivery], *, seconds: float) -> None:
        """Nothing to do: a delivery is not shown to anybody else."""

    async def done(self, deliveries: Sequence[Delivery]) -> None:
        """Nothing to do: a delivery is gone from here."""

    async def back(self, deliveries: Sequence[Delivery]) -> None:
        """Line them up anew."""
        await self.put([delivery.offer for delivery in deliveries])

    async def depth(self) -> int:
        """How many are lined up."""
        return sum(map(len, self._lines.values()))

    async def close(self) -> None:
        """Nothing to let go of."""


def _suits(name: tuple[str, str], wants: Wants) -> bool:
    lane, digest = name
    return lane == wants.lane and (wants.digests is None or digest in wants.digests)
