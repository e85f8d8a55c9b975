"""Where figures go. Telling one is cheap, cannot fail, and waits for nobody."""

from typing import Protocol

from scrapeyard.model.metric import Metric


class Meter(Protocol):
    """Takes figures. The labels are the values of `metric.labels`, in that order."""

    def count(self, metric: Metric, amount: float = 1, *labels: str) -> None:
        """So much more of a counter."""
        ...

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """What a gauge is now."""
        ...

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """One more value of a histogram."""
        ...
