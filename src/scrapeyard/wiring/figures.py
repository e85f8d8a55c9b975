"""Figures of everything that a process asks its storage: read off questions and answers as they pass, woven into none.

What the roles do is all there: workers report, beat and settle; the dispatcher offers, shows what it thinks of each
job, and writes down what happened.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from scrapeyard.backends.wrapped.around import Call, Going
from scrapeyard.decisions.scaling import load, per_worker
from scrapeyard.model import metric
from scrapeyard.model.errors import StorageError
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView
from scrapeyard.model.item import Offer, Settlement
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.leaders import Leader
from scrapeyard.ports.meter import Meter

LANES = ("http", "browser")
_SILENCE = 5.0
"""Seconds without a report after which a worker does not count."""
_LOST = "lost"
_ROLE = "dispatcher"
"""Other roles have leaders too, of whom no figures are told."""


class Figures:
    """Fulfils `scrapeyard.backends.wrapped.around.Around`. `lane` is whose scale is asked, if one is."""

    def __init__(self, meter: Meter, clock: Clock, lane: str = "") -> None:
        self._lane = lane
        self._meter = meter
        self._clock = clock
        self._beaten: float | None = None
        self._workers: dict[str, tuple[str, float]] = {}
        self._occurred: dict[str, set[str]] = {}
        self._listeners: dict[str, Callable[[Call, Any, float], None]] = {
            "fleet.report": self._reported,
            "fleet.collect": self._collected,
            "fleet.show": self._shown,
            "fleet.order": self._ordered,
            "queue.put": self._put,
            "ledger.leases.beat": self._beat,
            "ledger.leases.settle": self._settled,
            "ledger.leases.fence": self._fenced,
            "ledger.leaders.leader": self._stood_by,
            "ledger.leaders.resign": self._stood_by,
            "ledger.leaders.claim": self._claimed,
            "ledger.events.add": self._happened,
            "scale.ask": self._scaled,
        }

    async def around(self, call: Call, go: Going) -> Any:
        """Ask, and tell what came of it."""
        began = self._clock.monotonic()
        port = call.name.partition(".")[0]
        try:
            answer = await go()
        except StorageError:
            self._meter.count(metric.STORAGE_ERRORS, 1, port)
            raise
        seconds = self._clock.monotonic() - began
        self._meter.observe(metric.STORAGE_SECONDS, seconds, port)
        listener = self._listeners.get(call.name)
        if listener is not None:
            listener(call, answer, seconds)
        return answer

    def _reported(self, call: Call, _: Any, __: float) -> None:
        report: WorkerReport = call.values[0]
        tell, lane = self._meter.set, report.lane
        for note in report.outcomes:
            fault = "none" if note.kind is None else VERDICTS[Kind(note.kind)].fault
            self._meter.count(metric.OUTCOMES, 1, note.state, fault)
        tell(metric.SLOTS, report.slots, lane)
        tell(metric.SLOTS_BUSY, report.slots - report.free, lane)
        tell(metric.REQUESTS_WAITING, sum(report.demand.values()))
        tell(metric.DRAINING, report.draining)
        tell(metric.REFUSING, report.refusing is not None)
        tell(metric.MEMORY, report.rss)
        if self._beaten is not None:
            tell(metric.HEARTBEAT_AGE, self._clock.monotonic() - self._beaten)

    def _beat(self, _: Call, accepted: bool, __: float) -> None:
        if accepted:
            self._beaten = self._clock.monotonic()

    def _settled(self, call: Call, accepted: list[bool], seconds: float) -> None:
        settlements: list[Settlement] = call.values[0]
        tell = self._meter.count
        self._meter.observe(metric.SETTLE_SECONDS, seconds)
        tell(metric.RECORDED, sum(accepted))
        tell(metric.STALE, len(accepted) - sum(accepted))
        tries = [one.attempt for one, yes in zip(settlements, accepted, strict=True) if yes and one.attempt is not None]
        tell(metric.LEASES_LOST, sum(one.outcome == _LOST for one in tries))
        tell(metric.REQUESTS, sum(one.requests for one in tries))
        tell(metric.WIRE_BYTES, sum(one.wire_bytes for one in tries))
        tell(metric.DOLLARS, sum(one.cost_micros for one in tries) / 1e6)

    def _fenced(self, _: Call, leases: object, __: float) -> None:
        self._meter.count(metric.FENCED, leases is not None)

    def _put(self, call: Call, _: Any, __: float) -> None:
        offers: list[Offer] = call.values[0]
        for lane, count in Counter(offer.lane for offer in offers).items():
            self._meter.count(metric.OFFERS, count, lane)

    def _ordered(self, call: Call, _: Any, __: float) -> None:
        orders: Orders = call.values[1]
        self._meter.count(metric.PERMITS, sum(permit.count for permit in orders.permits if permit.count > 0))

    def _happened(self, call: Call, _: Any, __: float) -> None:
        self._meter.count(metric.BREAKER_TRIPS, sum(event.name == "breaker_tripped" for event in call.values[0]))

    def _collected(self, _: Call, reports: list[WorkerReport], __: float) -> None:
        now = self._clock.monotonic()
        for report in reports:
            if report.draining:
                self._workers.pop(report.worker, None)
            else:
                self._workers[report.worker] = (report.lane, now)

    def _shown(self, call: Call, _: Any, __: float) -> None:
        self._views(list(call.values[0]))

    def _scaled(self, call: Call, _: Any, __: float) -> None:
        self._meter.set(metric.WORKERS_WANTED, call.values[0], self._lane)

    def _claimed(self, call: Call, leader: Leader | None, seconds: float) -> None:
        if leader is None:
            self._stood_by(call, leader, seconds)
        elif leader.role == _ROLE:
            self._meter.set(metric.LEADING, 1)

    def _stood_by(self, call: Call, _: object, __: float) -> None:
        """Whoever leads now tells these; told twice, they would be twice as much."""
        if call.values[0] != _ROLE:
            return
        self._meter.set(metric.LEADING, 0)
        self._workers.clear()
        self._views([])

    def _views(self, views: list[JobView]) -> None:
        tell, now = self._meter.set, self._clock.monotonic()
        self._workers = {name: seen for name, seen in self._workers.items() if now - seen[1] <= _SILENCE}
        there = Counter(lane for lane, _ in self._workers.values())
        tell(metric.LIVE_JOBS, len(views))
        for lane in LANES:
            found = load(views, lane, there[lane])
            ended = (view.pace.ended for view in views if view.lane == lane)
            tell(metric.WAITING, found.waiting, lane)
            tell(metric.IN_FLIGHT, found.held, lane)
            tell(metric.BACKLOG, found.slots, lane)
            tell(metric.BACKLOG_PER_WORKER, per_worker(found, there[lane]), lane)
            tell(metric.WORKERS, there[lane], lane)
            tell(metric.PACE, sum(span.mid for span in ended if span is not None), lane)
        self._each(metric.GATES_CLOSED, (gate.gate for view in views for gate in view.gates))
        self._each(metric.WAYS, (way.phase for view in views for way in view.ways))

    def _each(self, figure: metric.Metric, found: Iterable[str]) -> None:
        """Those that occur, and those that have occurred and do so no more."""
        counts = Counter(map(str, found))
        known = self._occurred.setdefault(figure.name, set())
        known.update(counts)
        for name in known:
            self._meter.set(figure, counts[name], name)
