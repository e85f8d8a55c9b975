"""Which tiers are closed because their proxies do not serve us: proxies belong to all jobs alike, and so does this."""

from collections.abc import Mapping

import structlog

from scrapeyard.decisions.lines import OPEN, Line, gate, heard
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.ladder import DIRECT
from scrapeyard.model.states import JobState
from scrapeyard.ports.clock import Clock

log = structlog.get_logger(__name__)


class Lines:
    """The tiers of one term."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lines: dict[str, Line] = {}

    def hear(self, note: OutcomeNote) -> None:
        """The outcome of a try."""
        if note.tier == DIRECT:
            return
        before, now = self._lines.get(note.tier, OPEN), self._clock.now()
        line = self._lines[note.tier] = heard(before, Kind(note.kind) if note.kind else None, now)
        if line.until != before.until:
            log.warning("proxies", tier=note.tier, kind=note.kind, seconds=round(max(0.0, line.until - now)))

    def closed(self, live: LiveJob) -> frozenset[int]:
        """The rungs of a job where nothing may go now."""
        now = self._clock.now()
        return frozenset(
            rung for rung, way in enumerate(live.job.ladder) if self._lines.get(way.tier, OPEN).closed(now)
        )

    def rooms(self, live: LiveJob) -> Mapping[int, int]:
        """Of rungs that are being tried: how many more items may go there."""
        now = self._clock.now()
        return {
            rung: max(0, 1 - live.afoot.on(rung))
            for rung, way in enumerate(live.job.ladder)
            if self._lines.get(way.tier, OPEN).trying(now)
        }

    def regard(self, live: LiveJob, first: int | None) -> None:
        """Say what that makes of a job, after its breakers have. `first` is the way that a fresh item would take."""
        if live.job.state is not JobState.RUNNING:
            return
        now, ladder = self._clock.now(), live.job.ladder
        if first is None:
            shut = sorted(self.closed(live), key=lambda rung: self._lines[ladder[rung].tier].until)
            if shut and live.barred is None:
                live.barred = gate(ladder[shut[0]].tier, self._lines[ladder[shut[0]].tier], now)
            return
        left = self.rooms(live).get(first)
        if left is not None and (live.eased is None or left < live.eased):
            live.eased, live.easing = left, gate(ladder[first].tier, self._lines[ladder[first].tier], now)
