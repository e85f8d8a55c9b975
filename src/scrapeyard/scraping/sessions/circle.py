"""The sessions of one site, scraper and tier in one process: who is at hand, who is in use, and who may be added."""

import asyncio
from typing import Final

from scrapeyard.model.session import SessionTerms
from scrapeyard.scraping.sessions.member import Member

_FIRST_PAUSE: Final = 60.0
_LONGEST_PAUSE: Final = 900.0


class Circle:
    """Some sessions, any of which will do. Of those used together there is one at a time."""

    def __init__(self, key: str, tier: str, terms: SessionTerms, *, opens: bool, shared: bool) -> None:
        self.key = key
        self.tier = tier
        self.terms = terms
        self.opens = opens
        self.shared = shared
        self.members: dict[str, Member] = {}
        self.idle: list[Member] = []
        self.making = 0
        self.claimed = False
        """Whether others wait for what this process opens."""
        self.closed_until = 0.0
        self._refusals = 0
        self._current: Member | None = None
        self._changed = asyncio.Event()

    @property
    def full(self) -> bool:
        """Whether there may be no more sessions than there are or will be."""
        if self.terms.together:
            return self._current is not None or self.making > 0
        return sum(not one.over for one in self.members.values()) + self.making >= self.terms.most

    def pick(self, *, fresh: bool) -> Member | None:
        """Take the best of those at hand. Whoever wants a `fresh` one gets none, but room for it."""
        if self.terms.together:
            one = self._current
            return self._out(one) if one is not None and one.session.opened else None
        if not self.idle or (fresh and not self.full):
            return None
        best = min(self.idle, key=lambda one: (one.misses, -one.touched))
        if not fresh:
            self.idle.remove(best)
            return self._out(best)
        self.remove(max(self.idle, key=lambda one: (one.misses, -one.touched)))
        return None

    def joined(self, member: Member) -> Member:
        """A new one, in use at once."""
        self.members[member.session.id] = member
        if self.terms.together:
            self._current = member
        return self._out(member)

    def returned(self, member: Member, now: float) -> None:
        """One visit less in it."""
        member.busy -= 1
        member.touched = now
        if member.over and not member.busy:
            self.members.pop(member.session.id, None)
        elif not member.over and not self.terms.together:
            self.idle.append(member)
        self.changed()

    def remove(self, member: Member) -> None:
        """It is lent no more."""
        member.over = True
        if member is self._current:
            self._current = None
        if member in self.idle:
            self.idle.remove(member)
        if not member.busy:
            self.members.pop(member.session.id, None)
        self.changed()

    def shut(self, now: float) -> None:
        """A login was refused. Trying again and again would lock the account."""
        self.closed_until = now + min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(self._refusals, 10))
        self._refusals += 1

    def let_in(self) -> None:
        """A login went well."""
        self._refusals, self.closed_until = 0, 0.0
        self.changed()

    def resting(self) -> list[Member]:
        """Those that are not in use."""
        if self._current is not None and not self._current.busy:
            return [self._current]
        return list(self.idle)

    async def change(self) -> None:
        """Wait until anything is different."""
        await self._changed.wait()

    def changed(self) -> None:
        """Wake whoever waits."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _out(self, member: Member) -> Member:
        member.busy += 1
        member.uses += 1
        return member
