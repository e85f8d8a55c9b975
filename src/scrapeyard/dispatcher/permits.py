"""Leave to send requests, so that five requests an item do not make a 5/s site see 25/s.

Workers say how many requests they want per site; a site's tokens are divided fairly among those who ask, first for
requests that wait and then for those to come. A permit lapses soon after it arrives, so what a dead worker held is
never used later, and a new dispatcher, whose buckets are empty, never adds to it; a living worker says what has
lapsed, and others get it. A site without a limit costs no waiting: leave for it is given ahead and renewed.
"""

import math
from collections.abc import Callable, Iterable

from scrapeyard.decisions.pacing import Bucket, divide, empty
from scrapeyard.dispatcher.board import Board
from scrapeyard.dispatcher.options import DispatcherOptions
from scrapeyard.dispatcher.paces import Paces
from scrapeyard.model.fleet import Orders, Permit, WorkerReport
from scrapeyard.ports.fleet import Fleet

_SHY = 0.98
"""The share of a rate that is given out: permits of one second may be used in the next, and ten seconds that end with
such a bunch must not see more than they may."""
_BURST = 0.5
"""Seconds' worth of permits that may be given at once, so that a dispatcher that was kept waiting loses none."""
_LAPSE = 0.5
_FREE = 6.0
"""Seconds for which unlimited leave is good; it is renewed three times as often."""
_EVERY = 0.1
"""Seconds between two grants at most; some come sooner, for a site is no metronome's bell."""
_LEAST = 1.5
"""The least that a bucket holds. What is above one is for delays: a grant waits for up to that much more than it gives,
so that the pauses of a slow site differ, and what was waited for is not lost."""
_THIRST = 2.0
"""Seconds of a site's rate that may be wanting before no further item starts there."""
UNLIMITED = -1


class PermitDesk:
    """Gives permits to workers."""

    def __init__(
        self, fleet: Fleet, board: Board, paces: Paces, options: DispatcherOptions, luck: Callable[[], float]
    ) -> None:
        self._fleet = fleet
        self._board = board
        self._paces = paces
        self._settings = options.sites
        self._strangers = options.strangers
        self._luck = luck
        self._buckets: dict[str, Bucket] = {}
        self._wanted: dict[str, dict[str, int]] = {}
        self._ahead: dict[str, dict[str, int]] = {}
        self._flying: dict[tuple[str, str], int] = {}
        self._freed: dict[tuple[str, str], float] = {}
        self._due = -math.inf
        self._restraint: dict[str, float] = {}
        self._turn = 0

    def hear(self, report: WorkerReport) -> None:
        """What a worker wants now. What was given since its last report reaches it with the answer to this one."""
        worker = report.worker
        for asked in (self._wanted, self._ahead):
            for site in [site for site, wanted in asked.items() if worker in wanted]:
                del asked[site][worker]
        for site in report.demand.keys() | report.ahead.keys():
            wanted, on_its_way = report.demand.get(site, 0), self._flying.get((worker, site), 0)
            soon = report.ahead.get(site, 0) - max(0, on_its_way - wanted)
            if wanted > on_its_way:
                self._wanted.setdefault(site, {})[worker] = wanted - on_its_way
            if soon > 0:
                self._ahead.setdefault(site, {})[worker] = soon
        for site, count in report.unspent.items():
            if site in self._buckets:
                self._buckets[site] = self._buckets[site].spent(-count)
        for key in [key for key in self._flying if key[0] == worker]:
            del self._flying[key]

    def thirsty(self, site: str) -> bool:
        """Whether the workers want so much more than the site's rate that further items could only wait."""
        rate = self._rate(site)
        return rate is not None and sum(self._wanted.get(site, {}).values()) > max(2.0, rate * _THIRST)

    async def give(self, workers: Iterable[str], now: float) -> None:
        """Divide what there is among the workers that are present."""
        if now < self._due:
            return
        self._due = now + _EVERY * (0.5 + 0.5 * self._luck())
        present = set(workers)
        permits: dict[str, list[Permit]] = {}
        self._take_back(present, permits, now)
        self._give_free(present, permits, now)
        asked = self._wanted.keys() | self._ahead.keys()
        for site in sorted(site for site in asked if self._wanted.get(site) or self._ahead.get(site)):
            rate = self._rate(site)
            if rate is not None and not self._paces.wait(site, now):
                self._give_paced(site, rate * _SHY, present, permits, now)
        for worker, granted in permits.items():
            await self._fleet.order(worker, Orders(permits=tuple(granted)))

    def _give_free(self, present: set[str], permits: dict[str, list[Permit]], now: float) -> None:
        """Unlimited leave, ahead of being asked, for the sites of live jobs; and for others that were asked for."""
        wanted = [
            (worker, site)
            for asked in (self._wanted, self._ahead)
            for site, asking in asked.items()
            for worker in asking
            if worker in present
        ]
        known = [(worker, site) for site in self._board.sites for worker in present]
        for worker, site in dict.fromkeys(known + wanted):
            if self._rate(site) is not None or self._paces.wait(site, now):
                continue
            self._buckets.pop(site, None)
            self._wanted.pop(site, None)
            self._ahead.pop(site, None)
            last = self._freed.get((worker, site))
            if last is None or now - last >= _FREE / 3:
                self._freed[worker, site] = now
                permits.setdefault(worker, []).append(Permit(site, UNLIMITED, _FREE))
        self._freed = {key: at for key, at in self._freed.items() if now - at < _FREE}

    def _give_paced(
        self, site: str, rate: float, present: set[str], permits: dict[str, list[Permit]], now: float
    ) -> None:
        known = self._buckets.get(site)
        bucket = empty(rate, now, _BURST, _LEAST) if known is None else known.filled(now).tuned(rate)
        left = bucket.beyond(self._restraint.get(site, 0.0))
        granted: dict[str, int] = {}
        for asked in (self._wanted, self._ahead):
            wanted = {worker: count for worker, count in asked.get(site, {}).items() if worker in present}
            given = divide(left, wanted, self._turn)
            asked[site] = {worker: rest for worker, count in wanted.items() if (rest := count - given.get(worker, 0))}
            left -= sum(given.values())
            for worker, count in given.items():
                granted[worker] = granted.get(worker, 0) + count
        self._turn += 1
        if granted:
            self._restraint[site] = (_LEAST - 1) * self._luck()
        for worker, count in granted.items():
            permits.setdefault(worker, []).append(Permit(site, count, _LAPSE))
            self._flying[worker, site] = self._flying.get((worker, site), 0) + count
        self._buckets[site] = bucket.spent(sum(granted.values()))

    def _take_back(self, present: set[str], permits: dict[str, list[Permit]], now: float) -> None:
        """End unlimited leave for sites that have a limit now, or are to be left alone."""
        for worker, site in list(self._freed):
            if self._rate(site) is not None or self._paces.wait(site, now):
                del self._freed[worker, site]
                if worker in present:
                    permits.setdefault(worker, []).append(Permit(site, 0, _LAPSE))

    def _rate(self, site: str) -> float | None:
        """Requests a second: of the jobs that visit the site, else of the settings, else of a stranger."""
        known = self._board.sites.get(site)
        if known is not None:
            return self._paces.rate(site, known.limits.rate)
        said = self._settings.get(site)
        return self._paces.rate(site, said.rate if said is not None else self._strangers)
