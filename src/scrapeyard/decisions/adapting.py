"""How fast a site is worked, by how it answers: down to what it bears when a share of its answers asks us to slow down,
eased when it grows slow, and given back little by little while all is well.

What counts is what the site says and how long it takes. Errors never speed us up, however fast they come: a site that
refuses everything within a millisecond is not a site with time to spare. The share that complained tells what the site
bears; the way back is slow around that and quick below and above it, so that the pace stays near a true limit
and is soon whole again where there is none any more.
"""

import math
from enum import StrEnum

import msgspec

from scrapeyard.decisions.complaints import NO_COMPLAINTS, Complaints
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
"""The most that a share of complaints takes at once, and what slowness takes."""
_BELOW = 0.95
"""After a complaint: so much of what the site seems to bear."""
_NEAR, _NEAR_SECONDS = (0.9, 1.1), 30.0
"""What is near to that, and how long it takes to come through there."""
_GROWS = 12.0
"""Seconds in which a small share may double and a little more."""
_BY_DEGREES = 15.0
"""Seconds without a complaint after which the next one comes of having gone a little too far."""
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
    `complaints` are those that piled up since the last cut; `bears` is the share that the site seems to bear, or 0.
    """

    at: float
    share: float = 1.0
    because: Because | None = None
    cut: float = -math.inf
    deaf_until: float = -math.inf
    free: float = 0.0
    usual: float = 0.0
    recent: float = 0.0
    seen: int = 0
    flow: float = 0.0
    wait_until: float = -math.inf
    crawl_delay: float | None = None
    complaints: Complaints = NO_COMPLAINTS
    bears: float = 0.0

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
    if answers.crawl_delay is not None:
        pace = msgspec.structs.replace(pace, crawl_delay=answers.crawl_delay or None)
    if now < pace.deaf_until:  # these were asked for before the cut
        if pace.because is Because.ASKED:
            pace = _waiting(pace, answers.retry_after, now)
        return msgspec.structs.replace(pace, complaints=NO_COMPLAINTS)
    good = answers.good + answers.proxied
    complaints = pace.complaints.plus(good + answers.bad, answers.throttled, answers.retry_after)
    if complaints.heavy:
        return _waiting(_borne(pace, complaints, now), complaints.wait, now)
    pace = msgspec.structs.replace(pace, complaints=complaints)
    if is_slow(pace):
        return _slower(pace, now)
    if good and not answers.throttled and now - pace.cut >= CALM and pace.share < 1:
        share = pace.share + min(elapsed, 1.0) * _climb(pace)
        if share >= 1:
            return msgspec.structs.replace(pace, share=1.0, because=None, free=0.0, bears=0.0)
        return msgspec.structs.replace(pace, share=share)
    return pace


def is_slow(pace: Pace) -> bool:
    """Whether the site takes much longer than it usually does."""
    return pace.seen >= _SAMPLE and pace.recent > _TIMES * pace.usual and pace.recent - pace.usual > _SECONDS


def _borne(pace: Pace, complaints: Complaints, now: float) -> Pace:
    """Down to a little less than the part that got its answer, but by half at most: who refuses everything for a while
    need not bear nothing."""
    kept = 1 - complaints.share
    if pace.because is Because.ASKED and now - pace.cut > _BY_DEGREES:
        kept = max(kept, _NEAR[0])  # it was well a moment ago, so it may count what it refuses too
    bears = 0.0 if kept < _CUT else pace.share * kept
    share = pace.share * max(_BELOW * kept, _CUT)
    pace = msgspec.structs.replace(pace, because=Because.ASKED, bears=bears, complaints=NO_COMPLAINTS)
    return _cut(pace, share, LEAST, now)


def _slower(pace: Pace, now: float) -> Pace:
    """Less, because it takes longer; of two complaints the one that was first is the better reason."""
    because = Because.ASKED if pace.because is Because.ASKED else Because.SLOW
    return _cut(msgspec.structs.replace(pace, because=because), pace.share * _EASED, LEAST_SLOW, now)


def _cut(pace: Pace, share: float, least: float, now: float) -> Pace:
    share = min(pace.share, max(share, least))
    deaf = now + _REACTS + min(pace.recent, CALM)
    return msgspec.structs.replace(pace, share=share, cut=now, deaf_until=deaf, free=pace.free or max(pace.flow, 1.0))


def _waiting(pace: Pace, wait: float | None, now: float) -> Pace:
    if wait is None:
        return pace
    return msgspec.structs.replace(pace, wait_until=max(pace.wait_until, now + min(max(wait, 0.0), LONGEST_WAIT)))


def _climb(pace: Pace) -> float:
    """How much of the whole rate comes back in a second."""
    low, high = _NEAR
    if low * pace.bears <= pace.share < high * pace.bears:
        return min(1 / BACK, pace.bears * (high - low) / _NEAR_SECONDS)
    return min(1 / BACK, pace.share / _GROWS)


def _timed(pace: Pace, answers: Answers, elapsed: float, now: float) -> Pace:
    """Latency and flow brought up to date. What failed counts only if it took longer than an answer does."""
    count = answers.good + answers.bad + answers.throttled + answers.proxied
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
