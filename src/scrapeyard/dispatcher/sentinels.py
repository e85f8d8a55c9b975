"""Asks live jobs' sentinels: while a canary runs, now and then, whenever too much is absent, and before the probes of a
breaker that tripped because too much was.

A sentinel goes to a worker over the fleet channel, past queue and ledger, so nothing of it can get into a tally, a
manifest or an export. The channel may lose it; then it is asked again.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog

from scrapeyard.decisions.sentinels import (
    AT_FIRST,
    EVERY,
    NO_DOUBT,
    Doubt,
    Finding,
    asked,
    called,
    judged,
    silences,
    witnessed,
)
from scrapeyard.dispatcher.afoot import Out
from scrapeyard.dispatcher.board import Board
from scrapeyard.dispatcher.breakers import Breakers
from scrapeyard.dispatcher.chronicle import Chronicle
from scrapeyard.dispatcher.ladders import Ladders
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.dispatcher.options import Outside
from scrapeyard.dispatcher.roster import Roster
from scrapeyard.model.breaker import Breaker, Phase
from scrapeyard.model.fleet import Orders, OutcomeNote
from scrapeyard.model.item import Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.states import JobState

log = structlog.get_logger(__name__)

_PATIENCE = 30.0
"""Seconds beyond an item's deadline after which no answer comes any more."""
_PAUSE = 1.0
"""Seconds between two askings in a row."""
_UNEASY = 10.0
"""The same while too much is absent."""


@dataclass(slots=True)
class Guard:
    """The sentinels of one job. `out` are those that were asked, each with the number of the asking and the time until
    which an answer may come; `aside` are out of date. `cleared` is the epoch of the breaker in which one was right."""

    live: LiveJob
    inputs: tuple[str, ...]
    out: dict[int, tuple[int, float]] = field(default_factory=dict[int, tuple[int, float]])
    aside: set[int] = field(default_factory=set[int])
    doubt: Doubt = NO_DOUBT
    denied: dict[int, str] = field(default_factory=dict[int, str])
    number: int = 0
    turn: int = 0
    asked: float | None = None
    ended: int = 0
    epoch: int = 0
    cleared: int = 0

    @property
    def good(self) -> list[int]:
        """Those that can be asked, the next one first."""
        left = [index for index in range(len(self.inputs)) if index not in self.aside]
        at = self.turn % len(left) if left else 0
        return left[at:] + left[:at]

    def wanted(self, breaker: Breaker, now: float, *, uneasy: bool) -> int:
        """How many to ask for at this moment."""
        since = None if self.asked is None else now - self.asked
        if self.out or (since is not None and since < _PAUSE):
            return 0
        if breaker.phase is Phase.CANARY and self.epoch != breaker.epoch:
            return AT_FIRST
        if self.doubt.points or (silences(breaker) and self.cleared != breaker.epoch):
            return 1
        if since is None:
            return 1 if self.live.ended else 0
        return 1 if (uneasy and since >= _UNEASY) or (since >= EVERY and self.live.ended > self.ended) else 0


class Sentinels:
    """The sentinels of all live jobs."""

    def __init__(
        self, outside: Outside, board: Board, roster: Roster, ladders: Ladders, breakers: Breakers, chronicle: Chronicle
    ) -> None:
        self._outside = outside
        self._board = board
        self._roster = roster
        self._ladders = ladders
        self._breakers = breakers
        self._chronicle = chronicle
        self._guards: dict[JobId, Guard] = {}

    def hear(self, live: LiveJob, note: OutcomeNote) -> None:
        """The answer of a sentinel."""
        guard, index = self._guards.get(live.job.id), -1 - note.seq
        number, _ = (0, 0.0) if guard is None else guard.out.get(index, (0, 0.0))
        if guard is None or number != note.attempt:
            return  # of an asking that was given up
        del guard.out[index]
        live.spent.heard(note)
        guard.doubt = asked(guard.doubt, note, self._outside.clock.monotonic())
        if guard.doubt.points:
            guard.denied[index] = note.kind or note.state
        else:
            guard.denied.clear()
            breaker = self._breaker(live, note.way)
            guard.cleared = guard.cleared if breaker is None else breaker.epoch

    def witness(self, live: LiveJob, note: OutcomeNote, out: Out | None) -> None:
        """The outcome of an ordinary item."""
        guard = self._guards.get(live.job.id)
        if guard is not None and guard.doubt.points and out is not None and out.since >= guard.doubt.since:
            guard.doubt = witnessed(guard.doubt, note.state)

    async def act(self, jobs: Iterable[LiveJob]) -> None:
        """Ask whom it is time to ask, and judge what was answered."""
        known, self._guards = self._guards, {}
        for live in jobs:
            inputs = live.job.policy.breaker.sentinels
            live.guarded, live.asked = "", 0
            if not inputs or live.job.state is not JobState.RUNNING or not self._watched(live):
                continue
            guard = known.get(live.job.id)
            if guard is None or guard.live is not live or guard.inputs != inputs:
                guard = Guard(live, inputs)
            self._guards[live.job.id] = guard
            await self._look(guard)
            live.asked = len(guard.out)

    async def _look(self, guard: Guard) -> None:
        live, now = guard.live, self._outside.clock.monotonic()
        guard.out = {index: one for index, one in guard.out.items() if one[1] > now}
        way = self._ladders.first(live)
        breaker = None if way is None else self._breaker(live, way)
        if way is None or breaker is None or breaker.phase is Phase.OPEN:
            guard.doubt, guard.epoch = NO_DOUBT, 0
            return
        alone = silences(breaker) and guard.cleared != breaker.epoch
        match judged(guard.doubt, alone=alone):
            case Finding.ALARMING:
                self._alarm(live, way, self._said(guard))
                guard.doubt = NO_DOUBT
                return
            case Finding.STALE:
                self._put_aside(guard)
            case Finding.SOUND | Finding.DOUBTED:
                pass
        ways = self._breakers.ways.get(live.job.id)
        found = None if ways is None else ways.way(way)
        uneasy = found is not None and found.absents.suspicious
        for index in guard.good[: guard.wanted(breaker, now, uneasy=uneasy)]:
            if live.standing is not None or not self._board.spare(live, len(guard.out), now):
                break
            await self._ask(guard, index, way, breaker)
        if alone and guard.good:
            live.guarded = called(guard.inputs[guard.good[0]], live.job.key_fields)

    def _watched(self, live: LiveJob) -> bool:
        ways = self._breakers.ways.get(live.job.id)
        return ways is not None and ways.watches

    def _breaker(self, live: LiveJob, way: int) -> Breaker | None:
        ways = self._breakers.ways.get(live.job.id)
        found = None if ways is None else ways.way(way)
        return None if found is None else found.breaker

    def _alarm(self, live: LiveJob, way: int, said: str) -> None:
        ways = self._breakers.ways.get(live.job.id)
        if ways is not None:
            ways.alarm(way, said, ways.occasion(self._outside.clock.now(), random.random()))  # noqa: S311 - jitter, not a secret

    async def _ask(self, guard: Guard, index: int, way: int, breaker: Breaker) -> None:
        live, clock = guard.live, self._outside.clock
        job, rung, moment = live.job, live.job.ladder[way], clock.monotonic()
        workers = self._roster.taking(rung.lane, rung.scraper.digest)
        if not workers:
            return
        guard.number += 1
        offer = Offer(
            job.id, -1 - index, called(guard.inputs[index], job.key_fields), guard.inputs[index].encode(),
            rung.scraper, job.epoch, guard.number, clock.now() + job.policy.deadline, rung.lane, rung.tier,
            deadline=job.policy.deadline, probe=True, way=way,
        )  # fmt: skip
        guard.out[index] = (guard.number, moment + job.policy.deadline + _PATIENCE)
        guard.asked, guard.ended, guard.epoch, guard.turn = moment, live.ended, breaker.epoch, guard.turn + 1
        await self._outside.fleet.order(workers[guard.number % len(workers)], Orders(sentinels=(offer,)))

    def _put_aside(self, guard: Guard) -> None:
        live = guard.live
        words = (
            f"A sentinel of {live.job.site.name} cannot be had though other records can: {self._said(guard)}. It is "
            f"asked no more; `scrapeyard policy {live.job.id} --sentinels KEY` names another one."
        )
        self._chronicle.note("sentinel_doubted", words, job=live.job.id, site=live.job.site.name)
        guard.aside |= guard.denied.keys()
        guard.denied.clear()
        guard.doubt = NO_DOUBT

    def _said(self, guard: Guard) -> str:
        keys = guard.live.job.key_fields
        return ", ".join(f"{called(guard.inputs[index], keys)} ({came})" for index, came in guard.denied.items())
