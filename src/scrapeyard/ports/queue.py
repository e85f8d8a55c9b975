"""A short, bounded hand-over of offers from the dispatcher to workers. Never the truth.

Losing everything in it loses no item: the ledger offers again what expired. So a backend may be as cheap
and as careless here as it likes, but it must be quick.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from scrapeyard.model.item import Offer


class Wants(msgspec.Struct, frozen=True):
    """What a worker can run: its lane and the digests of its scrapers. None means any digest."""

    lane: str
    digests: frozenset[str] | None = None


class Delivery(msgspec.Struct, frozen=True):
    """An offer as the queue delivered it; `handle` is the backend's own name for the delivery."""

    offer: Offer
    handle: str = ""


class Queue(Protocol):
    """Offers in, deliveries out. A delivery may come twice; the lease decides."""

    async def put(self, offers: Sequence[Offer]) -> None:
        """Hand over offers."""
        ...

    async def take(self, worker: str, wants: Wants, limit: int, *, now: float) -> list[Delivery]:
        """Take up to `limit` offers that suit and have not expired, at once; an empty list when there are none.

        A backend that cannot choose may deliver what does not suit; the worker gives it `back`.
        """
        ...

    async def keep(self, deliveries: Sequence[Delivery], *, seconds: float) -> None:
        """Hide these deliveries from others for so much longer, where the backend needs that."""
        ...

    async def done(self, deliveries: Sequence[Delivery]) -> None:
        """These need no further delivery."""
        ...

    async def back(self, deliveries: Sequence[Delivery]) -> None:
        """Let others have these."""
        ...

    async def depth(self) -> int:
        """About how many offers wait."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...
