"""How many requests, or starts, fit into a rate: a token bucket as a value, and its fair division.

A bucket holds at most half a second's worth, so that in any ten seconds no more than 1.05 times the rate
passes, and a new one is empty, so that a change of leadership gives nobody a second helping.
"""

from collections.abc import Mapping

import msgspec

BURST_SECONDS = 0.5
_HAIR = 1e-6
"""Sums of many small steps are never exact; a hair's breadth below one token is one."""


class Bucket(msgspec.Struct, frozen=True):
    """Tokens at a moment; it holds `seconds` worth of them, but always `least`: below one it could never be spent."""

    rate: float
    tokens: float
    at: float
    seconds: float = BURST_SECONDS
    least: float = 1.0

    @property
    def burst(self) -> float:
        """The most that it holds."""
        return max(self.least, self.rate * self.seconds)

    def filled(self, now: float) -> "Bucket":
        """The bucket as it is now. A clock that went back adds nothing and takes nothing."""
        gained = max(0.0, now - self.at) * self.rate
        return Bucket(self.rate, min(self.burst, self.tokens + gained), now, self.seconds, self.least)

    def spent(self, count: int) -> "Bucket":
        """The bucket after `count` tokens were taken out."""
        return Bucket(self.rate, self.tokens - count, self.at, self.seconds, self.least)

    def tuned(self, rate: float) -> "Bucket":
        """The same bucket at another rate, holding no more than that allows."""
        tuned = Bucket(rate, self.tokens, self.at, self.seconds, self.least)
        return Bucket(rate, min(self.tokens, tuned.burst), self.at, self.seconds, self.least)

    @property
    def whole(self) -> int:
        """How many can be taken now."""
        return self.beyond(0.0)

    def beyond(self, kept: float) -> int:
        """How many can be taken now if that part of one is to stay."""
        return max(0, int(self.tokens - kept + _HAIR))

    def wait(self, count: int = 1) -> float:
        """Seconds until `count` tokens are there, or as many as it can hold."""
        return max(0.0, (min(count, self.burst) - self.tokens) / self.rate)


def empty(rate: float, now: float, seconds: float = BURST_SECONDS, least: float = 1.0) -> Bucket:
    """A new bucket."""
    return Bucket(rate, 0.0, now, seconds, least)


def divide(tokens: int, wanted: Mapping[str, int], turn: int = 0) -> dict[str, int]:
    """Give out tokens: nobody more than they want, nobody less than an equal share of what is scarce.

    What does not divide goes to the claimants in a circle that begins at `turn`.
    """
    names = sorted(name for name, count in wanted.items() if count > 0)
    given = dict.fromkeys(names, 0)
    open_to = list(names)
    while open_to and tokens >= len(open_to):
        share = tokens // len(open_to)
        for name in open_to:
            part = min(share, wanted[name] - given[name])
            given[name] += part
            tokens -= part
        open_to = [name for name in open_to if given[name] < wanted[name]]
    for place in range(min(tokens, len(open_to))):
        given[open_to[(turn + place) % len(open_to)]] += 1
    return {name: count for name, count in given.items() if count}
