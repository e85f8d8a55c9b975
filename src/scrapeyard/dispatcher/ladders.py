"""Puts every offer on its way, and remembers what each way has shown.

What is known belongs to a job and, for the jobs to come, to its site. It is written down every few seconds, so that a
new leader need not pay for it again; losing a race for that, or the last few seconds, costs a few tries.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from urllib.parse import quote

import msgspec
import structlog

from scrapeyard.decisions.tiers import (
    Choice,
    Outcome,
    Step,
    Tried,
    choose,
    expected,
    inherited,
    learned,
    looked_at,
    passed_by,
)
from scrapeyard.dispatcher.lines import Lines
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.item import Offer
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.ladder import Price, Rung, price_of
from scrapeyard.model.memo import Memo
from scrapeyard.ports.memos import MemoBook

log = structlog.get_logger(__name__)

_LONGEST = 400
_Known = dict[str, Tried]


class Knowledge:
    """What is known of ways, by their names, and the memo that it was read from or written to last."""

    def __init__(self, name: str, memo: Memo | None) -> None:
        self.name = name
        self.memo = memo
        self.tried = _read(memo)
        self.changed = False

    def learn(self, way: str, outcome: Outcome, *, lasting: bool) -> None:
        """One more try on this way. It is only written down where there is a choice of ways."""
        known = self.tried.get(way, _NOTHING)
        now = learned(known, outcome)
        if now is not known:
            self.tried[way] = now
            self.changed = self.changed or lasting


class Ladders:
    """The ways of all live jobs."""

    def __init__(self, memos: MemoBook, prices: Mapping[str, Price], lines: Lines) -> None:
        self._memos = memos
        self._lines = lines
        self._prices = prices
        self._jobs: dict[JobId, Knowledge] = {}
        self._sites: dict[str, Knowledge] = {}

    async def meet(self, jobs: Iterable[LiveJob]) -> None:
        """Recall what is known of jobs that are new here; a job nobody knows begins with what is known of its site."""
        for job in [live.job for live in jobs if live.job.id not in self._jobs]:
            site = job.site.name
            if site not in self._sites:
                self._sites[site] = await self._recall(f"ladder/site/{quote(site, safe='')[:_LONGEST]}")
            known = await self._recall(f"ladder/job/{job.id}")
            if known.memo is None:
                known.tried = {way: inherited(tried) for way, tried in self._sites[site].tried.items()}
            self._jobs[job.id] = known

    def hear(self, job: Job, note: OutcomeNote) -> None:
        """The outcome of a try."""
        self._lines.hear(note)
        known, ladder = self._jobs.get(job.id), job.ladder
        if known is None or note.way >= len(ladder) or ladder[note.way].tier != note.tier:
            return  # the ladder was changed meanwhile
        outcome = Outcome(note.state, note.kind, note.cost_micros, note.wire_bytes)
        for book in (known, self._sites[job.site.name]):
            book.learn(ladder[note.way].name, outcome, lasting=len(ladder) > 1)

    def first(self, live: LiveJob) -> int | None:
        """The way that a fresh item would take now; None if every way is closed."""
        if len(live.job.ladder) == 1:
            return None if 0 in self._closed(live) else 0
        steps = self._steps(live.job)
        choice = choose(steps, expected(steps), 0, self._closed(live))
        return None if choice is None else choice.rung

    def regard(self, live: LiveJob) -> None:
        """Say what the proxies' refusals make of the job at this moment."""
        self._lines.regard(live, self.first(live))

    def put(self, live: LiveJob, offers: Sequence[Offer], rooms: Mapping[int, int]) -> list[Offer]:
        """The same offers, each on its way; without those for which every way is closed, or takes no more now. The
        `rooms` are those of ways that take only a few."""
        ladder, steps = live.job.ladder, self._steps(live.job)
        expectations, left, closed = expected(steps), dict(rooms), self._closed(live)
        for rung, room in self._lines.rooms(live).items():
            left[rung] = min(room, left.get(rung, room))
        placed: list[Offer] = []
        # where there is no choice it is made once for all
        only = choose(steps, expectations, 0, closed) if len(steps) == 1 else None
        for offer in offers:
            choice = only if len(steps) == 1 else choose(steps, expectations, offer.rung, closed)
            if choice is not None and left.get(choice.rung, 1) > 0:
                if choice.rung in left:
                    left[choice.rung] -= 1
                _mark(steps, offer.rung, choice)
                placed.append(_on(offer, ladder[choice.rung], choice.rung))
        book = self._jobs.get(live.job.id)
        if book is not None:
            book.tried.update({step.rung.name: step.tried for step in steps if step.tried is not _NOTHING})
        if placed:
            ways = [expectations[offer.way] for offer in placed]
            live.spent.each = (fmean(way.micros for way in ways), fmean(way.wire_bytes for way in ways))
        return placed

    def foresee(self, live: LiveJob) -> None:
        """Before anything was offered: what a try will take, for a budget."""
        steps = self._steps(live.job)
        expectations = expected(steps)
        choice = choose(steps, expectations, 0, self._closed(live))
        if choice is not None:
            way = expectations[choice.rung]
            live.spent.each = (way.micros, way.wire_bytes)

    async def keep(self, live: Iterable[JobId]) -> None:
        """Write down what has changed, and forget the jobs that have ended."""
        for ended in self._jobs.keys() - set(live):
            known = self._jobs.pop(ended)
            if known.memo is not None:
                await self._memos.keep(known.name, b"", seen=known.memo)
        for known in (*self._jobs.values(), *self._sites.values()):
            if known.changed:
                known.changed = False
                body = msgspec.json.encode(known.tried)
                kept = await self._memos.keep(known.name, body, seen=known.memo)
                if kept is None:
                    known.changed = True
                    known.memo = await self._memos.recall(known.name)
                else:
                    known.memo = kept

    def _closed(self, live: LiveJob) -> frozenset[int]:
        return live.closed | self._lines.closed(live)

    def _steps(self, job: Job) -> list[Step]:
        book = self._jobs.get(job.id)
        known = book.tried if book is not None else {}
        return [Step(rung, price_of(self._prices, rung.tier), known.get(rung.name, _NOTHING)) for rung in job.ladder]

    async def _recall(self, name: str) -> Knowledge:
        return Knowledge(name, await self._memos.recall(name))


def _mark(steps: list[Step], at: int, choice: Choice) -> None:
    """Note which rungs an item passed by, and at which one it looks."""
    for rung in range(at, choice.rung):
        steps[rung] = msgspec.structs.replace(steps[rung], tried=passed_by(steps[rung].tried))
    if choice.look:
        steps[choice.rung] = msgspec.structs.replace(steps[choice.rung], tried=looked_at(steps[choice.rung].tried))


def _on(offer: Offer, rung: Rung, way: int) -> Offer:
    if (offer.tier, offer.way, offer.lane, offer.scraper) == (rung.tier, way, rung.lane, rung.scraper):
        return offer
    return msgspec.structs.replace(offer, tier=rung.tier, scraper=rung.scraper, lane=rung.lane, way=way)


def _read(memo: Memo | None) -> _Known:
    if memo is None:
        return {}
    try:
        return msgspec.json.decode(memo.body, type=_Known)
    except msgspec.DecodeError as error:
        log.warning("what was learned cannot be read; it is learned anew", memo=memo.name, error=str(error))
        return {}


_NOTHING = Tried()
