"""How a job has gone lately, remembered by whoever watches it: alarms speak of the last minutes, counters of it all.

It is not written down. A clerk that takes over has seen nothing yet, and says nothing of a span that it has not seen,
unless the job itself is no older.
"""

from bisect import bisect_right

from scrapeyard.decisions.alerts import LEAST, LONGEST, Lately, ended, poor
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.states import VisitState

_MOST = 720


class Course:
    """One job, as it was at each look."""

    def __init__(self, job: Job) -> None:
        self._created = job.created
        self._times: list[float] = []
        self._seen: list[Lately] = []
        self._moved = job.created

    def add(self, tally: Tally, now: float) -> None:
        """How it stands now."""
        point = Lately(ended(tally), tally.count(VisitState.FAILED, VisitState.UNCERTAIN), poor(tally))
        if not self._seen or self._seen[-1].ended != point.ended:
            self._moved = now
        self._times.append(now)
        self._seen.append(point)
        if len(self._times) > _MOST:  # the older half gets coarser
            kept = [*range(0, _MOST // 2, 2), *range(_MOST // 2, len(self._times))]
            self._times, self._seen = [self._times[n] for n in kept], [self._seen[n] for n in kept]
        old = bisect_right(self._times, now - 2 * LONGEST)
        del self._times[:old], self._seen[:old]

    def still(self, now: float) -> float:
        """For how long nothing has ended."""
        return now - self._moved

    def lately(self, span: float, now: float) -> Lately | None:
        """What came within the span; None if that was not watched."""
        base = self._at(now - span)
        if base is None:
            return None
        last = self._seen[-1]
        # a redrive takes items back, so that there may be fewer than before
        return Lately(max(0, last.ended - base.ended), max(0, last.failed - base.failed), max(0, last.poor - base.poor))

    def usual(self, span: float, now: float) -> float | None:
        """The share that brought nothing to read before the span."""
        base = self._at(now - span)
        return None if base is None or base.ended < LEAST else base.poor / base.ended

    def _at(self, moment: float) -> Lately | None:
        if not self._seen:
            return None
        place = bisect_right(self._times, moment) - 1
        if place >= 0:
            return self._seen[place]
        young = self._created >= moment or self._seen[0].ended == 0
        return Lately() if young else None
