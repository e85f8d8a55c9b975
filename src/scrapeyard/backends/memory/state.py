"""What the books of one memory ledger share: plain rows, changed only between two awaits and so never half."""

import heapq
from collections import Counter
from dataclasses import dataclass, field

from scrapeyard.backends.admission import no_job
from scrapeyard.backends.counting import Counting, Standing, shown_state, standing
from scrapeyard.model.attempt import Attempt
from scrapeyard.model.capture import Capture, RecordBatch
from scrapeyard.model.fleet import WorkerBeat
from scrapeyard.model.item import Item, Offer
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.states import JobState, ReadingState, VisitState


@dataclass(slots=True)
class Hold:
    """An offer that is out, and the worker that took it, if one did."""

    offer: Offer
    worker: str | None = None
    fence: int = 0


@dataclass(slots=True)
class Row:
    """One item. `last_fence` is the lease whose result was recorded last."""

    seq: int
    key: str
    inputs: bytes
    state: VisitState = VisitState.WAITING
    epoch: int = 0
    attempts: int = 0
    crashes: int = 0
    losses: int = 0
    rung: int = 0
    strikes: int = 0
    kind: str | None = None
    not_before: float = 0.0
    changed: float = 0.0
    captures: tuple[Capture, ...] = ()
    records: RecordBatch | None = None
    reading: ReadingState = ReadingState.NONE
    reason: str | None = None
    last_fence: int = 0
    tries: list[Attempt] = field(default_factory=list[Attempt])

    def standing(self) -> Standing:
        """As much of it as is counted."""
        return standing(self.state, self.kind, self.records, self.reading)


@dataclass(slots=True)
class Book:
    """One job with its items, its counters, and how far the feeding has come; `ahead` of that, some were sampled."""

    job: Job
    number: int
    rows: list[Row] = field(default_factory=list[Row])
    keys: dict[str, int] = field(default_factory=dict[str, int])
    holds: dict[int, Hold] = field(default_factory=dict[int, Hold])
    again: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    counters: Counter[str] = field(default_factory=Counter[str])
    cursor: int = 0
    ahead: set[int] = field(default_factory=set[int])

    @property
    def cancelled(self) -> bool:
        """Whether what was not begun counts as cancelled."""
        return self.job.state is JobState.CANCELLED

    def apply(self, counting: Counting) -> None:
        """Add noted changes to the counters."""
        self.counters.update(counting.changes)

    def wait(self, row: Row, not_before: float) -> None:
        """Put an item, which was held or final, among those that wait to be offered again."""
        row.state = VisitState.WAITING
        row.not_before = not_before
        heapq.heappush(self.again, (not_before, row.seq))

    def take_back(self, seq: int, now: float) -> None:
        """End an offer that nobody took, as if it had never been made."""
        del self.holds[seq]
        row = self.rows[seq]
        row.changed = now
        self.wait(row, row.not_before)

    def item(self, row: Row) -> Item:
        """A row as a value."""
        hold = self.holds.get(row.seq)
        return Item(
            job=self.job.id,
            seq=row.seq,
            key=row.key,
            inputs=row.inputs,
            state=shown_state(row.state, cancelled=self.cancelled),
            epoch=row.epoch,
            attempts=row.attempts,
            crashes=row.crashes,
            losses=row.losses,
            rung=row.rung,
            strikes=row.strikes,
            kind=row.kind,
            not_before=row.not_before,
            worker=hold.worker if hold else None,
            changed=row.changed,
            captures=row.captures,
            records=row.records,
            reading=row.reading,
            reason=row.reason,
        )


@dataclass(slots=True)
class State:
    """Everything that a memory ledger knows."""

    books: dict[JobId, Book] = field(default_factory=dict[JobId, Book])
    workers: dict[str, WorkerBeat] = field(default_factory=dict[str, WorkerBeat])
    fences: int = 0

    def book(self, job: JobId) -> Book:
        """The job's book, or `NotFound`."""
        book = self.books.get(job)
        if book is None:
            raise no_job(job)
        return book

    def held_by(self, worker: str) -> list[tuple[Book, Hold]]:
        """The leases of one worker."""
        return [(book, hold) for book in self.books.values() for hold in book.holds.values() if hold.worker == worker]
