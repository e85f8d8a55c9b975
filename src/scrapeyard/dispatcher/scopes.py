"""Breakers that jobs share: one for each way to a site over all its jobs, and one for our own machinery.

What they close they close for every job that is concerned; then twenty probes, of whichever jobs, try it at nobody's
expense. They live as long as the term: what is still broken is seen again within some forty outcomes.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from scrapeyard.decisions import breaker as deciding
from scrapeyard.decisions.breaker import Occasion
from scrapeyard.decisions.gates import lasting
from scrapeyard.decisions.holding import held_by
from scrapeyard.decisions.marks import Mark
from scrapeyard.decisions.peers import Score
from scrapeyard.decisions.pooled import (
    FALTERING,
    OURS,
    SITE,
    WORKING,
    lonely_job,
    lonely_worker,
    site_mark,
)
from scrapeyard.dispatcher.afoot import Out
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.model.breaker import Breaker, Phase
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import OutcomeNote, WorkerReport
from scrapeyard.model.gate import ClosedGate, GateName
from scrapeyard.model.policy import BreakerPolicy
from scrapeyard.model.states import JobState
from scrapeyard.ports.clock import Clock

_OWN = frozenset({Phase.CLOSED, Phase.CANARY})
_SHOWN = 3
_LATELY = 40
"""Outcomes of a worker by which it is compared with the others."""
_MOST_WORKERS = 10_000
Place = tuple[str, str]
"""A site and a tier."""


class Shift(msgspec.Struct, frozen=True):
    """A shared breaker has turned: what is told of it, and of which site (of all, where that is empty)."""

    name: str
    words: str
    site: str
    closed: bool


@dataclass(slots=True)
class Pool:
    """One shared breaker, and who failed how often since its score was last nothing."""

    rules: BreakerPolicy
    breaker: Breaker = field(default_factory=Breaker)
    run: dict[str, Score] = field(default_factory=dict[str, Score])
    kinds: Counter[str] = field(default_factory=Counter[str])
    failed: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    why: str = ""

    def hear(self, party: str, marks: Sequence[Mark], occasion: Occasion) -> Phase:
        """Take outcomes in; gives the phase as it was before."""
        before = self.breaker
        self.breaker = deciding.hear(before, marks, occasion)
        if before.phase is Phase.CLOSED:
            if not self.breaker.score and self.breaker.phase is Phase.CLOSED:
                self._forget()
            else:
                known = self.run.get(party, Score(0, 0))
                bad = sum(one.points > 0 for one in marks)
                self.run[party] = Score(known.failed + bad, known.size + len(marks))
        if self.breaker.phase is Phase.RAMP:  # each job has a way of its own to begin slowly
            self.calm()
        return before.phase

    def calm(self) -> None:
        """It was not what they share."""
        self.breaker = Breaker(Phase.CLOSED, self.breaker.epoch + 1, self.breaker.since)
        self._forget()

    def words(self, whose: str) -> str:
        """Why it tripped."""
        failed, size = (sum(getattr(one, name) for one in self.run.values()) for name in ("failed", "size"))
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.kinds.most_common(_SHOWN))
        return f"{failed} of the last {size} items of {whose} failed ({kinds})"

    def _forget(self) -> None:
        self.run.clear()
        self.kinds.clear()
        self.failed.clear()


class Scopes:
    """The shared breakers of one term."""

    def __init__(self, clock: Clock, luck: Callable[[], float]) -> None:
        self._clock = clock
        self._luck = luck
        self._jobs: Sequence[LiveJob] = ()
        self._several: frozenset[str] = frozenset()
        self._places: dict[Place, Pool] = {}
        self._ours = Pool(OURS)
        self._lately: dict[str, deque[bool]] = {}
        self._spared: set[tuple[str, int]] = set()
        self.shifts: list[Shift] = []
        self.blamed: list[str] = []

    def hear(self, live: LiveJob, note: OutcomeNote, out: Out | None, own: Phase | None) -> None:
        """An outcome. `own` is how the job's breaker of that way stands; one that has tripped has told enough."""
        if live.limits.site not in self._several or not live.job.policy.breaker.trip:
            return
        place = (live.limits.site, note.tier)
        pool = self._places.get(place)
        probe = pool is not None and out is not None and out.site_probe == pool.breaker.epoch
        if not probe and own is not None and own not in _OWN:
            return
        found = site_mark(note, probe=probe)
        if found is None:
            return
        if pool is None:
            pool = self._places[place] = Pool(SITE)
        if found.points > 0 and note.kind and not note.probe:
            pool.kinds[note.kind] += 1
            pool.failed.append((note.job, note.seq))
        before = pool.hear(live.job.id, (found,), self._occasion(SITE))
        if before is Phase.CLOSED and pool.breaker.phase is Phase.OPEN:
            if lonely_job(pool.run):
                pool.calm()
                return
            pool.why = pool.words(f"{len(pool.run)} jobs")
        if pool.breaker.phase is Phase.OPEN:  # what led to it, or was under way, gets its try back
            self._spared.update(pool.failed)
            pool.failed.clear()
        self._turned(before, pool, live.limits.site)

    def spares(self, live: LiveJob, seq: int) -> bool:
        """Whether the next try of this item is for nothing, because its last one met a site that was down."""
        key = (str(live.job.id), seq)
        if key not in self._spared:
            return False
        self._spared.discard(key)
        return True

    def report(self, report: WorkerReport) -> None:
        """What a worker could keep of all that it brought home, and what troubles it had that are nobody's but ours."""
        if report.troubles or report.kept:
            self._troubled(report.worker, report.kept, report.troubles)

    def lost(self, worker: str) -> None:
        """A worker gave no sign of life any more."""
        self._troubled(worker, 0, {Kind.WORKER_LOST: 1})

    def _troubled(self, worker: str, kept: int, troubles: Mapping[str, int]) -> None:
        pool, lost = self._ours, sum(troubles.values())
        if len(self._lately) > _MOST_WORKERS:
            self._lately.clear()
        self._lately.setdefault(worker, deque(maxlen=_LATELY)).extend([False] * kept + [True] * lost)
        if pool.breaker.phase is Phase.CLOSED and not troubles and not pool.breaker.score:
            return
        for kind, count in troubles.items():
            pool.kinds[kind] += count
        marks = [WORKING] * kept + [FALTERING] * lost
        before = pool.hear(worker, marks, self._occasion(OURS))
        if before is Phase.CLOSED and pool.breaker.phase is Phase.OPEN:
            scores = {name: Score(sum(seen), len(seen)) for name, seen in self._lately.items()}
            if (sick := lonely_worker(scores)) is not None:
                del self._lately[sick]
                self.blamed.append(sick)
                pool.calm()
                return
            pool.why = pool.words("all workers")
        self._turned(before, pool, "")

    def tick(self, jobs: Sequence[LiveJob]) -> None:
        """Let time pass."""
        self._jobs = [live for live in jobs if live.job.state is JobState.RUNNING]
        counted = Counter(live.limits.site for live in self._jobs)
        if self._spared:
            there = {live.job.id for live in jobs}
            self._spared = {key for key in self._spared if key[0] in there}
        self._several = frozenset(site for site, count in counted.items() if count > 1) | {
            site for (site, _), pool in self._places.items() if pool.breaker.phase is not Phase.CLOSED
        }
        for (site, _), pool in self._places.items():
            self._let_pass(pool, site)
        self._let_pass(self._ours, "")
        self._places = {place: pool for place, pool in self._places.items() if counted[place[0]]}

    def released(self, site: str, at: float) -> None:
        """A person let the site go at that moment: what was closed before is probed at once."""
        for (name, _), pool in self._places.items():
            breaker = pool.breaker
            if name == site and breaker.phase is Phase.OPEN and breaker.since < at < (breaker.until or 0.0):
                pool.breaker = msgspec.structs.replace(breaker, until=at)

    def closed(self, live: LiveJob) -> frozenset[int]:
        """The rungs of a job that may not be taken."""
        ladder = live.job.ladder
        if self._ours.breaker.phase is Phase.OPEN:
            return frozenset(range(len(ladder)))
        return frozenset(rung for rung in range(len(ladder)) if self._phase(live, rung) is Phase.OPEN)

    def regard(self, live: LiveJob, first: int | None) -> None:
        """Say what that makes of a job at this moment, after its own breakers have."""
        if first is None:
            gates = [self._gate(live, rung) for rung in self.closed(live)]
            if gates:
                live.barred = gates[0]
            return
        room = self.rooms(live).get(first)
        if room is not None and (live.eased is None or room < live.eased):
            live.eased, live.easing = room, self._gate(live, first)

    def rooms(self, live: LiveJob) -> dict[int, int]:
        """Of ways that are probed for all: how many more may go there now."""
        ladder = range(len(live.job.ladder))
        if self._ours.breaker.phase is Phase.PROBING:
            free = max(0, deciding.AT_ONCE - sum(one.held for one in self._jobs))
            return dict.fromkeys(ladder, free)
        return {rung: self._free(live, rung) for rung in ladder if self._phase(live, rung) is Phase.PROBING}

    def probing(self, live: LiveJob, rung: int) -> int:
        """The epoch of the site's breaker for which an item on this way is a probe now; 0 if it is none."""
        pool = self._pool(live, rung)
        return pool.breaker.epoch if pool is not None and pool.breaker.phase is Phase.PROBING else 0

    @property
    def ailing(self) -> bool:
        """Whether all that starts now only tries our own machinery."""
        return self._ours.breaker.phase is Phase.PROBING

    def _free(self, live: LiveJob, rung: int) -> int:
        tier = live.job.ladder[rung].tier
        held = sum(
            one.afoot.on(number)
            for one in self._jobs
            if one.limits.site == live.limits.site
            for number, way in enumerate(one.job.ladder)
            if way.tier == tier
        )
        return max(0, deciding.AT_ONCE - held)

    def _pool(self, live: LiveJob, rung: int) -> Pool | None:
        if not live.job.policy.breaker.trip:
            return None
        return self._places.get((live.limits.site, live.job.ladder[rung].tier))

    def _phase(self, live: LiveJob, rung: int) -> Phase | None:
        pool = self._pool(live, rung)
        return None if pool is None else pool.breaker.phase

    def _gate(self, live: LiveJob, rung: int) -> ClosedGate | None:
        now, pool = self._clock.now(), self._pool(live, rung)
        if self._ours.breaker.phase in (Phase.OPEN, Phase.PROBING):
            until = self._ours.breaker.until
            tried = "a few items try it" if until is None else f"a few items try it in {lasting(max(0.0, until - now))}"
            reason = f"Our own machinery fails, so nothing starts: {self._ours.why}; {tried}, at no item's expense."
            return ClosedGate(GateName.INFRA, reason, until)
        return None if pool is None else held_by(live.job.site.name, pool.breaker, pool.why, SITE, now)

    def _occasion(self, rules: BreakerPolicy) -> Occasion:
        left = sum(live.tally.moving for live in self._jobs if live.tally is not None)
        return Occasion(self._clock.now(), self._luck(), rules, left=left)

    def _let_pass(self, pool: Pool, site: str) -> None:
        if pool.breaker.phase is Phase.OPEN:
            before = pool.breaker.phase
            pool.breaker = deciding.tick(pool.breaker, self._occasion(pool.rules))
            self._turned(before, pool, site)

    def _turned(self, before: Phase, pool: Pool, site: str) -> None:
        after = pool.breaker
        if after.phase is before:
            return
        what = f"{site} is" if site else "Our own machinery is"
        match after.phase:
            case Phase.OPEN:
                wait = lasting(max(0.0, (after.until or 0.0) - self._clock.now()))
                whom = "all its jobs" if site else "all jobs"
                words = f"{what} closed for {whom}: {pool.why}. Probes try it in {wait}."
                self.shifts.append(Shift("site_closed" if site else "infra_closed", words, site, closed=True))
            case Phase.PROBING:
                words = f"{what} tried with {pool.rules.probes} probes."
                self.shifts.append(Shift("site_probing" if site else "infra_probing", words, site, closed=False))
            case _:
                words = f"{what} well again: the probes went well."
                self.shifts.append(Shift("site_recovered" if site else "infra_recovered", words, site, closed=False))
