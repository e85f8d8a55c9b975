"""How fast a job goes and what bounds it, as the dispatcher sees it: what nobody else has all in one place."""

import msgspec

from scrapeyard.model.span import Span


class Pace(msgspec.Struct, frozen=True):
    """The room that a job has. None is no bound.

    `ended` is how many items a second had their end over the last minute, `seconds` how long a try takes and `held`
    how many are under way. `site_rate` is requests a second and `site_at_once` items at once over all jobs of the
    site, `site_held` of them under way; `job_rate` and `job_at_once` are the job's own. `workers` with `slots` could
    run its items.
    """

    ended: Span | None = None
    seconds: float = 0.0
    held: int = 0
    site_rate: float | None = None
    site_at_once: int | None = None
    site_held: int = 0
    job_rate: float | None = None
    job_at_once: int | None = None
    workers: int = 0
    slots: int = 0
