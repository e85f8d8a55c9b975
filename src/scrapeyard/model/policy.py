"""How fast, when and how stubbornly a job and a site may be worked. The strictest of job and site wins."""

from enum import StrEnum

import msgspec


class Order(StrEnum):
    """In which order a job's items start."""

    RANDOM = "random"
    LIST = "list"


class Window(msgspec.Struct, frozen=True):
    """When items may start, in the site's own time zone. `end` before `start` runs over midnight.

    Days are 0 (Monday) to 6 (Sunday) and name the day on which the window opens; times are "HH:MM".
    """

    timezone: str = "UTC"
    days: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    start: str = "00:00"
    end: str = "24:00"


class SitePolicy(msgspec.Struct, frozen=True):
    """The politeness that a site is owed. `rate` is requests per second; None means no limit, and must be said."""

    name: str
    rate: float | None = 5.0
    concurrency: int | None = 8
    window: Window | None = None


class OnTrip(StrEnum):
    """What a job does when a site fails it."""

    PAUSE = "pause"
    SLOW = "slow"
    FAIL = "fail"


class BreakerPolicy(msgspec.Struct, frozen=True):
    """When a job stops itself. The figures are explained in the reference of the breaker.

    `trip` is the score that trips it (0: never). Of the first `canary` items (0: none) at most `canary_stop` may fail,
    and at least `readable` of those that were fetched must be read; `probes` items try a site that failed, and
    `close_at` of them may fail. It waits `open_times` seconds before each probing in a row, the last for all that
    follow. `absents` watches the share of items that the site says do not exist. `sentinels` are items known to exist,
    which are asked for now and then: each a JSON object of inputs, or the only input itself; None stands for the
    scraper's own. More than `max_failed` failed items pause the job for a person.
    """

    on_trip: OnTrip = OnTrip.PAUSE
    trip: int = 40
    canary: int = 30
    canary_stop: int = 12
    readable: float = 0.8
    probes: int = 20
    close_at: int = 4
    open_times: tuple[float, ...] = (60.0, 120.0, 300.0, 900.0, 3600.0)
    absents: bool = True
    sentinels: tuple[str, ...] | None = None
    max_failed: int | None = None


class Policy(msgspec.Struct, frozen=True):
    """What a job's owner decides. None leaves the decision to the scraper's site and to the table of kinds.

    `tiers` is the ladder that items climb, the cheapest way first. The budget is over all attempts of the job.
    `keep_captures_days` after its end its pages and files may be removed; None leaves that to the settings.
    """

    priority: int = 5
    order: Order = Order.RANDOM
    rate: float | None = None
    concurrency: int | None = None
    window: Window | None = None
    attempts: int | None = None
    deadline: float = 120.0
    backoff_cap: float = 900.0
    tiers: tuple[str, ...] | None = None
    stop_at_usd: float | None = None
    stop_at_gb: float | None = None
    breaker: BreakerPolicy = BreakerPolicy()
    keep_captures_days: float | None = None
