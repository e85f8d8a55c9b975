"""Orders that wait for a worker, added up. A silent worker's orders stay as few as there are sites and jobs."""

from collections.abc import Iterable

from scrapeyard.model.fleet import Orders, Permit
from scrapeyard.model.item import Offer

_MOST_SENTINELS = 50
"""Kept for a worker that does not collect; then the oldest are lost, which the channel may."""


def added(waiting: Iterable[Orders]) -> Orders:
    """All of these as one. Permits of one site are summed, and good as long as the shortest of them."""
    permits: dict[str, Permit] = {}
    cancel: frozenset[str] = frozenset()
    drain = retire = False
    sentinels: dict[tuple[str, int], Offer] = {}
    for orders in waiting:
        for permit in orders.permits:
            known = permits.get(permit.site)
            permits[permit.site] = permit if known is None else _sum(known, permit)
        cancel |= orders.cancel
        drain = drain or orders.drain
        retire = retire or orders.retire
        sentinels |= {(offer.job, offer.seq): offer for offer in orders.sentinels}
    return Orders(tuple(permits.values()), cancel, drain, retire, tuple(sentinels.values())[-_MOST_SENTINELS:])


def _sum(one: Permit, other: Permit) -> Permit:
    unlimited = one.count < 0 or other.count < 0
    return Permit(one.site, -1 if unlimited else one.count + other.count, min(one.seconds, other.seconds))
