"""Everything in the county is made up, yet the same seed must make up the same thing everywhere.

`random.Random` costs ten microseconds to seed, which is more than a whole parcel may cost, so this is a small
generator of its own: a hash of the parts is the starting state, a multiplication and two shifts the next number.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


def fingerprint(*parts: object) -> int:
    """64 bits that depend on every part and on their order, the same on every machine."""
    text = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def share(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts only: below a rate means the die fell that way."""
    return fingerprint(*parts) / 2**64


class Dice:
    """A stream of numbers that depends on the parts it was made from and on nothing else."""

    __slots__ = ("_state",)

    def __init__(self, *parts: object) -> None:
        self._state = fingerprint(*parts)

    def below(self, limit: int) -> int:
        """A whole number from 0 up to, not including, the limit."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) & _MASK
        mixed = self._state ^ (self._state >> 29)
        return ((mixed * 0xBF58476D1CE4E5B9 & _MASK) >> 24) % limit

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[self.below(len(choices))]

    def happens(self, percent: int) -> bool:
        """True in so many cases of a hundred."""
        return self.below(100) < percent
