"""Does the site say "no such record" too often? That is how a dead session looks, and no failure ever tells of it.

What share of a list is rightly absent nobody knows beforehand, so it is learned from the first hundred answers. After
that a running sum of likelihood ratios compares that share with a much larger one: an absent item adds, a found one
takes off, and when the sum is as large as the logarithm of a thousand million the larger share is believed. By the
martingale's inequality a list of a million whose share is no larger than was learned is stopped in vain at most once
in a thousand. Where known-good items are given, half of that sum is enough to go and ask them.
"""

from collections.abc import Iterable
from math import log

import msgspec

from scrapeyard.decisions.marks import Mark
from scrapeyard.decisions.progress import wilson
from scrapeyard.model.breaker import Told

LEARN = 100
"""Answers from which the usual share is learned."""
LEAST_SHARE = 0.10
BROKEN_SHARE = 0.60
"""The least share that is held for a break."""
ALARM = log(1_000_000 / 0.001)
_CERTAIN = 0.98
"""Where so much is rightly absent, more of it says nothing."""
_FOUND = frozenset({Told.GOOD, Told.UNREADABLE})


class Absents(msgspec.Struct, frozen=True):
    """What is known of absent items on one way. `since` is the moment from which the sum has risen."""

    found: int = 0
    absent: int = 0
    share: float | None = None
    total: float = 0.0
    since: float = 0.0

    @property
    def alarming(self) -> bool:
        """Whether the share is believed to be wrong."""
        return self.total >= ALARM

    @property
    def suspicious(self) -> bool:
        """Whether it is worth asking for something that is known to be there."""
        return self.total >= ALARM / 2

    def calmed(self) -> "Absents":
        """The same, with what was suspected taken back."""
        return msgspec.structs.replace(self, total=0.0)


def hear(absents: Absents, marks: Iterable[Mark], now: float) -> Absents:
    """Take answers in, whichever try they were."""
    for mark in marks:
        if mark.told is Told.ABSENT:
            absents = heard(absents, now, absent=True)
        elif mark.told in _FOUND:
            absents = heard(absents, now, absent=False)
    return absents


def learned(absent: int, size: int) -> float:
    """The share that is taken as usual after so many of so many were absent: rather too much than too little."""
    return max(LEAST_SHARE, wilson(absent, size).high)


def step(usual: float, *, absent: bool) -> float:
    """What one answer adds to the sum."""
    broken = max(BROKEN_SHARE, (1 + usual) / 2)
    return log(broken / usual) if absent else log((1 - broken) / (1 - usual))


def heard(absents: Absents, now: float, *, absent: bool) -> Absents:
    """One answer. It need not be about absence: whatever has a usual share that may rise can be watched like this."""
    if absents.share is None:
        found, missing = absents.found + (not absent), absents.absent + absent
        size = found + missing
        return Absents(found, missing, learned(missing, size) if size >= LEARN else None, since=now)
    if absents.share >= _CERTAIN:
        return absents
    total = absents.total + step(absents.share, absent=absent)
    if total <= 0:
        return msgspec.structs.replace(absents, total=0.0, since=now) if absents.total else absents
    since = absents.since if absents.total else now
    return msgspec.structs.replace(absents, total=total, since=since)
