"""How fast each site is worked now, over all jobs and workers: by what it allows, and by how it answers.

Workers report how sites answered; here that becomes one pace for each, which the permits and the starts obey, and a
sentence for people. A new leader knows nothing of it: it begins at what is allowed, and the site tells it again.
"""

import structlog

from scrapeyard.decisions.adapting import Because, Pace, heard
from scrapeyard.decisions.gates import lasting, rate_words
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.gate import ClosedGate, GateName

log = structlog.get_logger(__name__)

_FORGET = 6 * 3600.0
_MOST = 10_000


class Paces:
    """The paces of all sites that were heard of lately."""

    def __init__(self) -> None:
        self._paces: dict[str, Pace] = {}

    def hear(self, report: WorkerReport, now: float) -> None:
        """A report has come."""
        for site, answers in report.answers.items():
            before = self._paces.get(site) or Pace(now)
            pace = self._paces[site] = heard(before, answers, now)
            if pace.because is not before.because:
                _tell(site, pace)
        if len(self._paces) > _MOST:
            self._paces = {site: pace for site, pace in self._paces.items() if now - pace.at < _FORGET}

    def rate(self, site: str, allowed: float | None) -> float | None:
        """Requests a second, where so many are allowed."""
        pace = self._paces.get(site)
        return allowed if pace is None else pace.rate(allowed)

    def wait(self, site: str, now: float) -> float:
        """Seconds for which the site asked to be left alone."""
        pace = self._paces.get(site)
        return 0.0 if pace is None else max(0.0, pace.wait_until - now)

    def gate(self, site: str, allowed: float | None, now: float) -> ClosedGate | None:
        """Why the site is asked less than it allows, if it is."""
        pace = self._paces.get(site)
        rate = None if pace is None else pace.rate(allowed)
        if pace is None or rate is None or rate == allowed:
            return None
        usual = "" if allowed is None else f" instead of {rate_words(allowed)}"
        reason = f"The site {site} is slowed to {rate_words(rate)}{usual}, because {_why(pace, rate, now)}."
        return ClosedGate(GateName.SITE_SLOWED, reason)


def _tell(site: str, pace: Pace) -> None:
    """Leave a word in the log when a site is slowed, and when it has its whole rate again."""
    if pace.because is None:
        log.info("site has its whole rate again", site=site)
    else:
        log.warning("site is slowed", site=site, because=str(pace.because), usual=pace.usual, recent=pace.recent)


def _why(pace: Pace, rate: float, now: float) -> str:
    if pace.crawl_delay is not None and rate >= 1 / pace.crawl_delay:
        return f"its robots.txt asks for {pace.crawl_delay:g} s between two requests"
    since = lasting(now - pace.cut)
    if pace.because is Because.ASKED:
        return f"it asked us to slow down {since} ago; while it answers well, it gets a little more each second"
    return f"its answers took {pace.recent:.1f} s {since} ago instead of {pace.usual:.1f} s"
