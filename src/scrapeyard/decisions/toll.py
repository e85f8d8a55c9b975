"""What would running so many items again take? Judged by what a try of their job has taken so far.

Items that failed are no sample of the list: they may come through at the first try, or fail again as often as they
may. So the estimate is a range between the two, and its middle is the job's own average.
"""

from collections.abc import Collection

import msgspec

from scrapeyard.decisions.strictest import strictest
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.pace import Pace
from scrapeyard.model.span import Span
from scrapeyard.model.states import FINAL_VISITS
from scrapeyard.model.toll import Toll

_MICROS = 1e6


class Room(msgspec.Struct, frozen=True):
    """How fast it may go: requests a second, items at once. None is not known, or no limit."""

    rate: float | None = None
    at_once: int | None = None


def room(job: Job, pace: Pace | None) -> Room:
    """As the dispatcher last said; of a job that has ended, as far as its own policy and its scraper's site say."""
    if pace is not None:
        return Room(pace.site_rate, strictest(pace.site_at_once, pace.job_at_once, pace.slots or None))
    return Room(strictest(job.site.rate, job.policy.rate), strictest(job.site.concurrency, job.policy.concurrency))


def toll(items: int, kinds: Collection[str], job: Job, tally: Tally, allowed: Room) -> Toll | None:
    """The estimate for `items` of these kinds of failure, or of any; None while no try has told anything."""
    ended = tally.count(*FINAL_VISITS)
    if not tally.attempts or not ended:
        return None
    usual = max(1.0, tally.attempts / ended)
    tries = Span(usual, 1.0, max(usual, _most(kinds or tally.failed, job))).times(items)
    requests = tries.times(tally.requests / tally.attempts)
    return Toll(
        tries=tries,
        requests=requests,
        wire_bytes=tries.times(tally.wire_bytes / tally.attempts),
        dollars=tries.times(tally.cost_micros / tally.attempts / _MICROS),
        hours=_hours(tries, requests, tally, allowed),
    )


def _most(kinds: Collection[str], job: Job) -> int:
    """Tries that the most patient of these kinds allows; what spends no try of the item is not counted."""
    verdicts = [VERDICTS[Kind(kind)] for kind in kinds]
    most = max((verdict.attempts for verdict in verdicts if verdict.spends), default=1)
    return most if job.policy.attempts is None else min(most, job.policy.attempts)


def _hours(tries: Span, requests: Span, tally: Tally, allowed: Room) -> Span | None:
    """As the rate and the room for items at once let it, whichever takes longer."""
    times = [
        *([requests.times(1 / allowed.rate)] if allowed.rate else []),
        *([tries.times(tally.busy_ms / 1000 / tally.attempts / allowed.at_once)] if allowed.at_once else []),
    ]
    return max(times, key=lambda span: span.mid).times(1 / 3600) if times else None
