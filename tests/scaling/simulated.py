"""A fleet and its sites on a virtual clock of whole seconds: what the policy makes of a workload.

Workers cost from the moment they are asked for until they are gone, and take nothing new before they have started.
"""

import heapq
import random
from collections.abc import Sequence
from typing import NamedTuple

from scrapeyard.decisions.scaling import Habits, Plan, load, planned
from scrapeyard.model.gate import JobView
from scrapeyard.model.pace import Pace


class Site(NamedTuple):
    """One site with one job. `arrivals` are pairs of a second and so many items that come then."""

    name: str
    arrivals: Sequence[tuple[int, int]]
    seconds: float = 10.0
    at_once: int | None = None
    rate: float | None = None


class Ended(NamedTuple):
    """What came of it: the second of the last item's end, what the workers cost, and how many were wanted when."""

    finished: int
    worker_seconds: float
    wanted: list[tuple[int, int]]
    left: int

    def reversals(self) -> list[int]:
        """The seconds in which growing became shrinking, or the other way round."""
        turns: list[int] = []
        rising: bool | None = None
        for (_, before), (second, after) in zip(self.wanted, self.wanted[1:], strict=False):
            if after == before:
                continue
            if rising is not None and rising != (after > before):
                turns.append(second)
            rising = after > before
        return turns

    def most_in(self, seconds: int) -> int:
        """The most reversals in any stretch of so many seconds."""
        turns = self.reversals()
        return max((sum(start <= turn < start + seconds for turn in turns) for start in turns), default=0)


class _Worker:
    def __init__(self, ready: int, slots: int) -> None:
        self.ready = ready
        self.free = slots
        self.slots = slots
        self.going = False


class _Place:
    """A site while it is visited."""

    def __init__(self, site: Site, luck: random.Random) -> None:
        self.site = site
        self.waiting = 0
        self.held = 0
        self.tokens = 0.0
        self.taken = 0.0
        self.luck = luck

    def seconds(self) -> float:
        return max(1.0, self.luck.gauss(self.site.seconds, self.site.seconds / 3))

    def may(self) -> bool:
        full = self.site.at_once is not None and self.held >= self.site.at_once
        return self.waiting > 0 and not full and (self.site.rate is None or self.tokens >= 1)

    def view(self, now: int) -> JobView:
        pace = Pace(seconds=self.taken, held=self.held, site_rate=self.site.rate, site_at_once=self.site.at_once)
        return JobView(
            self.site.name, now, running=self.held, pace=pace, lane="http", site=self.site.name, waiting=self.waiting
        )


def lived(sites: Sequence[Site], habits: Habits, *, fixed: int | None = None, seed: int = 1, idle: int = 1800) -> Ended:
    """Live through the workload, with the policy or with a fleet of `fixed` size that is there from the beginning."""
    luck = random.Random(seed)
    places = [_Place(site, luck) for site in sites]
    workers = [_Worker(0, habits.slots) for _ in range(fixed or 0)]
    arrivals = sorted((second, place, count) for place, site in enumerate(sites) for second, count in site.arrivals)
    running: list[tuple[float, int, _Place, _Worker]] = []
    plan, wanted, cost, finished, number = Plan(), [(0, 0)], 0.0, 0, 0
    now = 0
    while now <= finished + idle or arrivals or running or any(place.waiting for place in places):
        while arrivals and arrivals[0][0] <= now:
            _, index, count = arrivals.pop(0)
            places[index].waiting += count
        while running and running[0][0] <= now:
            _, _, place, worker = heapq.heappop(running)
            place.held -= 1
            worker.free += 1
            finished = now
        if fixed is None:
            plan = planned(plan, load([place.view(now) for place in places], "http"), habits, float(now))
            wanted.append((now, plan.wanted))
            workers = _scaled(workers, plan.wanted, now, habits)
        number = _start(places, workers, running, now, number)
        if fixed is None or now <= finished or arrivals or any(place.waiting or place.held for place in places):
            cost += len(workers)
        now += 1
    return Ended(finished, cost, wanted, left=sum(not worker.going for worker in workers))


def _scaled(workers: list[_Worker], wanted: int, now: int, habits: Habits) -> list[_Worker]:
    """The workers after those that are too many were told to go, and those that have nothing left to do are gone."""
    staying = sorted((worker for worker in workers if not worker.going), key=lambda worker: -worker.free)
    for worker in staying[: max(0, len(staying) - wanted)]:
        worker.going = True
    workers = [worker for worker in workers if not worker.going or worker.free < worker.slots]
    missing = wanted - sum(not worker.going for worker in workers)
    return workers + [_Worker(now + round(habits.start), habits.slots) for _ in range(missing)]


def _start(places: list[_Place], workers: list[_Worker], running: list[tuple[float, int, _Place, _Worker]], now: int,
           number: int) -> int:  # fmt: skip
    ready = [worker for worker in workers if worker.ready <= now and not worker.going]
    for place in places:
        if place.site.rate is not None:
            place.tokens = min(max(1.0, place.site.rate), place.tokens + place.site.rate)
    while True:
        begun = False
        for place in places:
            worker = max((worker for worker in ready if worker.free), key=lambda worker: worker.free, default=None)
            if worker is None:
                return number
            if place.may():
                seconds = place.seconds()
                place.taken = seconds if not place.taken else 0.9 * place.taken + 0.1 * seconds
                place.waiting -= 1
                place.held += 1
                place.tokens -= 1
                worker.free -= 1
                number += 1
                heapq.heappush(running, (now + seconds, number, place, worker))
                begun = True
        if not begun:
            return number


def best_fixed(sites: Sequence[Site], habits: Habits, sizes: Sequence[int]) -> Ended:
    """What the smallest fleet does that is as quick as any."""
    found = {size: lived(sites, habits, fixed=size) for size in sizes}
    quickest = min(ended.finished for ended in found.values())
    return next(found[size] for size in sorted(sizes) if found[size].finished <= quickest * 1.02)
