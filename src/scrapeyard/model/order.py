"""In which order a job's items start: a keyed permutation of their sequence numbers.

Breaker statistics need a random sample and neighbours in a list fail together, so items start in random
order. Storing a random order would make every index random and slow; so nothing is stored: a small Feistel
network maps the 0th, 1st, 2nd … start to a sequence number, and the ledger only remembers how far it has come.
"""

import msgspec

from scrapeyard.model.policy import Order

_ROUNDS = 4
_MIX = 0x9E3779B97F4A7C15
_WORD = 0xFFFFFFFFFFFFFFFF


class Permutation(msgspec.Struct, frozen=True):
    """A bijection of 0 … total−1, decided by `key`; the identity in list order."""

    total: int
    key: int
    order: Order = Order.RANDOM

    def window(self, start: int, count: int) -> list[int]:
        """The sequence numbers of the starts `start` … `start+count−1`, as far as there are any."""
        stop = min(start + count, self.total)
        if self.order is Order.LIST:
            return list(range(start, stop))
        half = max(1, (max(self.total - 1, 1).bit_length() + 1) // 2)
        keys = [(self.key + turn * _MIX) & _WORD for turn in range(_ROUNDS)]
        return [self._place(step, half, keys) for step in range(start, stop)]

    def _place(self, step: int, half: int, keys: list[int]) -> int:
        """Walk the network until it lands inside the range; its domain is less than four times as large."""
        mask = (1 << half) - 1
        while True:
            left, right = step >> half, step & mask
            for key in keys:
                mixed = ((right ^ key) * _MIX) & _WORD
                left, right = right, left ^ ((mixed ^ (mixed >> 29)) >> 17) & mask
            step = (left << half) | right
            if step < self.total:
                return step
