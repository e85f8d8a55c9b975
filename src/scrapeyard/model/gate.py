"""Why the next item may not start now, in one sentence and, where known, until when."""

from enum import StrEnum

import msgspec

from scrapeyard.model.breaker import Phase
from scrapeyard.model.pace import Pace


class GateName(StrEnum):
    """The closed list of gates on the one valve."""

    PAUSED = "paused"
    CANCELLED = "cancelled"
    LOADING = "loading"
    SITE_RATE = "site_rate"
    SITE_SLOWED = "site_slowed"
    SITE_WAIT = "site_wait"
    SITE_HELD = "site_held"
    SITE_CONCURRENCY = "site_concurrency"
    JOB_CONCURRENCY = "job_concurrency"
    WINDOW = "window"
    CAPACITY = "capacity"
    NO_WORKER = "no_worker"
    NO_DISPATCHER = "no_dispatcher"
    BUDGET = "budget"
    RETRY_WAIT = "retry_wait"
    RETRY_BUDGET = "retry_budget"
    FAIR_SHARE = "fair_share"
    CANARY = "canary"
    BREAKER = "breaker"
    PROBING = "probing"
    SUSPECT = "suspect"
    RAMP = "ramp"
    PROXIES = "proxies"
    INFRA = "infra"


GATE_MEANING: dict[GateName, str] = {
    GateName.PAUSED: "A person paused the job, or a breaker that has probed the site in vain too often.",
    GateName.CANCELLED: "The job was cancelled.",
    GateName.LOADING: "The list is still arriving.",
    GateName.SITE_RATE: "The site's requests per second are used up for the moment.",
    GateName.SITE_SLOWED: "The site is asked less than it allows: it wants to be, or it answers slowly.",
    GateName.SITE_WAIT: "The site asked us to wait (Retry-After), and nothing is asked of it until then.",
    GateName.SITE_HELD: "A person holds the site: nothing starts there, of whichever job, until it is released.",
    GateName.SITE_CONCURRENCY: "As many items as the site allows are running.",
    GateName.JOB_CONCURRENCY: "As many items as the job's policy allows are running.",
    GateName.WINDOW: "Outside the hours in which the site may be visited.",
    GateName.CAPACITY: "All workers are busy.",
    GateName.NO_WORKER: "No live worker has this version of the scraper.",
    GateName.NO_DISPATCHER: "No dispatcher is running, so nothing is offered to workers.",
    GateName.BUDGET: "The job has spent what it may, or what is under way will.",
    GateName.RETRY_WAIT: "All that is left waits for the time of its next try.",
    GateName.RETRY_BUDGET: "While fresh items wait at the site, retries are at most one start in five.",
    GateName.FAIR_SHARE: "Other jobs of higher or equal priority have their turn.",
    GateName.CANARY: "The first items show whether it works at all, a few at once.",
    GateName.BREAKER: "Too much failed by every way to the site; probes try it when the time is over.",
    GateName.PROBING: "A few probes try whether the site works again; a failure costs them nothing.",
    GateName.SUSPECT: "Neighbours in the list fail together; items from all over the rest show if it is the site.",
    GateName.RAMP: "The site works again, or is to be spared: only a share of the usual room is used.",
    GateName.PROXIES: "The proxies of all ways that are left refuse us or are spent; one item tries them now and then.",
    GateName.INFRA: "Our own storage or our workers fail; a few items try it again soon, at nobody's expense.",
}

HOLDING = frozenset(
    {
        GateName.PAUSED, GateName.CANCELLED, GateName.LOADING, GateName.SITE_WAIT, GateName.WINDOW, GateName.BUDGET,
        GateName.RETRY_WAIT, GateName.BREAKER, GateName.PROXIES, GateName.NO_DISPATCHER,
    }
)  # fmt: skip
"""Gates behind which nothing starts, however many workers there are."""

PACING = frozenset(
    {
        GateName.SITE_RATE, GateName.SITE_SLOWED, GateName.SITE_CONCURRENCY, GateName.JOB_CONCURRENCY,
        GateName.RETRY_BUDGET, GateName.CANARY, GateName.PROBING, GateName.SUSPECT, GateName.RAMP,
    }
)  # fmt: skip
"""Gates that let through what they let through: more workers would not make it more."""


class ClosedGate(msgspec.Struct, frozen=True):
    """One closed gate of one job. `until` is when it opens by itself, if that is known."""

    gate: GateName
    reason: str
    until: float | None = None


class WayView(msgspec.Struct, frozen=True):
    """How one way to a site stands. `name` is its rung, or empty for the breaker that hears only how items end; `why`
    says why it tripped last, and `until` when a closed one is tried again."""

    name: str
    phase: Phase
    since: float = 0.0
    until: float | None = None
    why: str = ""


class JobView(msgspec.Struct, frozen=True):
    """What the dispatcher last said of a job: its closed gates, what runs, how fast and by which ways, for people to
    read, and for whoever decides how many workers there should be.

    `waiting` items could start as far as time is concerned; each makes about `requests` requests.
    """

    job: str
    at: float
    gates: tuple[ClosedGate, ...] = ()
    running: int = 0
    offered: int = 0
    pace: Pace = Pace()
    ways: tuple[WayView, ...] = ()
    lane: str = "http"
    site: str = ""
    waiting: int = 0
    requests: float = 1.0

    @property
    def held_up(self) -> bool:
        """Whether nothing of it may start, however many workers there are."""
        return any(gate.gate in HOLDING for gate in self.gates)
