"""How many items of one job are under way, known between two looks at the ledger.

The ledger's counters are exact, but an outcome is in them only once it is committed, and a limit of eight items
at once must not wait for that. Workers tell outcomes at once, but may be lost before they do, or their report
is. So both are used: the offers that were made, less the outcomes that were told, and never more than the ledger
has. What is missing from the ledger for seconds on end is a ghost, and is forgotten.

Of each it is known on which way it was sent, because a breaker lets only a few at once go by a way that it doubts.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice

_LOOKS = 4
"""Counts in a row in which an item must be too many before it is taken for a ghost."""
_TRANSIT = 5.0
"""Seconds within which the news of an outcome arrives, if it ever does."""


@dataclass(slots=True)
class Out:
    """One item under way. `probe`, `final_probe` and `site_probe` are the epochs of the breakers that it probes for: of
    its way, of the whole job and of its site (0: of none). `ran` is for how many seconds a worker has been seen to run
    it; a `late` one was counted as a failure before it has ended."""

    since: float
    way: int = 0
    attempt: int = 1
    probe: int = 0
    final_probe: int = 0
    site_probe: int = 0
    ran: float | None = None
    late: bool = False


class Afoot:
    """Offered and running items of one job."""

    def __init__(self) -> None:
        self._out: dict[int, Out] = {}
        self._ways: Counter[int] = Counter()
        self._foreign = 0
        self._counted: int | None = None
        self._since = 0
        self._excess: deque[int] = deque(maxlen=_LOOKS)

    @property
    def count(self) -> int:
        """How many are under way, as far as can be known now; rather too many than too few."""
        told = len(self._out) + self._foreign
        return told if self._counted is None else min(told, self._counted + self._since)

    def on(self, way: int) -> int:
        """How many are under way on this way."""
        return min(self._ways[way], self.count)

    def get(self, seq: int) -> Out | None:
        """One of them, if this dispatcher offered it."""
        return self._out.get(seq)

    def offered(self, seqs: Iterable[int], now: float) -> None:
        """These were offered, and nothing more is known of them."""
        for seq in seqs:
            self.put(seq, Out(now))

    def put(self, seq: int, out: Out) -> None:
        """This one was offered."""
        self._drop(seq)  # offered anew, it is the youngest again
        self._out[seq] = out
        self._ways[out.way] += 1
        self._since += 1

    def ended(self, seq: int) -> Out | None:
        """A worker told the outcome of this one; gives what was known of it."""
        out = self._drop(seq)
        if out is None and self._foreign:
            self._foreign -= 1
        return out

    def withdrawn(self, count: int) -> None:
        """So many were taken back before a worker took them. The queue hands out the oldest first, so it is the
        youngest that were left; should it be others, the ledger's count puts it right."""
        for seq in list(islice(reversed(self._out), count)):
            self._drop(seq)

    def recounted(self, held: int, running: Collection[int], now: float) -> None:
        """The ledger has so many offered and running; `running` are seen at work by their workers."""
        own = len(self._out)
        if self._counted is None:
            self._foreign = held  # offered by whoever led before
        else:
            self._foreign = min(self._foreign, max(0, held - own))
        self._counted, self._since = held, 0
        self._excess.append(own + self._foreign - held)
        if len(self._excess) == _LOOKS and min(self._excess) > 0:
            self._forget(min(self._excess), running, now - _TRANSIT)
            self._excess.clear()

    def _forget(self, ghosts: int, running: Collection[int], before: float) -> None:
        old: list[int] = []
        for seq, out in self._out.items():
            if out.since > before or len(old) == ghosts:
                break
            if seq not in running:
                old.append(seq)
        for seq in old:
            self._drop(seq)

    def _drop(self, seq: int) -> Out | None:
        out = self._out.pop(seq, None)
        if out is not None:
            self._ways[out.way] -= 1
        return out
