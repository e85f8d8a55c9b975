"""The breakers of one job: one for each way to its site, and one that hears only how items end.

Hearing costs next to nothing while all is well: the marks of a report go through a running sum. Only when a breaker
turns is anything worked out, and what it rests on is put into a `Turn`, for others to act on and to write down.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from scrapeyard.decisions import absents as absence
from scrapeyard.decisions import breaker as deciding
from scrapeyard.decisions.breaker import Occasion
from scrapeyard.decisions.evidence import LATELY, evidence, words
from scrapeyard.decisions.marks import LINES, Mark, Outcome, ended_late, late, mark
from scrapeyard.decisions.peers import Score, outliers
from scrapeyard.decisions.retry import allowed
from scrapeyard.dispatcher.afoot import Out
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.model.breaker import Breaker, Cause, Phase, Told
from scrapeyard.model.evidence import Evidence, Witness
from scrapeyard.model.failures import VERDICTS, Kind
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.ladder import DIRECT
from scrapeyard.model.policy import Order
from scrapeyard.model.states import JobState, VisitState

FINALS = -1
"""Stands for the breaker that hears how items end, where others are numbered by their rung."""
_PEERS = 40
"""Outcomes of a worker by which it is compared with the others."""
_USUAL = 0.9
_KNOWN = 10
"""Good visits after which it is known how long one usually takes."""
_SLOW = 3.0
_LEAST_SLOW = 5.0
"""Three times the usual time, and at least so many seconds, is too long. A machine that is busy with other things makes
everything late by a second or two, which says nothing of the site."""
OVERDUE = "overdue"
_SPEAKING = frozenset({Told.GOOD, Told.UNREADABLE, Told.BAD})
_TRIED = _SPEAKING | {Told.HALF}
_FAILED = frozenset({Told.BAD, Told.HALF})
_SECOND = 2
_HALF = 0.5
"""Of second tries so many are expected to fail while nothing is known of them."""
_NOT_YET_OPEN = frozenset({Phase.CLOSED, Phase.CANARY, Phase.RAMP})


class Turn(msgspec.Struct, frozen=True):
    """A breaker has turned. `way` is the rung, or `FINALS`; `found` what it rests on, if it tripped."""

    job: str
    way: int
    before: Breaker
    after: Breaker
    found: Evidence | None = None

    @property
    def tripped(self) -> bool:
        """Whether it was closed just now, or slowed down."""
        slowed = self.after.phase is Phase.RAMP and self.before.phase is not Phase.PROBING and self.found is not None
        return self.after.phase is Phase.OPEN or slowed


class KeptWay(msgspec.Struct, frozen=True, array_like=True):
    """What outlives the dispatcher of one way."""

    breaker: Breaker
    why: str = ""
    absents: absence.Absents = absence.Absents()


class Kept(msgspec.Struct, frozen=True):
    """What outlives the dispatcher of one job. `paused` says that it stood still when this was written."""

    ways: dict[str, KeptWay] = {}
    finals: KeptWay = KeptWay(Breaker())
    paused: bool = False
    short: bool = False


@dataclass(slots=True)
class Way:
    """One breaker with what it has heard. `usual` is how long a good visit takes; `why` says why it tripped last."""

    breaker: Breaker
    why: str = ""
    absents: absence.Absents = field(default_factory=absence.Absents)
    usual: float = 0.0
    known: int = 0
    back_at: float = 0.0
    lately: deque[Witness] = field(default_factory=lambda: deque[Witness](maxlen=LATELY))
    peers: dict[str, deque[bool]] = field(default_factory=dict[str, deque[bool]])
    failing: bool = False

    @property
    def slow(self) -> float | None:
        """Seconds after which a visit takes far longer than usual."""
        return None if self.known < _KNOWN else max(_LEAST_SLOW, _SLOW * self.usual)

    def learn(self, found: Mark, note: OutcomeNote, worker: str) -> None:
        """How long a good visit takes, and who fails how often."""
        if found.told is Told.GOOD:
            seconds = note.ms / 1000
            self.usual = _USUAL * self.usual + (1 - _USUAL) * seconds if self.known else seconds
            self.known += 1
        if found.told in _SPEAKING and note.attempt == 1:  # second tries come in clumps, and are no sample of a worker
            bad = found.told is Told.BAD
            self.failing = self.failing or bad
            seen = self.peers.get(worker)
            if seen is None:
                seen = self.peers[worker] = deque(maxlen=_PEERS)
            seen.append(bad)

    def worse(self) -> list[str]:
        """Workers that fail here where the others do not."""
        self.failing = False
        return outliers({worker: Score(sum(seen), len(seen)) for worker, seen in self.peers.items()})


class JobWays:
    """The breakers of one job."""

    def __init__(self, live: LiveJob, kept: Kept | None) -> None:
        self._live = live
        self._ways: dict[str, Way] = {}
        self.finals = Way(Breaker())
        self._paused = False
        self._short = False
        self._begun = kept is not None
        self._climbed: dict[int, int] = {}
        self._probed: set[int] = set()
        self.spared: set[int] = set()
        self.sick: list[str] = []
        self.turns: list[Turn] = []
        if kept is not None:
            self._ways = {name: Way(way.breaker, way.why, way.absents) for name, way in kept.ways.items()}
            self.finals = Way(kept.finals.breaker, kept.finals.why, kept.finals.absents)
            self._paused, self._short = kept.paused, kept.short

    def of(self, live: LiveJob) -> bool:
        """Whether this is about that one; a job that has ended and was brought back is another one."""
        return self._live is live

    @property
    def watches(self) -> bool:
        """Whether there is enough left to be worth a breaker."""
        return self._begun and not self._short

    def kept(self) -> Kept:
        """What is to outlive this dispatcher."""
        ways = {name: KeptWay(way.breaker, way.why, way.absents) for name, way in self._ways.items()}
        finals = KeptWay(self.finals.breaker, self.finals.why, self.finals.absents)
        return Kept(ways, finals, self._paused, self._short)

    def way(self, rung: int) -> Way | None:
        """What is known of a rung; None if it was never taken, or all is let through."""
        if rung == FINALS:
            return self.finals
        ladder = self._live.job.ladder
        return self._ways.get(ladder[rung].name) if rung < len(ladder) else None

    def all(self) -> Iterable[tuple[int, Way]]:
        """Every breaker with its number."""
        for rung, each in enumerate(self._live.job.ladder):
            way = self._ways.get(each.name)
            if way is not None:
                yield rung, way
        yield FINALS, self.finals

    def take(self, rung: int, occasion: Occasion) -> Way:
        """The way of a rung that is to be taken now."""
        name = self._live.job.ladder[rung].name
        way = self._ways.get(name)
        if way is None:
            way = self._ways[name] = Way(self._begin(Breaker(), occasion))
        return way

    def tick(self, occasion: Occasion) -> None:
        """Let time pass. A job that begins, or goes on after a pause, starts with a canary."""
        live = self._live
        if live.job.state is JobState.PAUSED:
            self._paused = True
        if live.job.state is not JobState.RUNNING or live.tally is None:
            return
        if not self._begun or self._paused:
            left = live.tally.count(VisitState.WAITING)
            self._begun, self._paused = True, False
            self._short = left <= occasion.rules.canary
            for way in self._ways.values():
                way.breaker, way.absents = self._begin(way.breaker, occasion), absence.Absents()
            self.finals.breaker = Breaker(Phase.CLOSED, self.finals.breaker.epoch + 1, occasion.now)
        for rung, way in self.all():
            after = deciding.tick(way.breaker, occasion)
            if self._is_rest(occasion) and after.phase not in (Phase.OPEN, Phase.CLOSED):
                after = Breaker(Phase.CLOSED, after.epoch + 1, occasion.now)
            self._set(rung, way, after, occasion)

    def _is_rest(self, occasion: Occasion) -> bool:
        """Whether all that is left of a list in its own order are items that failed before. They are neighbours in
        trouble, and no sample of anything; they have their few tries, and the job ends."""
        return occasion.listed and not self._live.fresh

    def occasion(self, now: float, luck: float) -> Occasion:
        """This moment under the job's rules."""
        live = self._live
        return Occasion(
            now, luck, live.job.policy.breaker, listed=live.job.policy.order is Order.LIST,
            left=None if live.tally is None else live.tally.moving,
            usual=0.0 if live.fresh else self.finals.absents.share or _HALF,
        )  # fmt: skip

    def hear(self, worker: str, told: Sequence[tuple[OutcomeNote, Out | None]], occasion: Occasion) -> None:
        """Outcomes as one worker told them, in their order."""
        if not self._begun or self._short or self._is_rest(occasion):
            return
        ladder = self._live.job.ladder
        by_way: dict[int, list[Mark]] = {}
        finals: list[Mark] = []
        for note, out in told:
            if note.way >= len(ladder) or ladder[note.way].tier != note.tier:
                continue  # the ladder was changed meanwhile
            way = self.take(note.way, occasion)
            found = self._mark(note, out, way, len(ladder))
            by_way.setdefault(note.way, []).append(found)
            finals.append(self._final(note, out, found, len(ladder)))
            if not occasion.listed:
                self._again(note, found, occasion)
            self._witness(way, worker, note, found, occasion)
            if (
                Phase.OPEN in (way.breaker.phase, self.finals.breaker.phase)
                and found.told in _FAILED
                and not note.probe
            ):
                self.spared.add(note.seq)  # it was under way when this closed
        for rung, marks in by_way.items():
            self._weigh(rung, marks, occasion)
        self._set(FINALS, self.finals, deciding.hear(self.finals.breaker, finals, occasion), occasion)
        self._weigh_again(occasion)

    def overdue(self, seq: int, out: Out, occasion: Occasion) -> None:
        """A worker has run this one for `out.ran`. A first try that takes far too long is no secret any more."""
        if self._short or self._is_rest(occasion) or out.late or out.attempt > 1 or out.ran is None:
            return
        way = self.way(out.way)
        if way is None or way.slow is None or out.ran < way.slow:
            return
        out.late = True
        probe = out.probe == way.breaker.epoch
        ms = int(out.ran * 1000)
        way.lately.append(Witness(seq, occasion.now, OVERDUE, ms, out.attempt, "", failed=True, probe=probe))
        self._set(out.way, way, deciding.hear(way.breaker, (late(probe=probe),), occasion), occasion)

    def alarm(self, rung: int, said: str, occasion: Occasion) -> None:
        """Close a way by which what is known to exist cannot be had; `said` names it."""
        way = self.way(rung)
        if way is not None and way.breaker.phase is not Phase.OPEN:
            self._set(rung, way, deciding.trip(way.breaker, Cause.SENTINEL, occasion), occasion, sentinel=said)

    def _begin(self, before: Breaker, occasion: Occasion) -> Breaker:
        left = None if self._live.tally is None else self._live.tally.count(VisitState.WAITING)
        if self._short:
            return Breaker(Phase.CLOSED, before.epoch + 1, occasion.now)
        return deciding.begin(occasion, epoch=before.epoch, left=left)

    def _mark(self, note: OutcomeNote, out: Out | None, way: Way, rungs: int) -> Mark:
        outcome = Outcome(
            note.state,
            note.kind,
            first=self._climbed.pop(note.seq, note.way) < note.way
            or (note.attempt == 1 and note.seq not in self._probed),
            probe=out is not None and out.probe == way.breaker.epoch,
            readable=note.readable,
            climbs=note.way + 1 < rungs,
            proxied=note.tier != DIRECT,
        )
        if outcome.climbs and outcome.kind is not None and VERDICTS[Kind(outcome.kind)].escalate > 1:
            self._climbed[note.seq] = note.way  # the next try may be its first on the next rung, whatever its number
        if note.probe and note.kind is not None:
            self._probed.add(note.seq)  # its next try has the same number, and is no first one any more
        found = mark(outcome)
        return ended_late(found) if out is not None and out.late else found

    def _final(self, note: OutcomeNote, out: Out | None, found: Mark, rungs: int) -> Mark:
        """What it tells the breaker of endings: a failure counts when it was the last try."""
        probe = out is not None and out.final_probe == self.finals.breaker.epoch
        points = 0
        if found.told in (Told.GOOD, Told.UNREADABLE):
            points = _GOOD.points
        elif note.kind is not None and not note.probe and self._fair:
            kind = Kind(note.kind)
            verdict = VERDICTS[kind]
            climbs = verdict.escalate and note.way + 1 < rungs
            if verdict.counts and not climbs and note.attempt >= allowed(kind, self._live.job.policy):
                points = _BAD.points // (2 if note.tier != DIRECT and kind in LINES else 1)
        return Mark(found.told, points, probe=probe)

    @property
    def _fair(self) -> bool:
        """Whether what ends now is a fair sample: not neighbours, and not the bad rest of a list that is done."""
        return self._live.fresh and self._live.job.policy.order is not Order.LIST

    def _again(self, note: OutcomeNote, found: Mark, occasion: Occasion) -> None:
        """What share of second tries fails is the same from the first of a list to its last, as long as all is well."""
        if note.attempt == _SECOND and not note.probe and found.told in _TRIED:
            bad = found.told in _FAILED
            self.finals.absents = absence.heard(self.finals.absents, occasion.now, absent=bad)

    def _weigh_again(self, occasion: Occasion) -> None:
        seen = self.finals.absents
        if not seen.alarming or not occasion.rules.trip:
            return
        self.finals.absents = seen.calmed()
        if self.finals.breaker.phase in _NOT_YET_OPEN:
            tripped = deciding.trip(self.finals.breaker, Cause.RETRIES, occasion)
            self._set(FINALS, self.finals, msgspec.structs.replace(tripped, usual=seen.share or 0.0), occasion)

    def _witness(self, way: Way, worker: str, note: OutcomeNote, found: Mark, occasion: Occasion) -> None:
        failed = found.told in _FAILED
        outcome = note.kind or note.state
        seen = Witness(note.seq, occasion.now, outcome, note.ms, note.attempt, worker, failed, note.probe)
        way.lately.append(seen)
        self.finals.lately.append(seen)
        way.learn(found, note, worker)
        if note.retry_after:
            way.back_at = max(way.back_at, occasion.now + note.retry_after)

    def _weigh(self, rung: int, marks: Sequence[Mark], occasion: Occasion) -> None:
        way = self._ways[self._live.job.ladder[rung].name]
        occasion = msgspec.structs.replace(occasion, retry_after=max(0.0, way.back_at - occasion.now))
        before = way.breaker
        after = deciding.hear(before, marks, occasion)
        if after.phase is Phase.OPEN and before.phase in _NOT_YET_OPEN and (worse := way.worse()):
            # one worker fails where its peers do not: that is its fault, and the way is none the worse for it
            self.sick += worse
            for worker in worse:
                way.peers.pop(worker, None)
            after = msgspec.structs.replace(before, score=0, run=0, seen=0, counts={}, streaks={})
        self._set(rung, way, after, occasion)
        if occasion.rules.absents and way.breaker.phase in _NOT_YET_OPEN:
            way.absents = absence.hear(way.absents, marks, occasion.now)
            if way.absents.alarming:
                tripped = deciding.trip(way.breaker, Cause.ABSENT, occasion)
                share, way.absents = way.absents.share, way.absents.calmed()
                self._set(rung, way, msgspec.structs.replace(tripped, absent_share=share), occasion)

    def _set(self, rung: int, way: Way, after: Breaker, occasion: Occasion, *, sentinel: str = "") -> None:
        """The breaker is as it is now; if it has turned, that is noted with what it rests on."""
        before, way.breaker = way.breaker, after
        if after.epoch == before.epoch:
            return
        found = None
        if after.phase is Phase.OPEN or (after.phase is Phase.RAMP and before.phase is not Phase.PROBING):
            if rung == FINALS and after.cause is Cause.FAILURES:
                after = way.breaker = msgspec.structs.replace(after, cause=Cause.FINALS)
            name = "" if rung == FINALS else self._live.job.ladder[rung].name
            left = 0 if occasion.left is None else occasion.left
            found = evidence(after.cause or Cause.FAILURES, before, name, list(way.lately), left)
            found = msgspec.structs.replace(found, until=after.until, sentinel=sentinel)
            way.why = words(found)
            if after.phase is Phase.OPEN:
                self.spared.update(one.seq for one in way.lately if one.failed and not one.probe)
        self.turns.append(Turn(self._live.job.id, rung, before, after, found))


_GOOD = mark(Outcome(VisitState.SUCCEEDED))
_BAD = mark(Outcome(VisitState.FAILED, Kind.UNKNOWN))
