"""What a job may do to a site: the operator's settings, else the scraper's defaults, and the job's own wish.

The operator of the deployment knows the site better than the author of one scraper, so what the settings say
replaces the default; what they leave out stays. A job can only be stricter than its site, never laxer, and
where several scrapers visit one site the strictest of them holds for all.
"""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from scrapeyard.model.policy import Policy, SitePolicy, Window

Number = TypeVar("Number", int, float)


class Limits(msgspec.Struct, frozen=True):
    """What holds for one job. All windows must be open. `starts` is the job's own limit of items a second."""

    site: str
    concurrency: int | None = None
    windows: tuple[Window, ...] = ()
    starts: float | None = None


class SiteLimits(msgspec.Struct, frozen=True):
    """What holds for a site, over all jobs together: requests a second and items at once."""

    rate: float | None = None
    concurrency: int | None = None


def site_policy(defaults: SitePolicy, settings: SitePolicy | None) -> SitePolicy:
    """The site as its operator wants it. What `settings` leave out (None) stays as the scraper has it."""
    if settings is None:
        return defaults
    return SitePolicy(
        name=defaults.name,
        rate=defaults.rate if settings.rate is None else settings.rate,
        concurrency=defaults.concurrency if settings.concurrency is None else settings.concurrency,
        window=settings.window or defaults.window,
    )


def limits(defaults: SitePolicy, settings: SitePolicy | None, policy: Policy) -> Limits:
    """What one job has to keep apart from what its site as a whole does."""
    site = site_policy(defaults, settings)
    return Limits(
        site=site.name,
        concurrency=policy.concurrency,
        windows=tuple(dict.fromkeys(window for window in (site.window, policy.window) if window)),
        starts=policy.rate,
    )


def site_limits(settings: SitePolicy | None, jobs: Sequence[tuple[SitePolicy, Policy]]) -> SiteLimits:
    """What a site's jobs have to keep together.

    Never more than the strictest site policy, and never more requests than the jobs' own wishes add up to: one
    slow job alone slows the site's requests, but does not slow another job beside it.
    """
    sites = [site_policy(defaults, settings) for defaults, _ in jobs]
    wishes = [policy.rate for _, policy in jobs]
    asked = None if not wishes or None in wishes else sum(wish for wish in wishes if wish is not None)
    return SiteLimits(
        rate=strictest(*(site.rate for site in sites), asked),
        concurrency=strictest(*(site.concurrency for site in sites)),
    )


def strictest(*limits: Number | None) -> Number | None:
    """The smallest limit; None is no limit."""
    return min((limit for limit in limits if limit is not None), default=None)
