"""Figures as lines of the log in CloudWatch's embedded metric format: no agent, no further calls, no rights needed.

CloudWatch is paid by the series, so figures are gathered and written once a minute: what counters have grown by, what
gauges are, and up to a hundred values of a histogram, which is as many as one line may have.
"""

from collections.abc import Callable

import orjson

from scrapeyard.model.metric import NAMESPACE, Metric
from scrapeyard.ports.clock import Clock

Series = tuple[Metric, tuple[str, ...]]

_MOST_VALUES = 100


class CloudMeter:
    """Fulfils `scrapeyard.ports.meter.Meter`. `write` takes one line without its end."""

    def __init__(self, write: Callable[[str], None], clock: Clock) -> None:
        self._write = write
        self._clock = clock
        self._sums: dict[Series, float] = {}
        self._gauges: dict[Series, float] = {}
        self._values: dict[Series, list[float]] = {}

    def count(self, metric: Metric, amount: float = 1, *labels: str) -> None:
        """See Meter."""
        self._sums[metric, labels] = self._sums.get((metric, labels), 0.0) + amount

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """See Meter."""
        self._gauges[metric, labels] = value

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """See Meter. Of more values than a line can have, those in the middle stand for their neighbours."""
        values = self._values.setdefault((metric, labels), [])
        values.append(value)
        if len(values) > 10 * _MOST_VALUES:
            values[:] = _thinned(values)

    def flush(self) -> None:
        """Write what there is to tell; counters and histograms begin anew, gauges stay."""
        at = round(self._clock.now() * 1000)
        told: dict[tuple[tuple[str, ...], tuple[str, ...]], list[tuple[Metric, object]]] = {}
        for series, value in (*self._sums.items(), *self._gauges.items()):
            told.setdefault((series[0].dimensions, series[1]), []).append((series[0], value))
        for (metric, labels), values in self._values.items():
            told.setdefault((metric.dimensions, labels), []).append((metric, _thinned(values)))
        self._sums.clear()
        self._values.clear()
        for (dimensions, labels), figures in told.items():
            self._write(_line(at, dict(zip(dimensions, labels, strict=True)), figures))


def _line(at: int, dimensions: dict[str, str], figures: list[tuple[Metric, object]]) -> str:
    names = [{"Name": metric.cloud, "Unit": metric.unit} for metric, _ in figures]
    about = {
        "Timestamp": at,
        "CloudWatchMetrics": [{"Namespace": NAMESPACE, "Dimensions": [list(dimensions)], "Metrics": names}],
    }
    said: dict[str, object] = {"_aws": about, **dimensions}
    said |= {metric.cloud: value for metric, value in figures}
    return orjson.dumps(said).decode()


def _thinned(values: list[float]) -> list[float]:
    """At most so many, evenly out of the sorted ones, so that the percentiles stay as they are."""
    if len(values) <= _MOST_VALUES:
        return list(values)
    ordered = sorted(values)
    return [ordered[round(place * (len(ordered) - 1) / (_MOST_VALUES - 1))] for place in range(_MOST_VALUES)]
