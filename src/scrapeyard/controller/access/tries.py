"""How many wrong keys an address may try: enough for a slip of the hand, too few for a search.

Each controller counts for itself. A key has 256 bits, so this guards logs and sleep rather than keys.
"""

from collections import OrderedDict

from scrapeyard.decisions.pacing import Bucket

_PER_MINUTE = 10
_REMEMBERED = 10_000


class Tries:
    """Wrong keys by address."""

    def __init__(self, per_minute: int = _PER_MINUTE) -> None:
        self._rate = per_minute / 60
        self._most = float(per_minute)
        self._left: OrderedDict[str, Bucket] = OrderedDict()

    def wait(self, address: str, now: float) -> float:
        """Seconds until this address may try again; 0 if it may now."""
        known = self._left.get(address)
        return 0.0 if known is None else known.filled(now).wait()

    def wrong(self, address: str, now: float) -> None:
        """It tried a wrong one."""
        known = self._left.pop(address, None) or Bucket(self._rate, self._most, now, seconds=60.0)
        self._left[address] = known.filled(now).spent(1)
        if len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
