"""What a dispatcher meets, and its times and sizes, taken apart from the settings at the edge."""

from collections.abc import Mapping

import msgspec

from scrapeyard.model.ladder import Price
from scrapeyard.model.policy import SitePolicy
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.queue import Queue


class Outside(msgspec.Struct, frozen=True):
    """Everything that a dispatcher meets."""

    ledger: Ledger
    queue: Queue
    fleet: Fleet
    blobs: Blobs
    clock: Clock


class DispatcherOptions(msgspec.Struct, frozen=True):
    """Times in seconds. `window` is how much work may lie in the queue; `lease` is how long a worker may be silent.

    `sites` are the operator's limits; `strangers` is the rate for a host that no job and no setting names.
    `look` is the time between two looks at the jobs, `count` between two at the counters of one that moves;
    `silence` is how long a worker counts as there without a report. `prices` are those of the tiers.
    """

    tick: float = 0.05
    offer_ttl: float = 15.0
    window: float = 2.0
    lease: float = 20.0
    sites: Mapping[str, SitePolicy] = {}
    strangers: float | None = 5.0
    prices: Mapping[str, Price] = {}
    leader_ttl: float = 5.0
    look: float = 0.2
    count: float = 1.0
    silence: float = 5.0
    batch: int = 500
    most_offers: int = 4000
