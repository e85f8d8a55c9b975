"""One term of office: everything that a leading dispatcher knows, from an empty start to its end.

A new leader knows nothing of what the last one granted, so all buckets begin empty and every worker gets the whole
lease before it is given up. What a term knows is never taken over; it is learned again from ledger and reports.
"""

import random

import structlog

from scrapeyard.dispatcher.barred import Barred
from scrapeyard.dispatcher.board import Board
from scrapeyard.dispatcher.breakers import Breakers
from scrapeyard.dispatcher.chronicle import Chronicle
from scrapeyard.dispatcher.closing import Closing, WriteManifest
from scrapeyard.dispatcher.courses import Courses
from scrapeyard.dispatcher.exits import Exits
from scrapeyard.dispatcher.feed import Feed, Ways
from scrapeyard.dispatcher.hearing import Hearing
from scrapeyard.dispatcher.holds import Holds
from scrapeyard.dispatcher.ladders import Ladders
from scrapeyard.dispatcher.lines import Lines
from scrapeyard.dispatcher.options import DispatcherOptions, Outside
from scrapeyard.dispatcher.paces import Paces
from scrapeyard.dispatcher.permits import PermitDesk
from scrapeyard.dispatcher.roster import Roster
from scrapeyard.dispatcher.sentinels import Sentinels
from scrapeyard.dispatcher.showing import Room, Showing
from scrapeyard.dispatcher.verdicts import Verdicts
from scrapeyard.dispatcher.watch import Watch
from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import Orders
from scrapeyard.model.states import JobState, VisitState

log = structlog.get_logger(__name__)

_SHOW = 0.5
_SWEEP = 1.0
_HOLDS = 1.0
"""Seconds between two looks at what people say of sites."""
_KEEP = 5.0
"""Seconds between two writings of what was learned."""
_LEISURE = 2.0
"""Seconds between two counts of a job of which nothing can move."""
_QUESTIONS = 50
"""Such counts a second over all jobs: the more there are, the more seldom each is counted."""


class Term:
    """The duties of a leader, each done when it is time for it."""

    def __init__(self, outside: Outside, options: DispatcherOptions, write_manifest: WriteManifest) -> None:
        self._outside = outside
        self._options = options
        self._roster = Roster(window=options.window, silence=options.silence)
        self._paces = Paces()
        self._board = Board(outside.ledger, self._roster, options.sites, self._paces)
        self._permits = PermitDesk(outside.fleet, self._board, self._paces, options, random.random)
        self._ladders = Ladders(outside.ledger.memos, options.prices, Lines(outside.clock))
        luck = random.random
        self._breakers = Breakers(outside.ledger.memos, outside.clock, luck)
        self._holds = Holds(outside.ledger.memos, self._breakers)
        self._courses = Courses(outside.ledger.memos, outside.clock)
        self._exits = Exits(outside.ledger.memos, outside.clock)
        self._chronicle = Chronicle(outside.ledger, outside.clock, luck)
        self._verdicts = Verdicts(outside, self._board, self._breakers, self._chronicle)
        self._sentinels = Sentinels(outside, self._board, self._roster, self._ladders, self._breakers, self._chronicle)
        self._hearing = Hearing(self._board, self._ladders, self._breakers, self._sentinels)
        ways = Ways(self._ladders, self._breakers)
        self._feed = Feed(outside, options, self._board, self._roster, self._permits, ways)
        self._barred = Barred(outside.ledger.jobs, outside.clock)
        self._watch = Watch(outside.ledger, outside.clock, options.lease, luck)
        self._closing = Closing(outside, self._board, write_manifest)
        self._showing = Showing()
        self._done: dict[str, float] = {}

    async def open(self) -> None:
        """Learn what is there."""
        now = self._outside.clock.monotonic()
        self._roster.listen(now)
        for report in await self._outside.fleet.roster():
            self._roster.hear(report, now)
        self._done["show"] = now  # workers get a moment to report before it is said that there is none

    async def tick(self) -> None:
        """Everything that is due."""
        clock, options = self._outside.clock, self._options
        now = clock.monotonic()
        reports = await self._outside.fleet.collect()
        self._roster.listen(now)
        for report in reports:
            self._roster.hear(report, now)
            self._permits.hear(report)
            self._paces.hear(report, now)
            self._barred.hear(report.outcomes)
            self._exits.hear(report.outcomes)
            self._courses.hear(report.outcomes)
            self._hearing.hear(report)
            self._breakers.watch(report, self._board.jobs, self._permits.thirsty)
        await self._give()
        if self._due("look", options.look):
            await self._board.look()
            await self._ladders.meet(self._board.jobs.values())
            await self._breakers.meet(self._board.jobs.values())
        if self._due("holds", max(_HOLDS, options.look)):
            await self._holds.look(self._board.jobs.values())
        if self._due("keep", _KEEP):
            await self._exits.keep()
            await self._courses.keep(self._board.jobs)
            await self._ladders.keep(self._board.jobs)
            await self._breakers.keep(self._board.jobs)
        if self._due("sweep", _SWEEP):
            self._roster.forget()
            await self._outside.ledger.offers.sweep(now=clock.now())
            await self._stop_cancelled()
            await self._verdicts.stop_the_sick()
        if self._due("watch", min(1.0, options.lease / 10)):
            for worker in await self._watch.look():
                self._roster.drop(worker)
                words = f"The worker {worker} gave no sign of life any more; its items were given to others."
                self._chronicle.note("worker_lost", words, found={"worker": worker})
                self._breakers.scopes.lost(worker)
        leisure = max(_LEISURE, len(self._board.jobs) / _QUESTIONS)
        for live in list(self._board.jobs.values()):
            if live.due_for_count(options.count, leisure, now):
                await self._board.count(live, now)
        await self._give()
        await self._verdicts.act()
        for paused in await self._barred.look(self._board.jobs):
            self._board.follow(paused)
        await self._sentinels.act(list(self._board.jobs.values()))
        await self._feed.turn()
        await self._give()
        await self._closing.look()
        if self._due("show", _SHOW):
            await self._show()

    async def _give(self) -> None:
        """Give permits; several times in a tick, for storage may take its time and the workers' requests wait."""
        now = self._outside.clock.monotonic()
        await self._permits.give((known.report.worker for known in self._roster.present()), now)

    async def close(self) -> None:
        """The term is over."""
        await self._closing.stop()
        try:
            await self._ladders.keep(self._board.jobs)
            await self._breakers.keep(self._board.jobs)
            await self._chronicle.write(everything=True)
            await self._exits.keep()
            await self._courses.keep(self._board.jobs)
        except StorageError as error:
            log.warning("the last that was learned is lost", error=str(error))

    async def farewell(self) -> None:
        """Nobody leads after this for a while, perhaps; so what was said of the jobs is taken back."""
        await self._outside.fleet.show(())

    def _due(self, duty: str, every: float) -> bool:
        now = self._outside.clock.monotonic()
        last = self._done.get(duty)
        if last is not None and now - last < every:
            return False
        self._done[duty] = now
        return True

    async def _show(self) -> None:
        moment = self._outside.clock.monotonic()
        crew_of, sites = self._roster.crews(moment), self._board.site_facts(self._permits.thirsty, moment)
        rooms = [
            Room(live, crew_of(live.job).facts, sites[live.limits.site], self._breakers.shown(live))
            for live in self._board.jobs.values()
            if live.limits.site in sites
        ]
        await self._outside.fleet.show(self._showing.views(rooms, self._outside.clock.now(), moment))

    async def _stop_cancelled(self) -> None:
        """Tell workers to stop what still runs of cancelled jobs, again and again, for orders may be lost."""
        cancelled = frozenset(
            str(live.job.id)
            for live in self._board.jobs.values()
            if live.job.state is JobState.CANCELLED and live.tally is not None and live.tally.count(VisitState.RUNNING)
        )
        if cancelled:
            for known in self._roster.present():
                await self._outside.fleet.order(known.report.worker, Orders(cancel=cancelled))
