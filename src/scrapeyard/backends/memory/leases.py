"""The workers' side, in memory."""

from collections.abc import Sequence

import msgspec

from scrapeyard.backends.admission import check_settlements
from scrapeyard.backends.counting import Counting
from scrapeyard.backends.memory.state import Book, Hold, Row, State
from scrapeyard.model.errors import Conflict
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Lease, Offer, Settlement
from scrapeyard.model.states import VisitState


class MemoryLeases:
    """Fulfils `scrapeyard.ports.leases.LeaseBook`."""

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def exclusive(self) -> bool:
        """An item has at most one holder."""
        return True

    async def begin(self, worker: str, offers: Sequence[Offer], *, now: float) -> list[Lease]:
        """Take offers."""
        known = self._state.workers.setdefault(worker, WorkerBeat(worker, version=0, started=now))
        if known.fenced:
            return []
        taken = [self._take(worker, offer, now) for offer in offers]
        return list({lease.fence: lease for lease in taken if lease is not None}.values())

    def _take(self, worker: str, offer: Offer, now: float) -> Lease | None:
        book = self._state.books.get(offer.job)
        hold = book.holds.get(offer.seq) if book else None
        if book is None or hold is None or not _is_same(hold.offer, offer):
            return None
        if hold.worker is None and now < offer.until and not book.cancelled:
            self._state.fences += 1
            hold.worker, hold.fence, hold.offer = worker, self._state.fences, offer
            row = book.rows[offer.seq]
            row.state, row.changed = VisitState.RUNNING, now
            counting = Counting()
            counting.moved(VisitState.OFFERED, VisitState.RUNNING)
            book.apply(counting)
        return Lease(hold.offer, worker, hold.fence) if hold.worker == worker else None

    async def settle(self, settlements: Sequence[Settlement], *, now: float) -> list[bool]:
        """Record how leases end."""
        check_settlements(settlements)
        return [self._settle(settlement, now) for settlement in settlements]

    def _settle(self, settlement: Settlement, now: float) -> bool:
        book = self._state.books.get(settlement.job)
        if book is None or not 0 <= settlement.seq < len(book.rows):
            return False
        row = book.rows[settlement.seq]
        hold = book.holds.get(settlement.seq)
        counting = Counting()
        current = _is_holder(hold, settlement)
        if current:
            _record(book, row, settlement, now, counting)
        elif row.last_fence != settlement.fence:
            counting.late()
        book.apply(counting)
        return current

    async def beat(self, beat: WorkerBeat) -> bool:
        """A sign of life."""
        known = self._state.workers.get(beat.worker)
        if known is not None and known.fenced:
            return False
        self._state.workers[beat.worker] = msgspec.structs.replace(beat, fenced=False)
        return True

    async def workers(self) -> list[WorkerBeat]:
        """Workers that are here, and fenced ones whose items are not settled."""
        return [
            beat for name, beat in sorted(self._state.workers.items()) if not beat.fenced or self._state.held_by(name)
        ]

    async def fence(self, worker: str, version: int) -> list[Lease] | None:
        """Declare a worker dead. Its leases pass to the caller under new fences, so a late result has none."""
        known = self._state.workers.get(worker)
        if known is None or not (known.fenced or known.version == version):
            return None
        held = self._state.held_by(worker)
        if not known.fenced:
            self._state.workers[worker] = msgspec.structs.replace(known, fenced=True)
            for _, hold in held:
                self._state.fences += 1
                hold.fence = self._state.fences
        return [Lease(hold.offer, worker, hold.fence) for _, hold in held]

    async def leave(self, worker: str) -> None:
        """Good-bye. A fenced worker is remembered, so that nothing late of it is let in."""
        held = self._state.held_by(worker)
        if held:
            raise Conflict(f"Worker {worker} still holds {len(held)} items: settle them before it leaves.")
        known = self._state.workers.get(worker)
        if known is not None and not known.fenced:
            del self._state.workers[worker]


def _is_same(made: Offer, shown: Offer) -> bool:
    """Whether a worker shows the very offer that is out, not an older one for the same item."""
    return (made.epoch, made.attempt, made.until) == (shown.epoch, shown.attempt, shown.until)


def _is_holder(hold: Hold | None, settlement: Settlement) -> bool:
    return (
        hold is not None
        and hold.worker is not None
        and (hold.fence, hold.offer.epoch) == (settlement.fence, settlement.epoch)
    )


def _record(book: Book, row: Row, settlement: Settlement, now: float, counting: Counting) -> None:
    was = row.standing()
    del book.holds[row.seq]
    row.attempts, row.crashes, row.losses = settlement.attempts, settlement.crashes, settlement.losses
    row.rung, row.strikes = settlement.rung, settlement.strikes
    row.state, row.kind, row.changed = settlement.state, settlement.kind, now
    row.captures, row.records = settlement.captures, settlement.records
    row.reading, row.reason = settlement.reading, settlement.reason
    row.not_before = settlement.not_before
    row.last_fence = settlement.fence
    if settlement.attempt is not None:
        row.tries.append(settlement.attempt)
    if row.state is VisitState.WAITING:
        book.wait(row, settlement.not_before)
    counting.replaced(was, row.standing())
    if settlement.attempt is not None:
        counting.tried(settlement.attempt)
