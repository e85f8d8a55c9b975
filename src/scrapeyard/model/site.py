"""A site as its visitors together see it: what it allows, who visits it, which ways to it work, and who holds it shut.

What a person says of a site lies in the ledger under the site's name, so that every controller can say it and every
dispatcher finds it.
"""

from urllib.parse import quote, unquote

import msgspec

from scrapeyard.model.gate import WayView
from scrapeyard.model.policy import Window
from scrapeyard.model.states import JobState

SAID = "site/"
"""Where that lies: `site/hold/…` while somebody holds it, `site/release/…` when it was last let go."""
SEEN = "proxies/seen"
"""Where the dispatcher writes down how proxies fared."""


class Hold(msgspec.Struct, frozen=True):
    """A person holds a site: nothing starts there."""

    reason: str
    by: str
    since: float


class SiteJob(msgspec.Struct, frozen=True):
    """A job that is not finished and visits the site, with its ways there."""

    id: str
    name: str
    state: JobState
    ways: tuple[WayView, ...] = ()


class SiteView(msgspec.Struct, frozen=True):
    """One site. `rate` is requests a second and `concurrency` items at once, over all jobs; null is no limit."""

    name: str
    rate: float | None = None
    concurrency: int | None = None
    window: Window | None = None
    scrapers: tuple[str, ...] = ()
    jobs: tuple[SiteJob, ...] = ()
    hold: Hold | None = None


class ProxyView(msgspec.Struct, frozen=True):
    """How one proxy has fared lately: tries, how many brought an answer, what the others failed of, and the last."""

    proxy: str
    tries: int = 0
    good: int = 0
    failed: dict[str, int] = {}
    last: float = 0.0
    kind: str | None = None


def hold_place(site: str) -> str:
    """The name of the memo that holds a site."""
    return f"{SAID}hold/{quote(site, safe='')}"


def release_place(site: str) -> str:
    """The name of the memo that says when a site was let go."""
    return f"{SAID}release/{quote(site, safe='')}"


def said_of(place: str) -> tuple[str, str]:
    """What is said by a memo of that name, and of which site."""
    what, _, site = place.removeprefix(SAID).partition("/")
    return what, unquote(site)
