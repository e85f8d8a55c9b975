"""Whose turn is it? Starts are shared among jobs by priority, and nobody starves.

Each job has a pass that grows with every start it is given, the slower the higher its priority; the job with
the lowest pass is next. A step of priority doubles a job's share, so priority 9 gets 16 starts for one of
priority 5 while both want them, and priority 0 still comes to its turn. A start is charged with the time
that the job's items usually take, so what is shared is the workers' time and not the number of items. The
same claims always give the same answer.
"""

import heapq
from collections.abc import Mapping, Sequence

import msgspec


class Claim(msgspec.Struct, frozen=True):
    """A job that could start `wants` items now. `cost` is how long one takes.

    `pools` are rooms that it shares with others, such as its site and the workers that can run it.
    """

    job: str
    priority: int
    wants: int
    cost: float = 1.0
    pools: tuple[str, ...] = ()


class Shares(msgspec.Struct, frozen=True):
    """Who may start how many, and everybody's passes for the next time."""

    starts: dict[str, int]
    passes: dict[str, float]


_STEPS = 8
"""At least so many turns per job and round: coarse enough to be cheap, fine enough to be fair."""


def weight(priority: int) -> float:
    """How much a job counts."""
    return 2.0 ** min(max(priority, 0), 9)


def charge(claim: Claim, starts: int) -> float:
    """What so many starts add to the job's pass; to be taken back for starts that it was given and had no use for."""
    return starts * max(claim.cost, 0.001) / weight(claim.priority)


def share(free: int, claims: Sequence[Claim], passes: Mapping[str, float], pools: Mapping[str, int]) -> Shares:
    """Divide `free` starts. A pool that is not named in `pools` has no limit.

    A job that was away does not save up turns: it comes back level with the job that is furthest behind. Nor
    does it escape what it had before: its pass is kept until the others have caught up.
    """
    wanting = [claim for claim in claims if claim.wants > 0]
    floor = min((passes[claim.job] for claim in wanting if claim.job in passes), default=0.0)
    kept = {job: value - floor for job, value in passes.items() if value > floor}
    kept |= {claim.job: kept.get(claim.job, 0.0) for claim in wanting}
    rooms = dict(pools)
    starts: dict[str, int] = {}
    step = max(1, free // (_STEPS * len(wanting))) if wanting else 1
    heap = [(kept[claim.job], place) for place, claim in enumerate(wanting)]
    heapq.heapify(heap)
    while free > 0 and heap:
        _, place = heap[0]
        claim = wanting[place]
        limited = [pool for pool in claim.pools if pool in rooms]
        given = starts.get(claim.job, 0)
        count = min(step, free, claim.wants - given, *(rooms[pool] for pool in limited))
        if count <= 0:
            heapq.heappop(heap)
            continue
        starts[claim.job] = given + count
        free -= count
        for pool in limited:
            rooms[pool] -= count
        kept[claim.job] += charge(claim, count)
        heapq.heapreplace(heap, (kept[claim.job], place))
    return Shares(starts, kept)
