"""What came of a job's items over time, in at most so many equal stretches, however long the job runs."""

import msgspec

MOST = 120
"""Stretches; when there are more, two become one and each is twice as long."""
SHORTEST = 5.0


class Series(msgspec.Struct, frozen=True):
    """Outcomes by stretch of time, each `width` seconds long, the first of them from `begun`."""

    begun: float
    width: float = SHORTEST
    stretches: tuple[dict[str, int], ...] = ()

    def heard(self, at: float, outcomes: dict[str, int]) -> "Series":
        """The same with these outcomes at that moment."""
        series = self
        while at - series.begun >= series.width * MOST:
            series = series.coarser()
        place = max(0, int((at - series.begun) / series.width))
        stretches = [*series.stretches, *({} for _ in range(place + 1 - len(series.stretches)))]
        stretches[place] = _sum(stretches[place], outcomes)
        return Series(series.begun, series.width, tuple(stretches))

    def coarser(self) -> "Series":
        """Half as many stretches, each twice as long."""
        pairs = zip(self.stretches[::2], (*self.stretches[1::2], {}), strict=False)
        return Series(self.begun, 2 * self.width, tuple(_sum(one, other) for one, other in pairs))


def series_place(job: str) -> str:
    """The name of the memo in which a job's series lies."""
    return f"series/{job}"


def _sum(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}
