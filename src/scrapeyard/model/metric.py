"""What is counted and measured: one table from which the code, the documentation and both exporters take their names.

No label names a job, an item or a worker: a million items would be a million series. What tells processes apart is
added by whoever collects the figures.
"""

from enum import StrEnum

import msgspec

_PREFIX = "scrapeyard_"
NAMESPACE = "Scrapeyard"
"""Under which CloudWatch files all of them."""


class Shape(StrEnum):
    """How figures of one name are put together."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Role(StrEnum):
    """Who tells a figure."""

    CONTROLLER = "controller"
    DISPATCHER = "dispatcher"
    WORKER = "worker"


class Metric(msgspec.Struct, frozen=True):
    """One figure. `name` is what Prometheus calls it."""

    name: str
    shape: Shape
    meaning: str
    roles: tuple[Role, ...]
    labels: tuple[str, ...] = ()

    @property
    def cloud(self) -> str:
        """What CloudWatch calls it: `scrapeyard_backlog_per_worker` is `BacklogPerWorker` there."""
        return _pascal(self.name.removeprefix(_PREFIX).removesuffix("_total"))

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What CloudWatch calls its labels."""
        return tuple(_pascal(label) for label in self.labels)

    @property
    def unit(self) -> str:
        """CloudWatch's word for what it is counted in."""
        stem = self.name.removesuffix("_total")
        if stem.endswith("_per_second"):
            return "Count/Second"
        return {"seconds": "Seconds", "bytes": "Bytes"}.get(stem.rpartition("_")[2], "Count")


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


_ALL = (Role.CONTROLLER, Role.DISPATCHER, Role.WORKER)
_D, _W, _C = (Role.DISPATCHER,), (Role.WORKER,), (Role.CONTROLLER,)
_count, _now, _spread = Shape.COUNTER, Shape.GAUGE, Shape.HISTOGRAM

LEADING = Metric("scrapeyard_leading", _now, "1 at the dispatcher that is active, 0 at those that stand by.", _D)
LIVE_JOBS = Metric("scrapeyard_live_jobs", _now, "Jobs that are not finished.", _D)
WAITING = Metric("scrapeyard_waiting_items", _now, "Items that wait, whatever holds them up.", _D, ("lane",))
IN_FLIGHT = Metric("scrapeyard_in_flight_items", _now, "Items that are offered or run.", _D, ("lane",))
BACKLOG = Metric(
    "scrapeyard_backlog", _now,
    "Items that could be under way at once if there were workers enough: what runs, and what waits as far as the pace "
    "and the limits of its site allow. What something else holds up (a pause, a window, a breaker) is not in it.",
    _D, ("lane",),
)  # fmt: skip
BACKLOG_PER_WORKER = Metric(
    "scrapeyard_backlog_per_worker", _now,
    "The backlog for each worker that is there; the whole of it where none is. What a fleet scales on: about the slots "
    "of one worker is right.",
    _D, ("lane",),
)  # fmt: skip
WORKERS = Metric("scrapeyard_workers", _now, "Workers that report, and are not about to leave.", _D, ("lane",))
WORKERS_WANTED = Metric("scrapeyard_workers_wanted", _now, "Workers that the scaling policy wants.", _D, ("lane",))
PACE = Metric("scrapeyard_items_per_second", _now, "Items that had their end, over the last minute.", _D, ("lane",))
GATES_CLOSED = Metric("scrapeyard_gates_closed", _now, "Jobs that this gate holds up.", _D, ("gate",))
WAYS = Metric("scrapeyard_ways", _now, "Ways to sites by the state of their breaker.", _D, ("phase",))
BREAKER_TRIPS = Metric("scrapeyard_breaker_trips_total", _count, "Breakers that tripped.", _D)
OFFERS = Metric("scrapeyard_offers_total", _count, "Offers that were handed to workers.", _D, ("lane",))
PERMITS = Metric("scrapeyard_permits_total", _count, "Requests that paced sites were granted.", _D)
OUTCOMES = Metric(
    "scrapeyard_outcomes_total", _count,
    "Tries that ended, as soon as they did: how, and whose fault a failure was (`none`: it was none).",
    _W, ("outcome", "fault"),
)  # fmt: skip
RECORDED = Metric("scrapeyard_recorded_total", _count, "Ends of leases that the ledger has recorded.", (*_D, *_W))
STALE = Metric(
    "scrapeyard_stale_commits_total", _count,
    "Results that came too late and were dropped, or were recorded already when their commit was repeated.", (*_D, *_W),
)  # fmt: skip
LEASES_LOST = Metric(
    "scrapeyard_leases_lost_total", _count, "Tries that ended because their worker or process was lost.", (*_D, *_W)
)
FENCED = Metric("scrapeyard_workers_fenced_total", _count, "Workers that were given up because they fell silent.", _D)
SETTLE_SECONDS = Metric("scrapeyard_settle_seconds", _spread, "How long one commit of results takes.", (*_D, *_W))
REQUESTS = Metric("scrapeyard_requests_total", _count, "Requests to sites, of tries that were recorded.", _W)
WIRE_BYTES = Metric("scrapeyard_wire_bytes_total", _count, "Bytes to and from sites, of tries that were recorded.", _W)
DOLLARS = Metric("scrapeyard_dollars_total", _count, "What the proxies of recorded tries cost, in dollars.", _W)
SLOTS = Metric("scrapeyard_slots", _now, "Items that the worker can run at once.", _W, ("lane",))
SLOTS_BUSY = Metric("scrapeyard_slots_busy", _now, "Items that it runs.", _W, ("lane",))
REQUESTS_WAITING = Metric("scrapeyard_requests_waiting", _now, "Requests that wait for leave to be sent.", _W)
HEARTBEAT_AGE = Metric(
    "scrapeyard_heartbeat_age_seconds", _now, "Seconds since the ledger took the worker's last sign of life.", _W
)
DRAINING = Metric("scrapeyard_draining", _now, "1 while the worker takes nothing new because it is to end.", _W)
REFUSING = Metric("scrapeyard_refusing", _now, "1 while it takes nothing new because the machine is full.", _W)
MEMORY = Metric("scrapeyard_memory_bytes", _now, "Memory that the worker's scraping processes hold.", _W)
STORAGE_ERRORS = Metric(
    "scrapeyard_storage_errors_total", _count, "Questions that storage failed to answer, by the port that was asked.",
    _ALL, ("port",),
)  # fmt: skip
STORAGE_SECONDS = Metric(
    "scrapeyard_storage_seconds", _spread, "How long storage takes to answer.", _ALL, ("port",)
)  # fmt: skip
API_REQUESTS = Metric(
    "scrapeyard_api_requests_total", _count, "Requests to the API and the dashboard, by the first digit of the status.",
    _C, ("status",),
)  # fmt: skip
API_SECONDS = Metric("scrapeyard_api_seconds", _spread, "How long an answer of the API takes to begin.", _C)

METRICS: tuple[Metric, ...] = (
    LEADING, LIVE_JOBS, WAITING, IN_FLIGHT, BACKLOG, BACKLOG_PER_WORKER, WORKERS, WORKERS_WANTED, PACE, GATES_CLOSED,
    WAYS, BREAKER_TRIPS, OFFERS, PERMITS, OUTCOMES, RECORDED, STALE, LEASES_LOST, FENCED, SETTLE_SECONDS, REQUESTS,
    WIRE_BYTES, DOLLARS, SLOTS, SLOTS_BUSY, REQUESTS_WAITING, HEARTBEAT_AGE, DRAINING, REFUSING, MEMORY,
    STORAGE_ERRORS, STORAGE_SECONDS, API_REQUESTS, API_SECONDS,
)  # fmt: skip
"""All of them, in the order in which they are documented."""

BUCKETS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0)
"""Upper bounds of the histograms, in seconds."""
