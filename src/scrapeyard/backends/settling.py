"""Deciding how leases end, for every ledger that keeps its books in tables.

Everything that has to be known is read at once and everything that has to be written is written at once; what is
decided in between is decided here, in memory, in the order of the settlements.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from scrapeyard.backends.counting import Counting, Standing, standing
from scrapeyard.backends.ids import joined
from scrapeyard.backends.rows import encode, pack_result
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.item import Settlement
from scrapeyard.model.job import JobId
from scrapeyard.model.states import ReadingState, VisitState

Row = tuple[object, ...]

_WORDS = {state: state.value for state in VisitState}
_READINGS = {state: state.value for state in ReadingState}
"""The plain words of states: an enumeration works its own out anew each time, and this is asked for each item."""


class Extent(NamedTuple):
    """A job's number, and how many items it has."""

    number: int
    loaded: int


class Known:
    """What is known of an item before it is written anew. `lease` is the fence and epoch that may end now, if any."""

    __slots__ = ("fence", "last", "lease", "records", "unreadable")

    def __init__(
        self,
        lease: tuple[int, int] | None,
        fence: int | None,
        last: int | None,
        records: int | None,
        reading: str | None,
    ) -> None:
        self.lease = lease
        self.fence = fence or 0
        self.last = last or 0
        self.records = records or 0
        self.unreadable = reading == _READINGS[ReadingState.UNREADABLE]


class Settling:
    """Settlements on their way into the tables: after `settle`, `tries`, `stands` and `countings` say what to write.

    `next_try` gives the id of the next attempt of the job of that number.
    """

    def __init__(
        self, jobs: Mapping[JobId, Extent], known: Mapping[int, Known], now: float, next_try: Callable[[int], int]
    ) -> None:
        self._jobs = jobs
        self._known = known
        self._now = now
        self._next_try = next_try
        self._changes: dict[int, _Changes] = {}
        self.tries: list[Row] = []
        """id, item, earlier attempt, epoch, ms, requests, wire bytes, cost, attempt and result as MessagePack."""
        self.stands: list[Row] = []
        """id, job, state, changed, kind, not before, epoch, attempts, crashes, losses, reading, records, fence, last
        attempt, rung, strikes."""

    def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """Decide on each; False for those that do not hold their item's lease."""
        return [self._decide(settlement) for settlement in settlements]

    def countings(self) -> dict[int, Counting]:
        """The changes to the counters of each job, by its number."""
        return {number: changes.counting() for number, changes in self._changes.items()}

    def _decide(self, settlement: Settlement) -> bool:
        job = self._jobs.get(settlement.job)
        if job is None or not 0 <= settlement.seq < job.loaded:
            return False
        known = self._known[joined(job.number, settlement.seq)]
        changes = self._changes.get(job.number)
        if changes is None:
            changes = self._changes[job.number] = _Changes()
        if known.lease != (settlement.fence, settlement.epoch):
            if known.fence != settlement.fence:
                changes.noted.late()
            return False
        now = standing(settlement.state, settlement.kind, settlement.records, settlement.reading)
        changes.were.append(Standing(VisitState.RUNNING, None, known.records, known.unreadable))
        changes.are.append(now)
        if settlement.attempt is not None:
            changes.tries.append(settlement.attempt)
        number = self._next_try(job.number)
        self._note(settlement, job.number, (number, known.last), now.records)
        known.lease, known.fence, known.last = None, settlement.fence, number
        known.records, known.unreadable = now.records, now.unreadable
        return True

    def _note(self, settlement: Settlement, job: int, tries: tuple[int, int], records: int) -> None:
        """The attempt with the wide part of the result, linked to the attempt before; and the item's narrow row."""
        told = settlement.attempt
        identity = joined(job, settlement.seq)
        sums = (told.ms, told.requests, told.wire_bytes, told.cost_micros) if told is not None else (0, 0, 0, 0)
        packed = None if told is None else encode(told)
        number, earlier = tries
        self.tries.append((number, identity, earlier, settlement.epoch, *sums, packed, pack_result(settlement)))
        self.stands.append((
            identity, job, _WORDS[settlement.state], self._now, settlement.kind, settlement.not_before,
            settlement.epoch, settlement.attempts, settlement.crashes, settlement.losses,
            _READINGS[settlement.reading], records, settlement.fence, number, settlement.rung, settlement.strikes,
        ))  # fmt: skip


class _Changes:
    """What changes in one job's counters. Most items stand alike, so they are counted before they are added up."""

    def __init__(self) -> None:
        self.noted = Counting()
        self.were: list[Standing] = []
        self.are: list[Standing] = []
        self.tries: list[Attempt] = []

    def counting(self) -> Counting:
        for was, number in Counter(self.were).items():
            self.noted.counted(was, -number)
        for now, number in Counter(self.are).items():
            self.noted.counted(now, number)
        self.noted.tried(*self.tries)
        return self.noted
