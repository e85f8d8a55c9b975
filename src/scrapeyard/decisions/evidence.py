"""Why it tripped, in a sentence for people, and what would come of going on.

A share seen in twenty outcomes is not the share of a million items; so the forecast is a range, Wilson's, in which the
true share lies with 95 % certainty.
"""

from collections import Counter
from collections.abc import Sequence

from scrapeyard.decisions.progress import wilson
from scrapeyard.model.breaker import Breaker, Cause, Phase
from scrapeyard.model.evidence import Evidence, Witness
from scrapeyard.model.states import VisitState

LATELY = 50
"""Outcomes that are kept as evidence."""
_SHOWN = 3


def evidence(cause: Cause, breaker: Breaker, way: str, lately: Sequence[Witness], remaining: int) -> Evidence:
    """What speaks for this trip. `breaker` is as it was before it tripped, `lately` the last outcomes, oldest first."""
    probing = breaker.phase is Phase.PROBING
    size = breaker.run if cause in (Cause.FAILURES, Cause.STREAK) and not probing else breaker.seen
    heard, lately = lately, [one for one in lately if one.probe or not probing]
    run = lately[-max(1, min(size or LATELY, LATELY)) :]
    failed = [one for one in run if one.failed]
    kinds = dict(Counter(one.outcome for one in failed).most_common())
    return Evidence(
        cause=cause,
        way=way,
        failed=len(failed),
        size=len(run),
        kinds=kinds,
        remaining=remaining,
        forecast=forecast(len(failed), len(run), remaining),
        outcomes=tuple(heard[-LATELY:]),
    )


def forecast(failed: int, size: int, remaining: int) -> str:
    """`39–78 % of the remaining 912,000 will fail`."""
    share = wilson(failed, size)
    return f"{100 * share.low:.0f}–{100 * share.high:.0f} % of the remaining {remaining:,} will fail"


def words(found: Evidence) -> str:
    """Why, in one sentence without its stop."""
    kinds = ", ".join(f"{kind} {count}" for kind, count in list(found.kinds.items())[:_SHOWN])
    match found.cause:
        case Cause.FAILURES | Cause.CANARY:
            which = "first" if found.cause is Cause.CANARY else "last"
            return f"{found.failed} of the {which} {found.size} items failed ({kinds})"
        case Cause.STREAK:
            return f"it failed {found.failed} times in a row ({kinds})"
        case Cause.FINALS:
            return f"{found.failed} of the last {found.size} items to end had failed at every try ({kinds})"
        case Cause.RETRIES:
            again = [one for one in found.outcomes if one.attempt > 1]
            return f"second tries used to help, and {sum(one.failed for one in again)} of the last {len(again)} failed"
        case Cause.UNREADABLE:
            return "the first pages came, but the extractor cannot read enough of them"
        case Cause.REFUSED:
            return "too many of the first inputs are refused as malformed: look at the list and at the scraper"
        case Cause.DENIED:
            return "our own rules, the provider's or the law forbid what the first items ask for"
        case Cause.ALL_ABSENT:
            return f"the site says of all the first {found.size} items that there is no such record"
        case Cause.ABSENT:
            absent = sum(one.outcome == VisitState.ABSENT for one in found.outcomes)
            return f"the site says of {absent} of the last {len(found.outcomes)} items that there is no such record"
        case Cause.SENTINEL:
            return f"a sentinel, which is known to exist, cannot be had any more: {found.sentinel}"
