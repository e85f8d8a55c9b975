"""A policy is refused when it is given rather than found impossible while a job runs."""

from math import isfinite

import msgspec

from scrapeyard.decisions.sentinels import known_good
from scrapeyard.decisions.window import checked as checked_window
from scrapeyard.model.errors import BadInput
from scrapeyard.model.ladder import ladder_trouble
from scrapeyard.model.policy import BreakerPolicy, Policy, SitePolicy
from scrapeyard.model.scraper import ScraperCard

PRIORITIES = range(10)
MOST_ATTEMPTS = 100
LONGEST_DEADLINE = 86_400.0
LONGEST_WAIT = 604_800.0
MOST_WAITS = 20
MOST_SAMPLE = 10_000


def checked(policy: Policy) -> Policy:
    """The policy itself, or `BadInput` with a sentence that says what to change."""
    if policy.priority not in PRIORITIES:
        raise BadInput(f"The priority {policy.priority} is not taken: give one from 0 to 9; 9 goes first.")
    _pace("The job", policy.rate, policy.concurrency)
    if policy.attempts is not None and not 1 <= policy.attempts <= MOST_ATTEMPTS:
        raise BadInput(f"{policy.attempts} attempts are not taken: give 1 (no retry) to {MOST_ATTEMPTS}.")
    if not 0 < policy.deadline <= LONGEST_DEADLINE:
        raise BadInput(
            f"The deadline of {policy.deadline:g} s is not taken: give an item more than 0 s, at most a day."
        )
    if not (isfinite(policy.backoff_cap) and policy.backoff_cap >= 0):
        raise BadInput(f"The longest back-off of {policy.backoff_cap:g} s is not taken: give 0 s or more.")
    _breaker(policy.breaker)
    if policy.keep_captures_days is not None and not 0 < policy.keep_captures_days <= 36_500:
        raise BadInput(f"Captures cannot be kept for {policy.keep_captures_days:g} days: give more than 0, or none.")
    if policy.window is not None:
        checked_window(policy.window)
    trouble = None if policy.tiers is None else ladder_trouble(policy.tiers)
    if trouble is not None:
        raise BadInput(f"The tiers are not taken: {trouble}.")
    for limit, unit in ((policy.stop_at_usd, "dollars"), (policy.stop_at_gb, "GB")):
        if limit is not None and not (isfinite(limit) and limit > 0):
            raise BadInput(f"A budget of {limit:g} {unit} is not taken: give more than 0, or none for no limit.")
    return policy


def checked_site(site: SitePolicy) -> SitePolicy:
    """The same for what a scraper says of its site."""
    _pace(f"The site {site.name!r}", site.rate, site.concurrency)
    if site.window is not None:
        checked_window(site.window)
    return site


def armed(policy: Policy, card: ScraperCard) -> Policy:
    """The policy with its sentinels written out, those of the scraper if it names none itself."""
    if policy.breaker.sentinels is None and not card.sentinels:
        return policy
    sentinels = known_good(card, policy.breaker.sentinels)
    return msgspec.structs.replace(policy, breaker=msgspec.structs.replace(policy.breaker, sentinels=sentinels))


def merged(job: Policy, order: Policy) -> Policy:
    """What an order says expressly wins over the job's policy; what it leaves at its default leaves the job's alone."""
    default = Policy()
    said = {
        field: getattr(order, field)
        for field in Policy.__struct_fields__
        if getattr(order, field) != getattr(default, field)
    }
    if "breaker" in said:
        named = BreakerPolicy.__struct_fields__
        own = {field: getattr(order.breaker, field) for field in named}
        said["breaker"] = msgspec.structs.replace(
            job.breaker, **{field: value for field, value in own.items() if value != getattr(default.breaker, field)}
        )
    return msgspec.structs.replace(job, **said)


def _breaker(rules: BreakerPolicy) -> None:
    if not rules.open_times or not all(0 < wait <= LONGEST_WAIT for wait in rules.open_times):
        raise BadInput("A breaker waits before it probes: give at least one time, each above 0 s and at most a week.")
    if len(rules.open_times) > MOST_WAITS:
        raise BadInput(f"{len(rules.open_times)} waits before probing are not taken: give at most {MOST_WAITS}.")
    if not (0 <= rules.trip <= MOST_SAMPLE and 0 <= rules.canary <= MOST_SAMPLE and 1 <= rules.probes <= MOST_SAMPLE):
        raise BadInput(
            f"A breaker of trip {rules.trip}, canary {rules.canary} and {rules.probes} probes is not taken: "
            f"give 0 to {MOST_SAMPLE:,} for each, and at least 1 probe."
        )
    if rules.canary_stop < 1 or not 0 <= rules.close_at < rules.probes or not 0 <= rules.readable <= 1:
        raise BadInput(
            f"Fewer probes may fail than are sent, and a canary is stopped by 1 failure or more: close-at "
            f"{rules.close_at} of {rules.probes} and canary-stop {rules.canary_stop} are not taken."
        )
    if rules.max_failed is not None and rules.max_failed < 0:
        raise BadInput(f"At most {rules.max_failed} failed items are not taken: give 0 or more, or none for no limit.")


def _pace(whose: str, rate: float | None, concurrency: int | None) -> None:
    if rate is not None and not (isfinite(rate) and rate > 0):
        raise BadInput(
            f"{whose} cannot have a rate of {rate:g}: give requests per second above 0, or none for no limit."
        )
    if concurrency is not None and concurrency < 1:
        raise BadInput(f"{whose} cannot run {concurrency} items at once: give 1 or more, or none for no limit.")
