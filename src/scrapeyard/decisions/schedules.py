"""When is a schedule due, and what becomes of the times that were missed?

A schedule's hours are those of a wall clock, which jumps twice a year: a time that the clock leaps over comes right
after the leap, and one that it shows twice comes once. An hour in which nobody could act is found again by
comparing two moments, so it does not matter who looks, nor when.
"""

import datetime
from collections.abc import Iterator, Sequence
from itertools import dropwhile, takewhile

from cronsim import CronSim, CronSimError

from scrapeyard.decisions.window import zone_of
from scrapeyard.model.errors import BadInput
from scrapeyard.model.schedule import CatchUp, Schedule, ScheduleView

PUNCTUAL = 300.0
"""Seconds after which a due time counts as missed rather than as just due."""
MOST_CAUGHT_UP = 24
"""Missed times that are made up for at most, the latest ones."""

_LONGEST = 100
_FIELDS = 5
_FOLD = 2 * 3600.0
"""Seconds by which a clock may be set back, and more."""


def checked(schedule: Schedule) -> Schedule:
    """The schedule itself, or `BadInput` with a sentence that says what to change."""
    if following(schedule.cron, schedule.timezone, 0.0) is None:
        raise BadInput(f"{schedule.cron!r} never comes: there is no such day.")
    if schedule.fresh is not None and not schedule.fresh > 0:
        raise BadInput("Items are skipped if they succeeded within a span of time: give more than 0 seconds, or none.")
    if sum((bool(schedule.list), bool(schedule.file), schedule.items is not None)) != 1:
        raise BadInput("Say over what it runs: give exactly one of a list, a file, and the items of an earlier job.")
    return schedule


def following(cron: str, timezone: str, after: float) -> float | None:
    """The next due time after that moment."""
    return next((moment for moment in _times(cron, timezone, after) if moment > after), None)


def due(view: ScheduleView, now: float) -> tuple[float, ...]:
    """The due times since the schedule was last looked at that are to begin, oldest first."""
    plan = view.schedule
    backwards = _times(plan.cron, plan.timezone, now + _FOLD, backwards=True)
    passed = dropwhile(lambda moment: moment > now, backwards)
    found: list[float] = []
    for moment in takewhile(lambda moment: moment > view.seen, passed):
        missed = now - moment > PUNCTUAL
        most = {CatchUp.NONE: 0, CatchUp.LAST: 1, CatchUp.ALL: MOST_CAUGHT_UP}[plan.catch_up]
        if len(found) >= (most if missed else MOST_CAUGHT_UP):
            break
        found.append(moment)
    return tuple(reversed(found))


def kept_waiting(waiting: Sequence[float], more: Sequence[float]) -> tuple[float, ...]:
    """Due times that wait, and those that come to them; if there are too many the latest count."""
    return tuple(sorted({*waiting, *more}))[-MOST_CAUGHT_UP:]


def _times(cron: str, timezone: str, start: float, *, backwards: bool = False) -> Iterator[float]:
    """The due times from a moment on, one after the other. Where a clock is set back they may begin an hour off."""
    if len(cron) > _LONGEST or len(cron.split()) != _FIELDS:
        raise BadInput(f'{cron[:60]!r} is no cron expression: write five fields, such as "30 2 * * mon-fri".')
    then = datetime.datetime.fromtimestamp(start, zone_of(timezone))
    try:
        for moment in CronSim(cron, then, reverse=backwards):
            yield moment.timestamp()
    except CronSimError as error:
        raise BadInput(f'{cron!r} is no cron expression: {error}; write such as "30 2 * * mon-fri".') from error
