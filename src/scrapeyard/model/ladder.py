"""The ways to a site, the cheapest first: the tiers of a scraper, then those of another scraper that takes over.

An item begins on the lowest rung that is worth a try and climbs on evidence, so that a dear way is paid for only
where the cheap one is barred.
"""

import re
from collections.abc import Mapping, Sequence
from math import ceil

import msgspec

from scrapeyard.model.scraper import ScraperRef

DIRECT = "direct"
"""The tier that needs no proxy, and the only rung of a ladder that nobody declared."""

_GB = 1e9
_MICROS = 1e6


_TIER = re.compile(r"[a-z0-9][a-z0-9_:.-]{0,59}")
MOST_TIERS = 10


def ladder_trouble(tiers: Sequence[str]) -> str | None:
    """What is wrong with a ladder that somebody wrote down, and what to write instead."""
    if not 0 < len(tiers) <= MOST_TIERS:
        return f"a ladder has 1 to {MOST_TIERS} tiers, not {len(tiers)}"
    bad = next((tier for tier in tiers if not _TIER.fullmatch(tier)), None)
    if bad is not None:
        return f"{bad[:60]!r} is no name for a tier; write direct, datacenter, residential or residential:us-ca"
    twice = next((tier for tier in tiers if tiers.count(tier) > 1), None)
    return f"the tier {twice!r} stands there twice" if twice is not None else None


class Rung(msgspec.Struct, frozen=True, array_like=True):
    """One way: which scraper, in which lane of workers, through which tier. `name` tells it from all others of its
    job, and is what people and ledgers are told."""

    name: str
    tier: str
    scraper: ScraperRef
    lane: str = "http"


def way_name(tier: str, scraper: str, own: str) -> str:
    """What a way is called: the tier alone, unless another scraper than the job's `own` takes it."""
    return tier if scraper == own else f"{scraper} {tier}"


class Price(msgspec.Struct, frozen=True):
    """What a tier costs. Bytes are counted both ways, as providers do."""

    usd_per_gb: float = 0.0
    usd_per_request: float = 0.0

    def micros(self, requests: float, wire_bytes: float) -> int:
        """The cost in millionths of a dollar, rounded up, so that a budget is never passed by rounding."""
        dollars = wire_bytes * self.usd_per_gb / _GB + requests * self.usd_per_request
        return ceil(round(dollars * _MICROS, 6))


def price_of(prices: Mapping[str, Price], tier: str) -> Price | None:
    """The price of a tier; `residential:us-ca` costs what `residential` does unless it has a price of its own."""
    return prices.get(tier) or prices.get(tier.partition(":")[0])
