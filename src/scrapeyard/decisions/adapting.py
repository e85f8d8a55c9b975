"""How fast a site is worked, by how it answers: halved when it asks us to slow down, eased when it grows slow, and
given back little by little while all is well.

What counts is what the site says and how long it takes. Errors never speed us up, however fast they come: a site that
refuses everything within a millisecond is not a site with time to spare.
"""

import math
from enum import StrEnum

import msgspec

from scrapeyard.model.fleet import Answers

LEAST = 1 / 64
"""The smallest share of its rate that a site is left with when it asks for less again and again."""
LEAST_SLOW = 0.1
"""The same for a site that is only slow: it is not stopped for that."""
BACK = 60.0
"""Seconds of good answers in which the whole rate comes back."""
CALM = 5.0
"""Seconds after a cut before any of it does."""
LONGEST_WAIT = 3600.0
"""The longest wait that a site's Retry-After is granted at once."""
_CUT, _EASED = 0.5, 0.85
_REACTS = 2.0
"""Seconds in which the answers that still come are those to requests of before the cut."""
_SAMPLE = 40
"""Good answers that make a usual latency; from then on it follows within minutes."""
_TIMES, _SECONDS = 3.0, 0.3
"""How much slower than usual is slow: both, so that neither jitter nor a fast site's hiccup is taken for it."""
_USUAL, _RECENT, _FLOW = 300.0, 0.95, 3.0
"""Seconds over which the usual latency is taken; how much of the recent one stays with each answer; seconds of flow."""


class Because(StrEnum):
    """Why a site is worked more slowly than it may be."""

    ASKED = "asked"
    SLOW = "slow"


class Pace(msgspec.Struct, frozen=True):
    """What is known of a site's pace. `share` is the part of its rate that it is asked for now.

    `free` stands in for the rate of a site that has none: as many requests a second as it was asked when it first
    complained. `usual` and `recent` are seconds to an answer over `seen` good ones; `flow` is answers a second.
    Nothing is asked before `wait_until`. `crawl_delay` is what the site's robots.txt wants between two requests.
    """

    at: float
    share: float = 1.0
    because: Because | None = None
    cut: float = -math.inf
    free: float = 0.0
    usual: float = 0.0
    recent: float = 0.0
    seen: int = 0
    flow: float = 0.0
    wait_until: float = -math.inf
    crawl_delay: float | None = None

    def rate(self, allowed: float | None) -> float | None:
        """Requests a second where so many are allowed; None is no limit."""
        if self.share < 1:
            allowed = self.share * (self.free if allowed is None else allowed)
        if self.crawl_delay is not None:
            allowed = min(1 / self.crawl_delay, math.inf if allowed is None else allowed)
        return allowed

    def waits(self, now: float) -> bool:
        """Whether the site asked to be left alone for now."""
        return now < self.wait_until


def heard(pace: Pace, answers: Answers, now: float) -> Pace:
    """The pace after these answers came, all since the last time."""
    elapsed = max(now - pace.at, 0.001)
    pace = _timed(pace, answers, elapsed, now)
    if answers.retry_after is not None:
        until = now + min(max(answers.retry_after, 0.0), LONGEST_WAIT)
        pace = msgspec.structs.replace(pace, wait_until=max(pace.wait_until, until))
    if answers.crawl_delay is not None:
        pace = msgspec.structs.replace(pace, crawl_delay=answers.crawl_delay or None)
    if answers.throttled:
        return _cut(pace, Because.ASKED, _CUT, LEAST, now)
    if is_slow(pace):
        return _cut(pace, Because.SLOW, _EASED, LEAST_SLOW, now)
    if answers.good and now - pace.cut >= CALM and pace.share < 1:
        share = pace.share + min(elapsed, 1.0) / BACK
        if share >= 1:
            return msgspec.structs.replace(pace, share=1.0, because=None, free=0.0)
        return msgspec.structs.replace(pace, share=share)
    return pace


def is_slow(pace: Pace) -> bool:
    """Whether the site takes much longer than it usually does."""
    return pace.seen >= _SAMPLE and pace.recent > _TIMES * pace.usual and pace.recent - pace.usual > _SECONDS


def _cut(pace: Pace, because: Because, factor: float, least: float, now: float) -> Pace:
    """Less, but not again for what was asked before the last cut."""
    if now - pace.cut < _REACTS + min(pace.recent, CALM):
        return pace
    if because is Because.SLOW and pace.because is Because.ASKED and pace.share < 1:
        because = Because.ASKED  # the first complaint is the better reason
    share = min(pace.share, max(pace.share * factor, least))
    free = pace.free or max(pace.flow, 1.0)
    return msgspec.structs.replace(pace, share=share, because=because, cut=now, free=free)


def _timed(pace: Pace, answers: Answers, elapsed: float, now: float) -> Pace:
    """Latency and flow brought up to date. What failed counts only if it took longer than an answer does."""
    count = answers.good + answers.bad + answers.throttled
    weight = 1 - math.exp(-elapsed / _FLOW)
    flow = pace.flow + weight * (count / elapsed - pace.flow)
    recent, usual, seen = pace.recent, pace.usual, pace.seen
    if answers.good:
        mean = answers.good_seconds / answers.good
        seen = min(pace.seen + answers.good, _SAMPLE)
        recent = recent + (1 - _RECENT**answers.good) * (mean - recent) if pace.seen else mean
        learned = answers.good / seen if seen < _SAMPLE else 1 - math.exp(-elapsed / _USUAL)
        usual = usual + learned * (mean - usual) if pace.seen else mean
    if answers.bad and seen:
        mean = answers.bad_seconds / answers.bad
        recent = max(recent, recent + (1 - _RECENT**answers.bad) * (mean - recent))
    return msgspec.structs.replace(pace, at=now, flow=flow, recent=recent, usual=usual, seen=seen)
