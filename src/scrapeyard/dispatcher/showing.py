"""What the dispatcher tells people of each job: its closed gates, and how fast it goes within which limits.

The pace is that of the last minute and counts items that had their end, as workers told them; so it falls at once
when a site slows down, and a retry is no progress.
"""

from collections import deque
from collections.abc import Sequence

import msgspec

from scrapeyard.decisions.gates import CrewFacts, SiteFacts
from scrapeyard.decisions.progress import Mark, pace
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.model.gate import JobView, WayView
from scrapeyard.model.pace import Pace
from scrapeyard.model.states import JobState, VisitState

_STILL = 1.0
"""Seconds without a start before a gate that opens and closes all the time is worth telling."""
_STRETCH = 2.0
_STRETCHES = 31
"""Marks that are kept: a minute of stretches."""


class Room(msgspec.Struct, frozen=True):
    """A job with those who could run its items, its site, and the ways to it."""

    live: LiveJob
    crew: CrewFacts
    site: SiteFacts
    ways: tuple[WayView, ...] = ()


class Showing:
    """Remembers how each job went over the last minute."""

    def __init__(self) -> None:
        self._marks: dict[str, deque[Mark]] = {}

    def views(self, rooms: Sequence[Room], now: float, moment: float) -> list[JobView]:
        """What there is to tell of all of them."""
        known, self._marks = self._marks, {}
        for room in rooms:
            name = str(room.live.job.id)
            marks = self._marks[name] = known.get(name) or deque(maxlen=_STRETCHES)
            if not marks or moment - marks[-1].at >= _STRETCH:
                marks.append(Mark(moment, room.live.ended))
        return [self._view(room, now, moment) for room in rooms]

    def _view(self, room: Room, now: float, moment: float) -> JobView:
        live = room.live
        gates = [gate for gate in (live.standing, live.easing) if gate is not None]
        if live.passing is not None and live.passing not in gates and moment - live.started >= _STILL:
            gates.append(live.passing)
        if not gates and room.site.slowed is not None and live.job.state is JobState.RUNNING:
            gates.append(room.site.slowed)  # it goes on, but not as fast as it may
        running = live.tally.count(VisitState.RUNNING) if live.tally is not None else 0
        under_way = max(0, live.held - running)
        return JobView(
            live.job.id, now, tuple(gates), running, under_way, self._pace(room), room.ways, live.job.lane,
            live.limits.site, live.due(now), live.requests,
        )  # fmt: skip

    def _pace(self, room: Room) -> Pace:
        live, crew, site = room.live, room.crew, room.site
        return Pace(
            ended=pace(self._marks[str(live.job.id)]),
            seconds=live.taken,
            held=live.held,
            site_rate=None if site.starts is None else site.starts.rate,
            site_at_once=site.concurrency,
            site_held=site.held,
            job_rate=live.limits.starts,
            job_at_once=live.limits.concurrency,
            workers=crew.workers,
            slots=crew.slots,
        )
