"""How fast could a job go at best, limit by limit? The lowest of these is what to look at when it seems slow.

An item is charged with all the tries and requests that items of its job have taken so far, so that a limit on requests
and one on items at once can be compared.
"""

import msgspec

from scrapeyard.decisions.gates import lasting
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.gate import GateName
from scrapeyard.model.states import FINAL_VISITS
from scrapeyard.model.why import Bound

_NEAR = 0.7
"""From so much of a limit on, it is this limit that the job runs into."""


def bounds(status: JobStatus) -> tuple[Bound, ...]:
    """The limits of a live job, the lowest first. One of them binds, or none if the job stays far below them all."""
    found = sorted(_limits(status), key=lambda bound: bound.per_second)
    told = {gate.gate for gate in status.gates}
    pace = status.pace
    going = 0.0 if pace is None or pace.ended is None else pace.ended.mid
    binding = next((bound for bound in found if bound.what in told), None)
    if binding is None and found and going >= _NEAR * found[0].per_second:
        binding = found[0]
    return tuple(msgspec.structs.replace(bound, binds=bound is binding) for bound in found)


def tries_each(status: JobStatus) -> float:
    """How many tries an item has taken so far; at least one."""
    ended = status.tally.count(*FINAL_VISITS)
    return max(1.0, status.tally.attempts / ended) if ended else 1.0


def _limits(status: JobStatus) -> list[Bound]:
    pace, tally, site = status.pace, status.tally, status.job.site.name
    if pace is None:
        return []
    tries = tries_each(status)
    requests = max(1.0, tally.requests / tally.attempts) if tally.attempts else 1.0
    seconds = pace.seconds or (tally.busy_ms / tally.attempts / 1000 if tally.attempts else 0.0)
    found: list[Bound] = []
    if pace.site_rate is not None:
        slowed = next((gate for gate in status.gates if gate.gate is GateName.SITE_SLOWED), None)
        words = f"The site {site} allows {pace.site_rate:.3g} requests a second, and a try takes {_about(requests)}."
        what, words = (GateName.SITE_RATE, words) if slowed is None else (slowed.gate, slowed.reason)
        found.append(Bound(what, words, pace.site_rate / requests / tries))
    if pace.job_rate is not None:
        words = f"The job's own policy lets {pace.job_rate:g} items a second start."
        found.append(Bound("job_rate", words, pace.job_rate / tries))
    if seconds <= 0:
        return found
    takes = f"and a try takes {_long(seconds)}"
    if pace.site_at_once is not None:
        others = pace.site_held - pace.held
        shared = f" (other jobs hold {others:,} of them)" if others > 0 else ""
        words = f"The site {site} takes {pace.site_at_once:,} items at once{shared}, {takes}."
        found.append(Bound(GateName.SITE_CONCURRENCY, words, pace.site_at_once / seconds / tries))
    if pace.job_at_once is not None:
        words = f"The job's own policy lets {pace.job_at_once:,} items run at once, {takes}."
        found.append(Bound(GateName.JOB_CONCURRENCY, words, pace.job_at_once / seconds / tries))
    if pace.slots:
        whose = "The worker has" if pace.workers == 1 else f"The {pace.workers:,} workers have"
        words = f"{whose} {pace.slots:,} slots, {takes}."
        found.append(Bound(GateName.CAPACITY, words, pace.slots / seconds / tries))
    return found


def _long(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 1 else lasting(seconds)


def _about(count: float) -> str:
    return f"{count:.0f}" if abs(count - round(count)) < 0.05 else f"{count:.1f}"
