"""Why is my job not moving? As the dispatcher last said; and when nobody says it, as far as the job itself tells.

What the dispatcher thinks is live and soon stale. A pause that was made a moment ago, and a dispatcher that is not
there at all, are known without it.
"""

from collections.abc import Sequence

from scrapeyard.model.gate import ClosedGate, GateName, JobView
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState

FRESH = 10.0
"""Seconds for which what a dispatcher said is believed."""

_TOLD_BY_STATE = frozenset({GateName.PAUSED, GateName.LOADING, GateName.CANCELLED})


def view_of(job: Job, views: Sequence[JobView], now: float) -> JobView | None:
    """What a living dispatcher says of the job, if there is one and it has spoken of it."""
    return next((view for view in views if view.job == job.id and now - view.at <= FRESH), None)


def closed_gates(job: Job, view: JobView | None, views: Sequence[JobView], now: float) -> tuple[ClosedGate, ...]:
    """The closed gates of a job. A finished job has none: nothing of it is to start."""
    match job.state:
        case JobState.LOADING:
            return (ClosedGate(GateName.LOADING, "The list is not loaded to its end: submit it again to go on."),)
        case JobState.PAUSED:
            return (ClosedGate(GateName.PAUSED, job.reason or "Paused by hand; resume it to go on."),)
        case JobState.COMPLETED | JobState.CANCELLED:
            return ()
        case JobState.RUNNING | JobState.FINALIZING:
            if view is not None:
                return tuple(gate for gate in view.gates if gate.gate not in _TOLD_BY_STATE)
            return _unspoken(job, views, now)


def _unspoken(job: Job, views: Sequence[JobView], now: float) -> tuple[ClosedGate, ...]:
    """A dispatcher that speaks of other jobs, or has had no time to speak of this one, will soon do so."""
    if now - job.changed <= FRESH / 5 or any(now - view.at <= FRESH for view in views):
        return ()
    last = max((view.at for view in views), default=None)
    since = (
        f"No dispatcher has been heard of for {_spell(now - last)}" if last is not None else "No dispatcher is running"
    )
    return (ClosedGate(GateName.NO_DISPATCHER, f"{since}: start one with `scrapeyard up`."),)


def _spell(seconds: float) -> str:
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} seconds"
