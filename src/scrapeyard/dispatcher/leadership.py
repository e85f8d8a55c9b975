"""Who of several is the active one, by a lease that trusts nobody's clock but one's own.

The store keeps a holder and a version, nothing else. The holder renews; an observer that has seen the version
stand still for the whole term, on its own monotonic clock, may take over. The holder counts from the moment
before it asked, so it always steps down before anybody else can have seen the term pass.
"""

import structlog

from scrapeyard.model.errors import StorageError
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.leaders import Leader, LeaderBook

log = structlog.get_logger(__name__)

ROLE = "dispatcher"
_RENEW = 1 / 4
_TRUST = 0.8
_LOOK = 1 / 10


class Leadership:
    """One candidate."""

    def __init__(self, leaders: LeaderBook, clock: Clock, holder: str, ttl: float, role: str = ROLE) -> None:
        self._role = role
        self._leaders = leaders
        self._clock = clock
        self._ttl = ttl
        self.holder = holder
        self._mine: Leader | None = None
        self._renewed = 0.0
        self._seen: Leader | None = None
        self._since = 0.0
        self._looked: float | None = None

    async def held(self) -> bool:
        """Whether this one leads; renews or campaigns when it is time to."""
        if self._mine is None:
            await self._campaign()
        elif self._clock.monotonic() - self._renewed >= self._ttl * _RENEW:
            await self._renew(self._mine)
        return self._mine is not None

    async def resign(self) -> None:
        """Give the role up, if it is held."""
        if self._mine is not None:
            self._mine = None
            await self._leaders.resign(self._role, self.holder)

    async def _renew(self, mine: Leader) -> None:
        asked = self._clock.monotonic()
        try:
            renewed = await self._leaders.claim(self._role, self.holder, seen=mine)
        except StorageError as error:
            log.warning("cannot renew the lead", error=str(error))
            renewed = mine if self._clock.monotonic() - self._renewed < self._ttl * _TRUST else None
            asked = self._renewed
        if renewed is None:
            log.warning("lead lost", holder=self.holder)
        self._mine, self._renewed, self._looked = renewed, asked, None

    async def _campaign(self) -> None:
        now = self._clock.monotonic()
        if self._looked is not None and now - self._looked < self._ttl * _LOOK:
            return
        self._looked = now
        leader = await self._leaders.leader(self._role)
        if leader is not None and leader != self._seen:
            self._seen, self._since = leader, now
        # one's own name there means that the answer to a claim was lost
        if leader is None or leader.holder == self.holder or now - self._since >= self._ttl:
            self._mine = await self._leaders.claim(self._role, self.holder, seen=leader)
            self._renewed = now
