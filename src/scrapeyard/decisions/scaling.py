"""How many workers should there be? From nothing to as many as the work can feed, and back, without wavering.

A site that takes five requests a second feeds a few items at once, however long its list is; so what counts is not how
much waits but how much could be under way at once. More workers are asked for at once, but not so many that the work
is over before they have started. Fewer are asked for only after they were too many for a while, and a fleet that has
turned from growing to shrinking and back does not turn again for twice ten minutes.
"""

import math
from collections.abc import Sequence

import msgspec

from scrapeyard.model.gate import PACING, GateName, JobView

_GUESS = 2.0
"""Seconds that an item takes, while none has ended."""
_AMPLE = 1.1
"""How much more than the mean could be under way at a site: items differ."""
_STEP = 2
"""At a paced site so many times as much as is under way there now is thought possible, at most: how long items take is
known better when more of them have ended."""
_NOTICEABLE = 1.1
"""A fleet does not grow for less than a tenth."""


class Load(msgspec.Struct, frozen=True):
    """What there is to do in one lane. `slots` items could be under way at once, with workers enough; all of them
    together take `work` seconds of one slot. `waiting` and `held` are plain counts."""

    slots: float = 0.0
    work: float = 0.0
    waiting: int = 0
    held: int = 0


class Habits(msgspec.Struct, frozen=True):
    """`slots` is how many items one worker runs at once; there are `least` to `most` workers, and it takes `start`
    seconds to get one. For `patience` seconds they must be too many before some are let go; a fleet that has turned
    stays for `calm` seconds before it shrinks again."""

    slots: int = 16
    least: int = 0
    most: int = 10
    start: float = 30.0
    patience: float = 60.0
    calm: float = 1200.0


class Plan(msgspec.Struct, frozen=True):
    """How many workers are wanted, and what must be remembered to say so again. `turned` is when growing last became
    shrinking or the other way round; since `low` no more than `enough` of them had work."""

    wanted: int = 0
    rising: bool | None = None
    turned: float = -math.inf
    low: float | None = None
    enough: int = 0


def load(views: Sequence[JobView], lane: str, ready: int = 0) -> Load:
    """The load of a lane, from what the dispatcher says of its jobs. `ready` workers are there and take items: a job
    that none of them can run waits for its version, not for more of the same."""
    sites: dict[str, list[JobView]] = {}
    for view in views:
        if view.lane == lane:
            sites.setdefault(view.site, []).append(view)
    slots = work = 0.0
    for group in sites.values():
        slots += _fed(group, ready)
        work += sum(_todo(view) * _seconds(view) for view in group)
    return Load(
        slots, work, waiting=sum(view.waiting for group in sites.values() for view in group),
        held=sum(view.pace.held for group in sites.values() for view in group),
    )  # fmt: skip


def per_worker(load: Load, workers: int) -> float:
    """The backlog of each worker; all of it where there is none."""
    return load.slots / max(1, workers)


def planned(before: Plan, load: Load, habits: Habits, now: float) -> Plan:
    """How many workers there should be from now on."""
    useful = math.ceil(load.slots / habits.slots)
    in_time = max(min(1, useful), math.ceil(load.work / (habits.slots * habits.start)))
    needed = min(max(useful, habits.least), habits.most)
    worthwhile = min(max(min(useful, in_time), habits.least), habits.most)
    if worthwhile > before.wanted and worthwhile >= before.wanted * _NOTICEABLE:
        return _moved(before, worthwhile, now)
    if needed >= before.wanted:
        return msgspec.structs.replace(before, low=None, enough=0)
    if before.low is None:
        return msgspec.structs.replace(before, low=now, enough=needed)
    enough = max(before.enough, needed)
    settled = not before.rising or now - before.turned >= habits.calm
    if now - before.low >= habits.patience and settled:
        return _moved(before, enough, now)
    return msgspec.structs.replace(before, enough=enough)


def _moved(before: Plan, wanted: int, now: float) -> Plan:
    rising = wanted > before.wanted
    turned = now if before.rising is not None and rising != before.rising else before.turned
    return Plan(wanted, rising, turned)


def _fed(group: Sequence[JobView], ready: int) -> float:
    """How many items of these jobs, all of one site, could be under way at once."""
    slots = sum(_could(view, ready) for view in group)
    limit = group[0].pace.site_at_once
    if limit is not None:
        slots = min(slots, limit)
    rate = group[0].pace.site_rate
    if rate is not None and slots:
        held = sum(view.pace.held for view in group)
        slots = min(slots, max(_in_hand(group), min(_flow(rate, group), max(1, _STEP * held))))
    return slots


def _flow(rate: float, group: Sequence[JobView]) -> float:
    """Items under way at once when requests come at that rate: by Little's law, never less than one."""
    active = [view for view in group if not view.held_up] or list(group)
    requests = sum(view.requests for view in active) / len(active)
    seconds = sum(_seconds(view) for view in active) / len(active)
    return max(1.0, rate / max(1.0, requests) * seconds * _AMPLE)


def _in_hand(group: Sequence[JobView]) -> int:
    """What runs needs its workers, whatever the pace was worked out to be."""
    return sum(view.running for view in group)


def _could(view: JobView, ready: int) -> float:
    """How many items of this job could be under way at once, as far as it alone is concerned."""
    held = view.pace.held
    if view.held_up or (ready and any(gate.gate is GateName.NO_WORKER for gate in view.gates)):
        return held
    if any(gate.gate in PACING for gate in view.gates):
        return max(held, min(1, view.waiting))
    could: float = held + view.waiting
    if view.pace.job_at_once is not None:
        could = min(could, view.pace.job_at_once)
    if view.pace.job_rate is not None:
        could = min(could, max(held, 1.0, view.pace.job_rate * _seconds(view) * _AMPLE))
    return could


def _todo(view: JobView) -> int:
    return view.pace.held + (0 if view.held_up else view.waiting)


def _seconds(view: JobView) -> float:
    return view.pace.seconds or _GUESS
