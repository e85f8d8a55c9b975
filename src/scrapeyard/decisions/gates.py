"""Which gates are closed for a job, why, and until when: facts in, sentences out.

Some gates stay closed for minutes or days (paused, outside the hours, no worker); while one of them is closed
nothing of the job is even considered. The others close and open many times a second in the normal course of
work (the rate, a limit of items at once, busy workers); they say how many items may start now.
"""

import math

import msgspec

from scrapeyard.decisions.budget import Spending, affordable, held_back, spent_gate
from scrapeyard.decisions.pacing import Bucket
from scrapeyard.decisions.repeats import ONE_IN
from scrapeyard.decisions.strictest import Limits
from scrapeyard.decisions.window import Opening
from scrapeyard.model.gate import ClosedGate, GateName
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Window
from scrapeyard.model.states import JobState

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
PLENTY = 1 << 30
"""More items than anybody has room for."""


class CrewFacts(msgspec.Struct, frozen=True):
    """The workers that could run a job's items: how many, with how many slots; and how many there are in all.

    `silent` names why those that could do not (draining, short of memory), if none of them takes anything.
    """

    workers: int = 0
    slots: int = 0
    others: int = 0
    silent: str | None = None


class SiteFacts(msgspec.Struct, frozen=True):
    """A site as it is now. `held` counts what is offered or running over all jobs; `thirsty` says that the workers
    already wait for more requests than its rate gives them soon; `waits` are the seconds for which it asked to be left
    alone, and `slowed` says that its rate is less than it allows, and why."""

    name: str
    held: int = 0
    concurrency: int | None = None
    starts: Bucket | None = None
    thirsty: bool = False
    waits: float = 0.0
    slowed: ClosedGate | None = None


class JobFacts(msgspec.Struct, frozen=True):
    """A job as it is now. `waiting` items wait; the next of them may start at `due` (None: at once).

    `again` is how many of them may start now if none of them is fresh; None leaves them to the other gates.
    `barred` is the gate of breakers that let nothing through, `easing` that of one that lets `eased` items through.
    `shut` is the gate of a person who holds the site.
    """

    job: Job
    limits: Limits
    opening: Opening
    crew: CrewFacts
    held: int = 0
    waiting: int = 0
    due: float | None = None
    loaded: int = 0
    starts: Bucket | None = None
    again: int | None = None
    spending: Spending = Spending()
    barred: ClosedGate | None = None
    easing: ClosedGate | None = None
    eased: int | None = None
    shut: ClosedGate | None = None


def standing(facts: JobFacts, now: float) -> ClosedGate | None:
    """The gate that keeps the whole job from starting anything, if there is one."""
    job = facts.job
    match job.state:
        case JobState.CANCELLED:
            return ClosedGate(GateName.CANCELLED, _with_reason("The job was cancelled", job.reason))
        case JobState.PAUSED:
            return ClosedGate(GateName.PAUSED, _with_reason("The job is paused", job.reason))
        case JobState.LOADING:
            return ClosedGate(GateName.LOADING, f"The list is still arriving: {facts.loaded:,} items so far.")
        case JobState.FINALIZING | JobState.COMPLETED | JobState.RUNNING:
            pass
    if facts.shut is not None and (facts.waiting or facts.held):
        return facts.shut
    spent = spent_gate(job, facts.spending)
    if spent is not None and (facts.waiting or facts.held):
        return spent
    if not facts.opening.open:
        return _window(facts.opening, now)
    if facts.barred is not None and (facts.waiting or facts.held):
        return facts.barred
    if facts.waiting and not facts.crew.workers:
        return ClosedGate(GateName.NO_WORKER, _nobody(job, facts.crew))
    if facts.waiting and not facts.held and facts.due is not None and facts.due > now:
        what = "The one item that is left waits" if facts.waiting == 1 else f"All {facts.waiting:,} items left wait"
        reason = f"{what} for the next try; the first is due in {lasting(facts.due - now)}."
        return ClosedGate(GateName.RETRY_WAIT, reason, facts.due)
    return None


def room(facts: JobFacts, now: float) -> int:
    """How many items the job itself could start now, sites and workers apart, while no standing gate is closed."""
    if facts.due is not None and facts.due > now:
        return 0
    at_once = PLENTY if facts.limits.concurrency is None else facts.limits.concurrency - facts.held
    paced = PLENTY if facts.starts is None else facts.starts.whole
    again = PLENTY if facts.again is None else facts.again
    eased = PLENTY if facts.eased is None else facts.eased
    paid = affordable(facts.job.policy, facts.spending, facts.held)
    return max(0, min(facts.waiting, at_once, paced, again, eased, paid))


def site_room(site: SiteFacts) -> int:
    """How many items the site could take now."""
    if site.thirsty or site.waits > 0:
        return 0
    at_once = PLENTY if site.concurrency is None else site.concurrency - site.held
    paced = PLENTY if site.starts is None else site.starts.whole
    return max(0, min(at_once, paced))


def passing(facts: JobFacts, site: SiteFacts, slots_left: int, now: float) -> ClosedGate:
    """Why a job that has items to start, and no standing gate closed, was given none of them just now."""
    limits, crew = facts.limits, facts.crew
    if facts.easing is not None and not facts.eased:
        return facts.easing
    if limits.concurrency is not None and facts.held >= limits.concurrency:
        reason = f"The job may run {_items(limits.concurrency)} at once, and {_so_many(facts.held)}."
        return ClosedGate(GateName.JOB_CONCURRENCY, reason)
    if site.waits > 0:
        reason = f"The site {site.name} asked us to wait; nothing is asked of it for {lasting(site.waits)}."
        return ClosedGate(GateName.SITE_WAIT, reason, now + site.waits)
    if site.concurrency is not None and site.held >= site.concurrency:
        reason = f"The site {site.name} takes {_items(site.concurrency)} at once, and {_so_many(site.held)}."
        return ClosedGate(GateName.SITE_CONCURRENCY, reason)
    if not affordable(facts.job.policy, facts.spending, facts.held):
        return held_back(facts.job)
    if facts.again == 0:
        reason = (
            f"Only retries are left of this job; while other items of {site.name} were never tried, "
            f"retries are at most one start in {ONE_IN}."
        )
        return ClosedGate(GateName.RETRY_BUDGET, reason)
    if facts.starts is not None and not facts.starts.whole:
        return _paced(f"The job may start {rate_words(facts.starts.rate, 'item')}", facts.starts, now)
    if site.starts is not None and (site.thirsty or not site.starts.whole):
        if site.slowed is not None:
            return site.slowed
        allows = f"The site {site.name} allows {rate_words(site.starts.rate)}"
        if not site.starts.whole:
            return _paced(allows, site.starts, now)
        return ClosedGate(GateName.SITE_RATE, f"{allows}, and running items wait for theirs.")
    if slots_left <= 0:
        whose = "the worker" if crew.workers == 1 else f"{crew.workers} workers"
        return ClosedGate(GateName.CAPACITY, f"All {crew.slots:,} slots of {whose} are busy.")
    return ClosedGate(GateName.FAIR_SHARE, "Other jobs of higher or equal priority have their turn.")


def lasting(seconds: float) -> str:
    """A length of time as a person says it."""
    if seconds < 1:
        return "less than a second"
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size or (unit == "h" and seconds >= size):
            return f"{seconds / size:.0f} {unit}"
    return f"{math.ceil(seconds)} s"


def hours(window: Window) -> str:
    """A crawl window as a person says it."""
    days = sorted(set(window.days))
    when = f"from {window.start} to {window.end} {window.timezone}"
    if len(days) == len(_DAYS):
        return when
    if len(days) > 2 and days == list(range(days[0], days[-1] + 1)):
        return f"{_DAYS[days[0]]}–{_DAYS[days[-1]]} {when}"
    return f"{', '.join(_DAYS[day] for day in days)} {when}"


def _window(opening: Opening, now: float) -> ClosedGate:
    window, until = opening.closed, opening.until
    if window is None:
        return ClosedGate(GateName.WINDOW, opening.trouble or "The site may not be visited now.", until)
    opens = "it never opens: give it at least one day" if until is None else f"it opens in {lasting(until - now)}"
    return ClosedGate(GateName.WINDOW, f"The site allows visits {hours(window)}; {opens}.", until)


def _nobody(job: Job, crew: CrewFacts) -> str:
    if not crew.others:
        return "No worker is running: start one with `scrapeyard worker`."
    if crew.silent is not None:
        return f"No worker takes items now: {crew.silent}."
    there = "The only worker does not have" if crew.others == 1 else f"None of the {crew.others} workers has"
    version = f"{job.scraper.name} {job.scraper.version} ({job.scraper.digest[:8]})"
    lane = "" if job.lane == "http" else f" in the lane {job.lane}"
    return f"{there} {version}{lane}: start one that has exactly this version."


def _paced(what: str, bucket: Bucket, now: float) -> ClosedGate:
    wait = bucket.wait()
    return ClosedGate(GateName.SITE_RATE, f"{what}; the next is free in {lasting(wait)}.", now + wait)


def rate_words(rate: float, noun: str = "request") -> str:
    """A rate as a person says it."""
    if rate >= 1:
        return f"{rate:.3g} {noun}s a second"
    return f"one {noun} in {lasting(1 / rate)}"


def _items(count: int) -> str:
    return "one item" if count == 1 else f"{count:,} items"


def _so_many(count: int) -> str:
    return "that one is under way" if count == 1 else f"{count:,} are under way"


def _with_reason(what: str, reason: str | None) -> str:
    return f"{what}: {reason.rstrip('.')}." if reason else f"{what}."
