"""The valve's turn: look at every gate, share the room out, offer, hand over.

No more is offered than the workers' slots and about the window's seconds of work ahead, measured by how fast
outcomes come. So the queue is never long, and never empty while there is something to do.
"""

import math
import random

import msgspec
import structlog

from scrapeyard.decisions.gates import PLENTY, passing, room, site_room, standing
from scrapeyard.decisions.shares import Claim, charge, share
from scrapeyard.dispatcher.board import Board
from scrapeyard.dispatcher.breakers import Breakers
from scrapeyard.dispatcher.ladders import Ladders
from scrapeyard.dispatcher.live import Claimant, LiveJob
from scrapeyard.dispatcher.options import DispatcherOptions, Outside
from scrapeyard.dispatcher.permits import PermitDesk
from scrapeyard.dispatcher.roster import Crew, Roster
from scrapeyard.model.gate import GateName
from scrapeyard.model.item import Offer
from scrapeyard.model.states import JobState

log = structlog.get_logger(__name__)

_SHUT = frozenset({GateName.PAUSED, GateName.CANCELLED, GateName.WINDOW, GateName.BUDGET, GateName.SITE_HELD})
"""Gates that also call back what was offered before they closed."""


class Ways(msgspec.Struct, frozen=True):
    """Which way an item takes, and whether it is open."""

    ladders: Ladders
    breakers: Breakers


class Feed:
    """Lets items start."""

    def __init__(
        self,
        outside: Outside,
        options: DispatcherOptions,
        board: Board,
        roster: Roster,
        permits: PermitDesk,
        ways: Ways,
    ) -> None:
        self._outside = outside
        self._options = options
        self._board = board
        self._roster = roster
        self._permits = permits
        self._ladders, self._breakers = ways.ladders, ways.breakers
        self._passes: dict[str, float] = {}
        self._luck = random.Random()  # noqa: S311 - a sample, not a secret
        self._fresh: frozenset[str] = frozenset()

    async def turn(self) -> None:
        """Look at every gate once and let start what may."""
        clock = self._outside.clock
        now, moment = clock.now(), clock.monotonic()
        claimants, crews = await self._claimants(now, moment)
        held: dict[str, int] = {}
        for live in self._board.jobs.values():
            if live.job.id in crews:
                name = crews[live.job.id].name
                held[name] = held.get(name, 0) + live.held
        pools = {crew.name: max(0, crew.allowance - held.get(crew.name, 0)) for crew in crews.values()}
        sites = self._board.site_facts(self._permits.thirsty, moment)
        pools |= {f"site {name}": min(PLENTY, site_room(site)) for name, site in sites.items()}
        left = max(0, self._roster.allowance(moment) - sum(live.held for live in self._board.jobs.values()))
        claims = [self._claim(claimant, crews[claimant.live.job.id], moment) for claimant in claimants]
        shares = share(min(left, self._options.most_offers), claims, self._passes, pools)
        self._passes = shares.passes
        for claimant, claim in zip(claimants, claims, strict=True):
            live = claimant.live
            given = shares.starts.get(live.job.id, 0)
            if given:
                live.passing = None
                used = await self._offer(live, given)
                self._passes[live.job.id] -= charge(claim, given - used)
            elif claimant.facts.waiting and not (claimant.facts.due is not None and claimant.facts.due > now):
                free = min(left, pools[crews[live.job.id].name])
                live.passing = passing(claimant.facts, sites[live.limits.site], free, now)
            else:
                live.passing = None

    async def _claimants(self, now: float, moment: float) -> tuple[list[Claimant], dict[str, Crew]]:
        """The jobs that could start something, and every live job's crew."""
        for site in self._board.sites.values():
            site.paced(moment)
        crew_of = self._roster.crews(moment)
        crews: dict[str, Crew] = {}
        claimants: list[Claimant] = []
        for live in self._board.jobs.values():
            live.paced(moment)
            if live.spent.each is None:
                self._ladders.foresee(live)
            crew = crews[live.job.id] = crew_of(live.job)
            self._breakers.regard(live, self._ladders.first(live), self._usual(live, crew))
            self._ladders.regard(live)
            facts = live.facts(crew.facts, now)
            live.standing = standing(facts, now)
            if live.standing is not None:
                live.passing = None
                await self._call_back(live, now)
            elif live.job.state is JobState.RUNNING and live.tally is not None:
                live.withdrawn = False
                claimants.append(Claimant(live, facts, room(facts, now)))
        self._fresh = frozenset(one.live.limits.site for one in claimants if one.live.fresh)
        return [self._bounded(claimant, now, moment) for claimant in claimants], crews

    def _bounded(self, claimant: Claimant, now: float, moment: float) -> Claimant:
        """A job that has only retries left shares its site with those that have fresh items."""
        live = claimant.live
        if live.fresh or live.limits.site not in self._fresh:
            return claimant
        again = self._board.sites[live.limits.site].repeats.room(moment)
        facts = msgspec.structs.replace(claimant.facts, again=again)
        return Claimant(live, facts, room(facts, now))

    def _usual(self, live: LiveJob, crew: Crew) -> int:
        """How many items of the job may be under way as far as others than breakers are concerned."""
        site = self._board.sites.get(live.limits.site)
        limits = (live.limits.concurrency, site.limits.concurrency if site is not None else None, crew.allowance)
        return min(limit for limit in limits if limit is not None)

    def _claim(self, claimant: Claimant, crew: Crew, moment: float) -> Claim:
        live = claimant.live
        return Claim(
            job=live.job.id,
            priority=live.job.policy.priority,
            wants=claimant.room,
            cost=live.cost(moment),
            pools=(crew.name, f"site {live.limits.site}"),
        )

    async def _offer(self, live: LiveJob, count: int) -> int:
        """Offer up to `count` items; gives how many there were."""
        clock, given = self._outside.clock, 0
        while given < count:
            asked = min(count - given, self._options.batch)
            now, moment = clock.now(), clock.monotonic()
            site = self._board.sites[live.limits.site]
            again = site.repeats.room(moment) if site.name in self._fresh else None
            again = 0 if live.sampled and live.fresh else again
            found = await self._shuffled(live, asked, now) if live.shuffled and live.fresh else []
            if len(found) < asked:
                found += await self._outside.ledger.offers.offer(
                    live.job.id, asked - len(found), now=now, until=now + self._options.offer_ttl, again=again
                )
            placed = self._ladders.put(live, found, self._breakers.rooms(live))
            offers = self._breakers.send(live, placed, moment)
            if offers:
                await self._outside.queue.put(offers)
            live.gave(len(offers), asked, moment, parked=len(found) - len(offers))
            site.gave(offers, moment)
            given += len(offers)
            if len(found) < asked:
                due = await self._outside.ledger.offers.next_due(live.job.id)
                live.dry_until = math.inf if due is None else due
                break
            if not offers:
                break  # every way is closed to these; the others' turn comes
        return given

    async def _shuffled(self, live: LiveJob, count: int, now: float) -> list[Offer]:
        """Fresh items from all over what is left of a list in its own order: neighbours would tell of each other."""
        offers, total = self._outside.ledger.offers, live.job.total or 0
        left = range(max(0, total - await offers.fresh(live.job.id)), total)
        seqs = self._luck.sample(left, min(count, len(left)))
        return await offers.sample(live.job.id, seqs, now=now, until=now + self._options.offer_ttl)

    async def _call_back(self, live: LiveJob, now: float) -> None:
        """Take back what lies in the queue of a job that may not start anything, once."""
        if live.withdrawn or live.standing is None or live.standing.gate not in _SHUT:
            return
        live.withdrawn = True
        back = await self._outside.ledger.offers.withdraw(live.job.id, now=now)
        live.afoot.withdrawn(back)
        await self._board.count(live, self._outside.clock.monotonic())
        if back:
            log.info("offers withdrawn", job=live.job.id, gate=live.standing.gate, offers=back)
