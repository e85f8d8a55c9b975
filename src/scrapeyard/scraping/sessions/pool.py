"""The sessions of a scraping process: cookies, notes and proxy kept together, lent to one visit after the other.

A county that wants a disclaimer accepted, or a login, wants it once; doing it for each of 400,000 items would double
the load and look like nobody's visit. So a session is opened once and lent on while it does well. It is given up when
it is old, worn or blocked, and a new one is opened when there is need.
"""

import secrets
from typing import Final

import msgspec

from scrapeyard.model.errors import LoginFailed
from scrapeyard.model.failures import Kind
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.session import Session
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.proxies import Proxies
from scrapeyard.ports.sessions import Found, Loan, Shelf
from scrapeyard.scraping.sessions.circle import Circle
from scrapeyard.scraping.sessions.member import Member
from scrapeyard.scraping.sessions.options import SessionOptions

LEAVE_AFTER: Final = 2.0
"""Seconds without a visit after which a session is left to others."""
_WORTHLESS: Final = 5.0
"""Seconds of life that a session must have left to be of use to others."""
_LOOK_AGAIN: Final = 0.25


class SessionPool:
    """Fills Sessions."""

    def __init__(self, proxies: Proxies, shelf: Shelf, clock: Clock, options: SessionOptions | None = None) -> None:
        self._proxies = proxies
        self._shelf = shelf
        self._clock = clock
        self._options = options or SessionOptions()
        self._circles: dict[str, Circle] = {}

    async def lend(self, card: ScraperCard, tier: str, visit: str, *, fresh: bool = False) -> Loan:
        """See Sessions."""
        if card.sessions is None:
            return Loan(Session(visit), await self._proxies.lend(tier, visit))
        circle = self._circle(card, tier)
        while True:
            left = circle.closed_until - self._clock.now()
            if left > 0:
                raise LoginFailed(f"The site refused our login; the next one is tried in {left:.0f} s.")
            for worn in [one for one in circle.resting() if one.worn(circle.terms, self._clock.now())]:
                await self._end(circle, worn)
            member = circle.pick(fresh=fresh)
            if member is None and circle.full:
                await circle.change()
                continue
            if member is None:
                member = await self._another(circle, fresh=fresh)
            if member is not None and await self._on_its_way(circle, member):
                return Loan(member.session, member.proxy, used=member.uses > 1, pool=circle.key)

    async def opened(self, loan: Loan, session: Session) -> None:
        """See Sessions."""
        circle, member = self._found(loan)
        if circle is None or member is None:
            return
        member.session = msgspec.structs.replace(session, opened=self._clock.now(), proxy=member.way)
        circle.let_in()
        if circle.terms.together:
            await self._put(circle, member)

    async def refused(self, loan: Loan, kind: Kind) -> None:
        """See Sessions."""
        circle, member = self._found(loan)
        if circle is not None and member is not None:
            if kind is Kind.LOGIN_FAILED:
                circle.shut(self._clock.now())
                circle.claimed = True  # whoever waits or not, others should hear of it
            member.over = True
        await self.back(loan, None, kind)

    async def back(self, loan: Loan, session: Session | None, kind: Kind | None) -> None:
        """See Sessions."""
        if loan.proxy is not None and (session is not None or kind is not None):
            self._proxies.judged(loan.proxy.id, kind)
        circle, member = self._found(loan)
        if circle is None or member is None:
            return
        now, was = self._clock.now(), member.over
        member.fared(kind, circle.terms)
        if session is None:  # it may still be under way at the site, whose answer would mix with the next visit's
            member.over |= not circle.terms.together or not member.session.opened
        else:
            opened = member.session.opened
            member.session = msgspec.structs.replace(session, opened=opened, proxy=member.way)
        member.over |= member.worn(circle.terms, now)
        circle.returned(member, now)
        if member.over:
            await self._end(circle, member, told=was and member.session.opened > 0)

    async def tidy(self) -> None:
        """See Sessions."""
        now = self._clock.now()
        for circle in self._circles.values():
            for member in circle.resting():
                if member.worn(circle.terms, now):
                    await self._end(circle, member)
            await self._leave(circle, now - LEAVE_AFTER)

    async def close(self) -> None:
        """See Sessions."""
        for circle in self._circles.values():
            await self._leave(circle, self._clock.now())
        await self._proxies.close()

    def _circle(self, card: ScraperCard, tier: str) -> Circle:
        terms = card.sessions
        assert terms is not None
        name = terms.name or f"{card.ref.name}@{card.ref.digest}"
        key = "\n".join((card.site.name, name, tier))
        circle = self._circles.get(key)
        if circle is None:
            shared = self._options.shares(secret=bool(card.secrets))
            circle = self._circles[key] = Circle(key, tier, terms, opens=card.opens, shared=shared)
        return circle

    def _found(self, loan: Loan) -> tuple[Circle | None, Member | None]:
        circle = self._circles.get(loan.pool)
        return circle, circle.members.get(loan.session.id) if circle is not None else None

    async def _another(self, circle: Circle, *, fresh: bool) -> Member | None:
        """A session from the shelf, or a new one. None if it is somebody else's turn to make one."""
        circle.making += 1
        try:
            found, now = await self._look(circle, fresh=fresh), self._clock.now()
            if found.refused > now:
                circle.closed_until = found.refused
                return None
            if found.session is not None:
                return circle.joined(Member(found.session, now, uses=1))
            if found.wait > now:
                await self._clock.sleep(min(_LOOK_AGAIN, found.wait - now))
                return None
            circle.claimed = circle.shared and circle.terms.together
            return circle.joined(Member(Session(secrets.token_hex(8), opened=0.0 if circle.opens else now), now))
        finally:
            circle.making -= 1
            circle.changed()

    async def _look(self, circle: Circle, *, fresh: bool) -> Found:
        """What others have left. What was left one by one may be as dead as the one that has just failed."""
        together = circle.terms.together and circle.shared
        if (fresh and not together) or not (circle.shared or circle.opens):
            return Found()
        return await self._shelf.take(circle.key, together=together)

    async def _on_its_way(self, circle: Circle, member: Member) -> bool:
        """Lend it its proxy. If that is another one than before the session is over: the two go together."""
        try:
            member.proxy = await self._proxies.lend(circle.tier, member.session.id)
        except BaseException:
            await self._lost(circle, member)
            raise
        known = member.session.proxy
        if known and known != member.way:
            await self._lost(circle, member)
            return False
        return True

    async def _lost(self, circle: Circle, member: Member) -> None:
        member.over = True
        circle.returned(member, self._clock.now())
        await self._end(circle, member)

    async def _end(self, circle: Circle, member: Member, *, told: bool = False) -> None:
        """Give a session up. Others are told once: that it is no good any more, or that none was opened."""
        circle.remove(member)
        if not member.session.opened:
            if circle.claimed:
                circle.claimed = False
                await self._shelf.refuse(circle.key, circle.closed_until)
        elif circle.shared and circle.terms.together and not told:
            await self._shelf.forget(circle.key, member.session.id)

    async def _leave(self, circle: Circle, before: float) -> None:
        """Leave what nobody has used since then to others; of what is used together they have a copy already."""
        if not circle.shared or circle.terms.together:
            return
        for member in [one for one in circle.idle if one.touched <= before]:
            circle.remove(member)
            await self._put(circle, member)

    async def _put(self, circle: Circle, member: Member) -> None:
        until = member.session.opened + circle.terms.age
        if not circle.terms.together:
            until = min(until, member.touched + circle.terms.idle)
        if circle.shared and until - self._clock.now() > _WORTHLESS:
            circle.claimed = False
            await self._shelf.put(circle.key, member.session, until=until, together=circle.terms.together)
