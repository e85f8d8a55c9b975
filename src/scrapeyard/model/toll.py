"""What running items again would take, as a range: nobody should find out by doing it."""

import msgspec

from scrapeyard.model.span import Span


class Toll(msgspec.Struct, frozen=True):
    """An estimate. The low end is one try for each item, the high end every try that their kinds of failure allow.

    `hours` is None where nothing is known that says how fast it would go.
    """

    tries: Span
    requests: Span
    wire_bytes: Span
    dollars: Span
    hours: Span | None = None

    def times(self, factor: float) -> "Toll":
        """The estimate for so many times the items."""
        hours = None if self.hours is None else self.hours.times(factor)
        return Toll(
            self.tries.times(factor),
            self.requests.times(factor),
            self.wire_bytes.times(factor),
            self.dollars.times(factor),
            hours,
        )
