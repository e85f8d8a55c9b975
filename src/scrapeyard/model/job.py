"""A job: what somebody asked for, and how far it has come."""

from functools import cached_property
from typing import NewType

import msgspec

from scrapeyard.model.ladder import DIRECT, Rung, way_name
from scrapeyard.model.policy import Policy, SitePolicy
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import JobState, VisitState

JobId = NewType("JobId", str)


class Fallback(msgspec.Struct, frozen=True):
    """The scraper that takes over where every way of a job's own has failed an item."""

    scraper: ScraperRef
    lane: str = "http"
    tiers: tuple[str, ...] = ()


class Job(msgspec.Struct, frozen=True, dict=True):
    """One list of items for one exact version of a scraper. `total` is None until the list is sealed.

    `order_key` seeds the permutation in which items start. `epoch` rises with every redrive. `tiers` are the
    scraper's own ladder, and above it stands its `fallback`.
    """

    id: JobId
    name: str
    scraper: ScraperRef
    site: SitePolicy
    policy: Policy
    created: float
    order_key: int
    lane: str = "http"
    repeatable: bool = True
    key_fields: tuple[str, ...] = ()
    source: str = ""
    state: JobState = JobState.LOADING
    reason: str | None = None
    total: int | None = None
    epoch: int = 0
    changed: float = 0.0
    finished: float | None = None
    tiers: tuple[str, ...] = ()
    fallback: Fallback | None = None

    @cached_property
    def ladder(self) -> tuple[Rung, ...]:
        """The ways that its items climb, the cheapest first: by the owner's tiers, else the scraper's, else direct;
        then those of the fallback."""
        own, other = self.scraper, self.fallback
        rungs = [Rung(tier, tier, own, self.lane) for tier in self.policy.tiers or self.tiers or (DIRECT,)]
        if other is not None:
            name = other.scraper.name
            above = other.tiers or (DIRECT,)
            rungs += [Rung(way_name(tier, name, own.name), tier, other.scraper, other.lane) for tier in above]
        return tuple(rungs)


class TierTally(msgspec.Struct, frozen=True):
    """What one way to the site gave: tries that were made, how many of them brought an answer, and what it cost."""

    tries: int = 0
    good: int = 0
    wire_bytes: int = 0
    cost_micros: int = 0


class Tally(msgspec.Struct, frozen=True):
    """How many items are in each state, kept in the same transaction as the items themselves.

    `failed` is split by kind. The sums cover every recorded attempt, the ones that failed too; `tiers` splits them by
    the name of the way that was taken.
    """

    states: dict[VisitState, int] = {}
    failed: dict[str, int] = {}
    loaded: int = 0
    duplicates: int = 0
    attempts: int = 0
    records: int = 0
    unreadable: int = 0
    wire_bytes: int = 0
    requests: int = 0
    busy_ms: int = 0
    cost_micros: int = 0
    stale: int = 0
    tiers: dict[str, TierTally] = {}

    def count(self, *states: VisitState) -> int:
        """How many items are in any of these states."""
        return sum(self.states.get(state, 0) for state in states)

    @property
    def answered(self) -> int:
        """Items with an answer: the record, or the site's word that there is none."""
        return self.count(VisitState.SUCCEEDED, VisitState.ABSENT)

    @property
    def moving(self) -> int:
        """Items that are neither final nor yet known to be."""
        return self.count(VisitState.WAITING, VisitState.OFFERED, VisitState.RUNNING)
