"""One job that is not finished, as the dispatcher follows it between two looks at the ledger."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import msgspec

from scrapeyard.decisions.gates import CrewFacts, JobFacts
from scrapeyard.decisions.pacing import Bucket, empty
from scrapeyard.decisions.strictest import Limits
from scrapeyard.decisions.window import Opening, opening
from scrapeyard.dispatcher.afoot import Afoot, Out
from scrapeyard.dispatcher.spending import Spent
from scrapeyard.model.errors import BadInput
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.gate import ClosedGate
from scrapeyard.model.job import Job, Tally
from scrapeyard.model.states import FINAL_VISITS, JobState, VisitState

_USUAL = 0.9
"""How much of the usual time of an item is remembered when another one ends."""
_HASTE = 0.2
"""Seconds between two counts of a job that is about to end."""


@dataclass(slots=True)
class LiveJob:
    """A job with what is known of it.

    `dry_until` is set when the ledger gave fewer offers than it was asked for: nothing can start before then. It is
    infinite when nothing waits for a time either, until the next count tells otherwise. `fresh` turns false, for good,
    when the ledger has no more items that were never offered. `closed` are rungs of its ladder on which nothing may
    start; `ended` counts the items whose end was heard of; `parked` says when items were last kept back for want of an
    open one, and how many. `barred` is the gate of breakers that let nothing through, `easing` that of one that lets
    `eased` more items through; `shut` is that of a person who holds the site; `sampled` asks for fresh items as long as
    there are any, because those that failed before are no fair sample, and `shuffled` for items from all over a list in
    its own order. `asked` counts its sentinels that are under way, and `guarded` names the one that has to answer
    before anything starts.
    """

    job: Job
    limits: Limits
    afoot: Afoot = field(default_factory=Afoot)
    spent: Spent = field(default_factory=Spent)
    tally: Tally | None = None
    counted: float = 0.0
    offered: int = 0
    ended: int = 0
    dry_until: float | None = None
    starts: Bucket | None = None
    taken: float = 0.0
    begun: float | None = None
    started: float = 0.0
    standing: ClosedGate | None = None
    passing: ClosedGate | None = None
    withdrawn: bool = False
    fresh: bool = True
    closed: frozenset[int] = frozenset()
    barred: ClosedGate | None = None
    easing: ClosedGate | None = None
    eased: int | None = None
    sampled: bool = False
    shut: ClosedGate | None = None
    shuffled: bool = False
    asked: int = 0
    guarded: str = ""
    parked: tuple[float, int] = (-math.inf, 0)
    _opening: Opening | None = None

    def revised(self, job: Job, limits: Limits) -> None:
        """The job may have changed since the last look."""
        if limits.windows != self.limits.windows:
            self._opening = None
        if (job.state, job.epoch) != (self.job.state, self.job.epoch):
            self.tally, self.offered, self.dry_until = None, 0, None  # what was counted before tells nothing now
        self.job, self.limits = job, limits

    def opening(self, now: float) -> Opening:
        """Whether the windows are open; worked out anew only when that may have changed."""
        known = self._opening
        if known is None or (known.until is not None and now >= known.until):
            try:
                known = opening(self.limits.windows, now)
            except BadInput as error:  # one job's bad window must not stop all others
                known = Opening(open=False, trouble=str(error))
            self._opening = known
        return known

    def paced(self, now: float) -> None:
        """Fill the bucket of the job's own starts."""
        rate = self.limits.starts
        if rate is None:
            self.starts = None
        elif self.starts is None:
            self.starts = empty(rate, now)
        else:
            self.starts = self.starts.filled(now).tuned(rate)

    def note(self, note: OutcomeNote) -> Out | None:
        """An outcome of this job; gives what was known of the item while it was under way."""
        out = self.afoot.ended(note.seq)
        self.spent.heard(note)
        self.ended += note.state in FINAL_VISITS
        seconds = max(0.001, note.ms / 1000)
        self.taken = _USUAL * self.taken + (1 - _USUAL) * seconds if self.taken else seconds
        return out

    def cost(self, now: float) -> float:
        """How long an item takes; while none has ended, at least as long as they have been at it."""
        if self.taken:
            return self.taken
        if self.tally is not None and self.tally.attempts:
            return self.tally.busy_ms / self.tally.attempts / 1000
        return 1.0 if self.begun is None else max(1.0, now - self.begun)

    @property
    def waiting(self) -> int:
        """Items that wait, due or not."""
        return 0 if self.tally is None else max(0, self.tally.count(VisitState.WAITING) - self.offered)

    def due(self, now: float) -> int:
        """Items that wait for nothing but their turn."""
        return 0 if self.dry_until is not None and self.dry_until > now else self.waiting

    @property
    def requests(self) -> float:
        """How many requests a try takes, as far as is known."""
        tally = self.tally
        return 1.0 if tally is None or not tally.attempts else max(1.0, tally.requests / tally.attempts)

    @property
    def held(self) -> int:
        """Items that are offered or run."""
        return self.afoot.count

    def recounted(self, tally: Tally, running: Collection[int], now: float) -> None:
        """The ledger's counters as they are now."""
        self.afoot.recounted(tally.count(VisitState.OFFERED, VisitState.RUNNING), running, now)
        self.spent.recounted(tally)
        self.tally, self.counted, self.offered = tally, now, 0

    def gave(self, count: int, asked: int, now: float, *, parked: int = 0) -> None:
        """The ledger was asked for so many offers and gave these, and `parked` more that are kept back for a while."""
        self.offered += count + parked
        if parked:
            self.parked = (now, parked)
        if count:
            self.started = now
            self.begun = now if self.begun is None else self.begun
        if count + parked < asked:
            self.dry_until = math.inf
            self.fresh = False
        if self.starts is not None:
            self.starts = self.starts.spent(count)

    def due_for_count(self, every: float, leisure: float, now: float) -> bool:
        """Whether it is time to look at the counters. The hint of an end makes haste, stillness makes leisure."""
        if self.tally is None:
            return True
        if self.job.state is JobState.RUNNING and not self.waiting and not self.held:
            every = min(every, _HASTE)
        elif self.standing is not None and not self.held:
            every = max(every, leisure)
        return now - self.counted >= every

    def facts(self, crew: CrewFacts, now: float) -> JobFacts:
        """For the gates."""
        return JobFacts(
            job=self.job,
            limits=self.limits,
            opening=self.opening(now),
            crew=crew,
            held=self.held,
            waiting=0 if self.dry_until == math.inf else self.waiting,
            due=self.dry_until,
            loaded=self.tally.loaded if self.tally else 0,
            starts=self.starts,
            spending=self.spent.spending(),
            barred=self.barred,
            easing=self.easing,
            eased=self.eased,
            shut=self.shut,
        )


class Claimant(msgspec.Struct, frozen=True):
    """A live job whose standing gates are open, with its facts and how many items it could start by itself."""

    live: LiveJob
    facts: JobFacts
    room: int
