"""All breakers of all live jobs: what they heard, what they let through, and what outlives this dispatcher.

A way that is closed is left out when items are put on their ways, so its items take the next one; only when none is
open does the job stand. Where a breaker doubts, a few items go through at once, and those of a probing are probes: if
they fail, that costs them nothing. What failed on the way to a trip, or was under way then and failed, gets the try
back: its next one costs nothing either.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import structlog

from scrapeyard.decisions.breaker import given_up, room
from scrapeyard.decisions.holding import asked_first, barred_by, held_by
from scrapeyard.dispatcher.afoot import Out
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.dispatcher.scopes import Scopes
from scrapeyard.dispatcher.ways import FINALS, JobWays, Kept, Turn, Way
from scrapeyard.model.breaker import HOPELESS, Phase
from scrapeyard.model.fleet import OutcomeNote, WorkerReport
from scrapeyard.model.gate import ClosedGate, WayView
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.memo import Memo
from scrapeyard.model.states import JobState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook

log = structlog.get_logger(__name__)

_SAMPLING = frozenset({Phase.PROBING, Phase.SUSPECT})
_UNEASY = 8
"""A score from which retries wait while there are fresh items: what may be the site's fault shall not cost them their
last try."""
_SILENCE = 3.0
"""Seconds between two reports of a worker after which nothing can be said of how long its items have run."""
_REGULAR = 1.0
"""At most so many seconds count for each report: what is more, the worker, the channel or this dispatcher was late."""
_LATE = 0.5
"""A loop that was late by so much had too much to do, and the visits in it waited for us and not for the site."""
_MOST_WORKERS = 10_000
Told = tuple[LiveJob, OutcomeNote, Out | None]


class Breakers:
    """The breakers of one term."""

    def __init__(self, memos: MemoBook, clock: Clock, luck: Callable[[], float]) -> None:
        self._memos = memos
        self._clock = clock
        self._luck = luck
        self.ways: dict[JobId, JobWays] = {}
        self._seen: dict[JobId, Memo | None] = {}
        self._body: dict[JobId, bytes] = {}
        self._heard: dict[str, float] = {}
        self.scopes = Scopes(clock, luck)

    async def meet(self, jobs: Iterable[LiveJob]) -> None:
        """Recall the breakers of jobs that are new here."""
        for live in jobs:
            known = self.ways.get(live.job.id)
            if known is None:
                memo = await self._memos.recall(_name(live.job.id))
                self._seen[live.job.id] = memo
                self.ways[live.job.id] = JobWays(live, _read(memo))
            elif not known.of(live):
                self.ways[live.job.id] = JobWays(live, None)

    def hear(self, worker: str, told: Sequence[Told]) -> None:
        """What a worker told."""
        by_job: dict[JobId, tuple[LiveJob, list[tuple[OutcomeNote, Out | None]]]] = {}
        for live, note, out in told:
            by_job.setdefault(live.job.id, (live, []))[1].append((note, out))
            known = self.ways.get(live.job.id)
            way = None if known is None else known.way(note.way)
            self.scopes.hear(live, note, out, None if way is None else way.breaker.phase)
        for job, (live, notes) in by_job.items():
            known = self.ways.get(job)
            if known is not None and known.of(live):
                known.hear(worker, notes, known.occasion(self._clock.now(), self._luck()))

    def watch(self, report: WorkerReport, jobs: Mapping[JobId, LiveJob], thirsty: Callable[[str], bool]) -> None:
        """What a worker runs at this moment: is anything of it overdue? To wait for leave to ask is no offence,
        what ended while the worker could not be heard looks as if it still ran, and a machine that is busy is late with
        everything."""
        now = self._clock.monotonic()
        passed = now - self._heard.get(report.worker, now)
        counted = 0.0 if report.lag > _LATE else min(passed, _REGULAR)
        if len(self._heard) > _MOST_WORKERS:
            self._heard.clear()  # workers come and go; those that are here report again at once
        self._heard[report.worker] = now
        for note in report.running:
            live = jobs.get(JobId(note.job))
            out = live.afoot.get(note.seq) if live is not None else None
            if live is None or out is None:
                continue
            if out.ran is None or passed > _SILENCE or thirsty(live.limits.site):
                out.ran = 0.0
                continue
            out.ran += counted
            if (known := self.ways.get(live.job.id)) is not None:
                known.overdue(note.seq, out, known.occasion(self._clock.now(), self._luck()))

    def tick(self, jobs: Iterable[LiveJob]) -> list[Turn]:
        """Let time pass, and close what is closed; gives what has turned since the last time."""
        turns: list[Turn] = []
        jobs = list(jobs)
        self.scopes.tick(jobs)
        for live in jobs:
            known = self.ways.get(live.job.id)
            if known is None:
                continue
            known.tick(known.occasion(self._clock.now(), self._luck()))
            shut = {rung for rung, way in known.all() if way.breaker.phase is Phase.OPEN}
            own = frozenset(range(len(live.job.ladder))) if FINALS in shut else frozenset(shut)
            live.closed = own | self.scopes.closed(live)
            turns += known.turns
            known.turns.clear()
        return turns

    def regard(self, live: LiveJob, first: int | None, usual: int) -> None:
        """Say what the breakers make of the job at this moment. `first` is the way that a fresh item would take, None
        if every way is closed; `usual` is how many items may be under way as far as others are concerned."""
        live.barred = live.easing = live.eased = None
        live.sampled = live.shuffled = False
        known = self.ways.get(live.job.id)
        if known is None or live.job.state is not JobState.RUNNING:
            return
        if first is None:
            closed = [rung for rung, way in known.all() if way.breaker.phase is Phase.OPEN]
            whole = [FINALS] if FINALS in closed else closed
            live.barred = barred_by([gate for rung in whole if (gate := self._gate(live, known, rung)) is not None])
            self.scopes.regard(live, first)
            return
        occasion = known.occasion(self._clock.now(), self._luck())
        way = known.take(first, occasion)
        uneasy = way.breaker.score >= _UNEASY and first + 1 == len(live.job.ladder)  # else they may climb
        live.sampled = way.breaker.phase in _SAMPLING or uneasy
        live.shuffled = occasion.listed and way.breaker.phase in _SAMPLING
        for rung, each in ((FINALS, known.finals), (first, way)):
            most = room(each.breaker, usual)
            if most is None:
                continue
            held = live.held if rung == FINALS else live.afoot.on(rung)
            if live.eased is None or most - held < live.eased:
                live.eased = max(0, most - held)
                live.easing = self._gate(live, known, rung)
        self.scopes.regard(live, first)
        if live.guarded:
            live.eased, live.easing = 0, asked_first(way_words(live, first), live.guarded, way.why)

    def rooms(self, live: LiveJob) -> dict[int, int]:
        """Of ways that are probed: how many more may go there now."""
        known = self.ways.get(live.job.id)
        if known is None:
            return {}
        rooms = {
            rung: max(0, (room(way.breaker, 0) or 0) - live.afoot.on(rung))
            for rung, way in known.all()
            if rung != FINALS and way.breaker.phase in _SAMPLING
        }
        for rung, free in self.scopes.rooms(live).items():
            rooms[rung] = min(free, rooms.get(rung, free))
        return rooms

    def send(self, live: LiveJob, offers: Sequence[Offer], now: float) -> list[Offer]:
        """The offers as they go out, probes among them; who they are is kept in mind."""
        known = self.ways.get(live.job.id)
        sent: list[Offer] = []
        occasion = None if known is None else known.occasion(self._clock.now(), self._luck())
        probes: dict[int, tuple[int, int, int, bool]] = {}
        for offer in offers:
            if offer.way not in probes:
                probe = final = 0
                pooled = self.scopes.probing(live, offer.way)
                costless = pooled > 0 or self.scopes.ailing
                if known is not None and occasion is not None:
                    way = known.take(offer.way, occasion)
                    probe, final = _probed(way), _probed(known.finals)
                    # the cohort of a suspicion is asked as well, but as ordinary items
                    costless = costless or final > 0 or way.breaker.phase is Phase.PROBING
                probes[offer.way] = probe, final, pooled, costless
            probe, final, pooled, costless = probes[offer.way]
            costless = costless or self.scopes.spares(live, offer.seq)
            if known is not None and offer.seq in known.spared:
                known.spared.discard(offer.seq)
                costless = True
            sent.append(msgspec.structs.replace(offer, probe=True) if costless else offer)
            live.afoot.put(offer.seq, Out(now, offer.way, offer.attempt, probe, final, pooled))
        return sent

    def released(self, live: LiveJob, at: float) -> None:
        """A person let the site go at that moment: what was closed before is probed at once."""
        known = self.ways.get(live.job.id)
        for _, way in known.all() if known is not None else ():
            breaker = way.breaker
            if breaker.phase is Phase.OPEN and breaker.since < at < (breaker.until or 0.0):
                way.breaker = msgspec.structs.replace(breaker, until=at)
        self.scopes.released(live.limits.site, at)

    def shown(self, live: LiveJob) -> tuple[WayView, ...]:
        """How its ways stand, the cheapest first; last the breaker of how items end, if there is something to say."""
        known = self.ways.get(live.job.id)
        if known is None:
            return ()
        return tuple(
            WayView("" if rung == FINALS else live.job.ladder[rung].name, way.breaker.phase, way.breaker.since,
                    way.breaker.until if way.breaker.phase is Phase.OPEN else None, way.why)
            for rung, way in known.all()
            if rung != FINALS or way.breaker.phase is not Phase.CLOSED
        )  # fmt: skip

    def hopeless(self, live: LiveJob) -> str | None:
        """Why the job should not go on by itself, if it should not."""
        known = self.ways.get(live.job.id)
        if known is None or live.job.state is not JobState.RUNNING or not live.closed:
            return None
        rules = live.job.policy.breaker
        shut = [(rung, way) for rung, way in known.all() if way.breaker.phase is Phase.OPEN]
        lost = [(rung, way) for rung, way in shut if given_up(way.breaker, rules)]
        if not lost:
            return None
        rung, way = lost[0]
        whole = rung == FINALS or any(way.breaker.cause in HOPELESS for _, way in lost)
        if whole or len(lost) == len(shut) == len(live.job.ladder):
            return way.why
        return None

    def sick(self) -> list[tuple[JobId, str]]:
        """Workers that fail where their peers do not, each with the job by which that was seen."""
        found: list[tuple[JobId, str]] = []
        for job, known in self.ways.items():
            for _, way in known.all():
                if way.failing:
                    known.sick += way.worse()
            found += [(job, worker) for worker in dict.fromkeys(known.sick)]
            known.sick.clear()
        return found

    async def keep(self, live: Iterable[JobId], only: Iterable[JobId] | None = None) -> None:
        """Write down what has changed, of all jobs or only of these, and forget the jobs that have ended."""
        for ended in self.ways.keys() - set(live):
            del self.ways[ended]
            self._body.pop(ended, None)
            seen = self._seen.pop(ended, None)
            if seen is not None:
                await self._memos.keep(_name(ended), b"", seen=seen)
        for job in tuple(self.ways) if only is None else only:  # others may come meanwhile
            known = self.ways.get(job)
            body = None if known is None else msgspec.json.encode(known.kept())
            if body is None or body == self._body.get(job):
                continue
            kept = await self._memos.keep(_name(job), body, seen=self._seen.get(job))
            if kept is None:  # another one leads by now, or the answer to the last writing was lost
                self._seen[job] = await self._memos.recall(_name(job))
            else:
                self._seen[job], self._body[job] = kept, body

    def _gate(self, live: LiveJob, known: JobWays, rung: int) -> ClosedGate | None:
        way = known.way(rung)
        if way is None:
            return None
        return held_by(way_words(live, rung), way.breaker, way.why, live.job.policy.breaker, self._clock.now())


def way_words(live: LiveJob, rung: int) -> str:
    """A way as people call it."""
    site, ladder = live.job.site.name, live.job.ladder
    if rung == FINALS or len(ladder) == 1 or rung >= len(ladder):
        return site
    return f"{site} by {ladder[rung].name}"


def _probed(way: Way) -> int:
    """The epoch for which an item on this way is a probe now."""
    return way.breaker.epoch if way.breaker.phase in _SAMPLING else 0


def _name(job: JobId) -> str:
    return f"breaker/job/{job}"


def _read(memo: Memo | None) -> Kept | None:
    if memo is None:
        return None
    try:
        return msgspec.json.decode(memo.body, type=Kept)
    except msgspec.DecodeError as error:
        log.warning("breakers cannot be read; they begin anew", memo=memo.name, error=str(error))
        return None
