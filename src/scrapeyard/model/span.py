"""A figure with a range: an estimate that does not say how far off it may be is worse than none."""

import msgspec


class Span(msgspec.Struct, frozen=True):
    """A figure with the range around it."""

    mid: float
    low: float
    high: float

    def times(self, factor: float) -> "Span":
        """The span scaled."""
        return Span(self.mid * factor, self.low * factor, self.high * factor)

    def plus(self, more: float) -> "Span":
        """The span moved."""
        return Span(self.mid + more, self.low + more, self.high + more)
