"""Figures of one process as Prometheus wants them: kept in memory, read whenever somebody asks."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.process_collector import ProcessCollector

from scrapeyard.model.metric import BUCKETS, Metric, Shape

KIND = "text/plain; version=0.0.4; charset=utf-8"
"""The media type of what `text` gives."""


disable_created_metrics()  # when each began is known by its first sample; the extra series double the page


class PrometheusMeter:
    """Fulfils `scrapeyard.ports.meter.Meter`. Each has a registry of its own, so that nothing is global."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._known: dict[str, Counter | Gauge | Histogram] = {}

    def count(self, metric: Metric, amount: float = 1, *labels: str) -> None:
        """See Meter."""
        found = self._found(metric, labels)
        assert isinstance(found, Counter)
        found.inc(amount)

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """See Meter."""
        found = self._found(metric, labels)
        assert isinstance(found, Gauge)
        found.set(value)

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """See Meter."""
        found = self._found(metric, labels)
        assert isinstance(found, Histogram)
        found.observe(value)

    def text(self) -> bytes:
        """Everything, as of now."""
        return generate_latest(self._registry)

    def _found(self, metric: Metric, labels: tuple[str, ...]) -> Counter | Gauge | Histogram:
        known = self._known.get(metric.name)
        if known is None:
            known = self._known[metric.name] = self._made(metric)
        return known.labels(*labels) if labels else known

    def _made(self, metric: Metric) -> Counter | Gauge | Histogram:
        match metric.shape:
            case Shape.COUNTER:
                return Counter(metric.name, metric.meaning, metric.labels, registry=self._registry)
            case Shape.GAUGE:
                return Gauge(metric.name, metric.meaning, metric.labels, registry=self._registry)
            case Shape.HISTOGRAM:
                return Histogram(metric.name, metric.meaning, metric.labels, registry=self._registry, buckets=BUCKETS)
