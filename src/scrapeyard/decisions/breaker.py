"""Does this way still work? Arithmetic with a stated error rate, over outcomes in random order.

A counted failure adds two to a score, a success takes one off it, it never falls below nothing, and at forty the
breaker trips: a site where a quarter fails is let alone, one where more than a third fails is stopped. What a breaker
then does needs no person: it waits, lets a few probes through, and opens up in four steps. How seldom it errs and how
soon it sees a break is worked out exactly in docs/reference/breaker.md, from these very numbers.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from scrapeyard.decisions.marks import FAILURE, Mark
from scrapeyard.decisions.retry import RETRY_AFTER_CAP
from scrapeyard.model.breaker import HOPELESS, Breaker, Cause, Phase, Told
from scrapeyard.model.policy import BreakerPolicy, OnTrip

JITTER = 0.2
GIVE_UP = 6
"""Probings in a row that fail before a person is asked."""
AT_ONCE = 5
"""Items at once while it is not known whether it works."""
RAMP = (0.1, 0.25, 0.5, 1.0)
"""Shares of the usual room after a recovery."""
RAMP_OUTCOMES = 50
COHORT = 30
"""Further items that are asked when neighbours fail together."""
COHORT_STOP = 15
REFUSED_SHARE = 0.2
DENIED_STOP = 5

_PATIENCE = 3
"""Where most of a list is absent, a sample takes so many times its size before it is judged by what there is."""
_HALF = 0.5
"""The share of absent items that is believed possible of a list of which nothing is known."""
_SPEAKING = frozenset({Told.GOOD, Told.UNREADABLE, Told.BAD, Told.HALF})
_SCORED = frozenset({Cause.FAILURES, Cause.STREAK, Cause.FINALS, Cause.RETRIES})
_NO_STREAKS: dict[str, int] = {}
_WEIGHTS = {Told.BAD: FAILURE, Told.HALF: FAILURE // 2}


class Occasion(msgspec.Struct, frozen=True):
    """When a breaker is asked, and under which rules. `luck`, a number in [0, 1), is for the jitter.

    `listed` says that items start in the order of their list, `retry_after` is the longest wait, in seconds, that the
    site asked for lately, `left` how many items are not done, if that is known, and `usual` what
    share of the probes has to be expected to fail, where those that failed before are all that is left.
    """

    now: float
    luck: float = 0.5
    rules: BreakerPolicy = BreakerPolicy()
    listed: bool = False
    retry_after: float = 0.0
    left: int | None = None
    usual: float = 0.0


def begin(occasion: Occasion, *, epoch: int = 0, left: int | None = None) -> Breaker:
    """A breaker of which nothing is known yet. A list no longer than the canary would gain nothing by one."""
    size = occasion.rules.canary
    careful = size > 0 and (left is None or left > size)
    return Breaker(Phase.CANARY if careful else Phase.CLOSED, epoch + 1, occasion.now)


def hear(breaker: Breaker, marks: Sequence[Mark], occasion: Occasion) -> Breaker:
    """Take outcomes in, in the order in which they came."""
    used = 0
    while used < len(marks):
        match breaker.phase:
            case Phase.OPEN:
                break  # what comes now was begun before
            case Phase.CLOSED:
                breaker, used = _watch(breaker, marks, used, occasion)
            case Phase.CANARY | Phase.SUSPECT | Phase.PROBING | Phase.RAMP:
                breaker, used = _weigh(breaker, marks[used], occasion), used + 1
    return breaker


def trip(breaker: Breaker, cause: Cause, occasion: Occasion) -> Breaker:
    """Close the way, or slow it down where the owner wants that."""
    slow = occasion.rules.on_trip is OnTrip.SLOW and cause not in HOPELESS
    again = breaker.phase in (Phase.PROBING, Phase.RAMP) and not slow
    probings = GIVE_UP if cause in HOPELESS else breaker.probings + again
    tripped = msgspec.structs.replace(breaker, score=0, run=0, streaks={}, probings=probings, cause=cause)
    if slow:
        return _turned(tripped, Phase.RAMP, occasion)
    waits = occasion.rules.open_times
    pause = waits[min(probings, len(waits) - 1)] * (1 + JITTER * (2 * occasion.luck - 1))
    until = occasion.now + max(pause, min(occasion.retry_after, RETRY_AFTER_CAP))
    return _turned(tripped, Phase.OPEN, occasion, until)


def tick(breaker: Breaker, occasion: Occasion) -> Breaker:
    """Let time pass: when an open breaker's time is over, probes may go through. What the owner has switched off
    meanwhile holds nothing up any more."""
    if breaker.cause in _SCORED and not occasion.rules.trip and breaker.phase is not Phase.CLOSED:
        return _turned(msgspec.structs.replace(breaker, probings=0, cause=None), Phase.CLOSED, occasion)
    if breaker.phase is Phase.CANARY and not occasion.rules.canary:
        return _turned(breaker, Phase.CLOSED, occasion)
    if breaker.phase is Phase.OPEN and breaker.until is not None and occasion.now >= breaker.until:
        return _turned(breaker, Phase.PROBING, occasion)
    return breaker


def given_up(breaker: Breaker, rules: BreakerPolicy) -> bool:
    """Whether it has been tried as often as the owner wants, so that the job should not go on by itself."""
    return breaker.phase is Phase.OPEN and (breaker.probings >= GIVE_UP or rules.on_trip is OnTrip.FAIL)


def room(breaker: Breaker, usual: int) -> int | None:
    """How many items may be under way on this way; None leaves it to the other gates. `usual` is what they allow."""
    match breaker.phase:
        case Phase.CLOSED:
            return None
        case Phase.OPEN:
            return 0
        case Phase.CANARY | Phase.PROBING:
            return AT_ONCE
        case Phase.SUSPECT:
            return COHORT
        case Phase.RAMP:
            return max(AT_ONCE, round(usual * RAMP[breaker.step]))


def failures(breaker: Breaker) -> float:
    """The counted failures of the present phase; what counts half is half."""
    return sum(weight * breaker.counts.get(told, 0) for told, weight in _WEIGHTS.items()) / FAILURE


def absents_allowed(share: float, size: int) -> int:
    """How many of so many probes may be absent where `share` of all items is: more come by chance once in twenty."""
    left, term, allowed = 1.0, (1 - share) ** size, 0
    while left - term > 0.05 and allowed < size:
        left -= term
        term *= (size - allowed) / (allowed + 1) * share / (1 - share)
        allowed += 1
    return allowed


def _watch(breaker: Breaker, marks: Sequence[Mark], used: int, occasion: Occasion) -> tuple[Breaker, int]:
    """A breaker that lets everything through."""
    listed, trip_at = occasion.listed, occasion.rules.trip
    limit = trip_at // 2 if listed else trip_at
    scored, used, cause = _scored(breaker, islice(marks, used, None), used, limit)
    if cause is Cause.FAILURES and listed:
        return _turned(scored, Phase.SUSPECT, occasion), used
    return (scored, used) if cause is None else (trip(scored, cause, occasion), used)


def _scored(breaker: Breaker, marks: Iterable[Mark], used: int, limit: int) -> tuple[Breaker, int, Cause | None]:
    """The running score. This loop is nearly all that a healthy job asks of a breaker, so it is plain and quick."""
    score, run, cause = breaker.score, breaker.run, None
    streaks: dict[str, int] = breaker.streaks
    for mark in marks:
        used += 1
        if points := mark.points:
            score += points
            run += 1
            if score <= 0:
                score = run = 0
            if points < 0:
                if streaks:
                    streaks = _NO_STREAKS
            elif score >= limit > 0:
                cause = Cause.FAILURES
                break
            elif mark.streak:
                streaks = {**streaks, mark.kind: streaks.get(mark.kind, 0) + 1}
                if streaks[mark.kind] >= mark.streak and limit:
                    cause = Cause.STREAK
                    break
    return msgspec.structs.replace(breaker, score=score, run=run, streaks=streaks), used, cause


def _weigh(breaker: Breaker, mark: Mark, occasion: Occasion) -> Breaker:
    """One outcome in a phase that judges a sample."""
    if breaker.phase in (Phase.PROBING, Phase.SUSPECT):
        if not mark.probe:
            return breaker  # begun before, or beside the sample
    else:
        limit = occasion.rules.trip // (2 if breaker.phase is Phase.RAMP else 1)
        breaker, _, cause = _scored(breaker, (mark,), 0, limit)
        if cause is Cause.FAILURES and occasion.listed and breaker.phase is Phase.RAMP:
            return _turned(breaker, Phase.SUSPECT, occasion)
        if cause is not None:
            return trip(breaker, cause, occasion)
    if mark.told is Told.NOTHING:
        return breaker
    counts = {**breaker.counts, mark.told: breaker.counts.get(mark.told, 0) + 1}
    speaks = mark.told in _SPEAKING or (mark.told is Told.ABSENT and breaker.absent_share is not None)
    return _VERDICTS[breaker.phase](
        msgspec.structs.replace(breaker, seen=breaker.seen + speaks, counts=counts), occasion
    )


def _canary(breaker: Breaker, occasion: Occasion) -> Breaker:
    rules, count = occasion.rules, breaker.counts.get
    asked = sum(breaker.counts.values())
    good, unreadable = count(Told.GOOD, 0), count(Told.UNREADABLE, 0)
    cause: Cause | None = None
    if failures(breaker) >= rules.canary_stop:
        cause = Cause.CANARY
    elif count(Told.DENIED, 0) >= DENIED_STOP:
        cause = Cause.DENIED
    elif count(Told.REFUSED, 0) > REFUSED_SHARE * rules.canary:
        cause = Cause.REFUSED
    elif rules.absents and count(Told.ABSENT, 0) == asked >= rules.canary:
        cause = Cause.ALL_ABSENT
    elif breaker.seen < rules.canary and asked < _PATIENCE * rules.canary:
        return breaker
    elif good < rules.readable * (good + unreadable):
        cause = Cause.UNREADABLE
    if cause is None:
        return _turned(breaker, Phase.CLOSED, occasion)
    stopped = trip(breaker, cause, occasion)
    return msgspec.structs.replace(stopped, absent_share=_HALF) if cause is Cause.ALL_ABSENT else stopped


def _probing(breaker: Breaker, occasion: Occasion) -> Breaker:
    """The verdict falls as soon as the probes that are missing cannot change it."""
    bad, share = failures(breaker), breaker.absent_share
    size, close_at = _probes(breaker, occasion), occasion.rules.close_at
    usual = max(breaker.usual, occasion.usual)
    if usual:
        close_at = max(close_at, absents_allowed(usual, size))
    absent = 0 if share is None else breaker.counts.get(Told.ABSENT, 0)
    allowed = size if share is None else absents_allowed(share, size)
    if bad > close_at or absent > allowed:
        return trip(breaker, breaker.cause or Cause.FAILURES, occasion)
    missing = max(0, size - breaker.seen)
    undecided = bad + missing > close_at or absent + missing > allowed
    if undecided and sum(breaker.counts.values()) < _PATIENCE * size:
        return breaker
    fresh = msgspec.structs.replace(breaker, score=0, run=0, streaks={}, absent_share=None, usual=0.0)
    return _turned(fresh, Phase.RAMP, occasion)


def _probes(breaker: Breaker, occasion: Occasion) -> int:
    """How many probes make a verdict. Where less is left than that, all of it does: it will not become more."""
    if occasion.left is None:
        return occasion.rules.probes
    ended = sum(breaker.counts.get(told, 0) for told in (Told.GOOD, Told.UNREADABLE, Told.ABSENT))
    return max(1, min(occasion.rules.probes, occasion.left + ended))


def _suspect(breaker: Breaker, occasion: Occasion) -> Breaker:
    if failures(breaker) >= COHORT_STOP:
        return trip(breaker, Cause.FAILURES, occasion)
    if breaker.seen < COHORT and sum(breaker.counts.values()) < _PATIENCE * COHORT:
        return breaker
    return _turned(msgspec.structs.replace(breaker, score=0, run=0, streaks={}), Phase.CLOSED, occasion)


def _ramp(breaker: Breaker, occasion: Occasion) -> Breaker:
    if breaker.seen < RAMP_OUTCOMES and sum(breaker.counts.values()) < _PATIENCE * RAMP_OUTCOMES:
        return breaker
    if breaker.step + 1 < len(RAMP):
        return msgspec.structs.replace(breaker, step=breaker.step + 1, seen=0, counts={})
    return _turned(msgspec.structs.replace(breaker, probings=0, cause=None), Phase.CLOSED, occasion)


_VERDICTS = {Phase.CANARY: _canary, Phase.PROBING: _probing, Phase.SUSPECT: _suspect, Phase.RAMP: _ramp}


def _turned(breaker: Breaker, phase: Phase, occasion: Occasion, until: float | None = None) -> Breaker:
    """The breaker in another phase, of which nothing has been seen yet."""
    return msgspec.structs.replace(
        breaker, phase=phase, epoch=breaker.epoch + 1, since=occasion.now, until=until, seen=0, counts={}, step=0
    )
