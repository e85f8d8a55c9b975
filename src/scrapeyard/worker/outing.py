"""One try at the site: in a session that is at hand, or in a new one that is opened first; and judged.

A site forgets sessions when it likes. An item that happens to find that out is not to blame, so its visit is made again
at once, in a fresh session and within the same attempt. It is made again once: a site that forgets a session the moment
it was opened has another trouble.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.item import Lease
from scrapeyard.model.session import Session
from scrapeyard.model.states import ReadingState, VisitState
from scrapeyard.ports.scrapers import Answer, Errand, LoadedScraper, Permits, Visited
from scrapeyard.ports.sessions import Loan, Sessions
from scrapeyard.reading.run import Reading, read
from scrapeyard.worker.finding import Finding, find, state_of, suspect
from scrapeyard.worker.purse import ItemPermits, Purse

_FORGOTTEN: Final = frozenset({Kind.SESSION_EXPIRED, Kind.AUTH_REQUIRED})


class Went(msgspec.Struct, frozen=True):
    """What an outing came to. `session` is what the session has become, None where it was not even opened; `lent` names
    it, where visits share sessions."""

    visited: Visited
    finding: Finding | None
    reading: Reading = Reading(ReadingState.NONE)
    session: Session | None = None
    lent: str = ""


class Outing:
    """One item's way to the site and back."""

    def __init__(self, scraper: LoadedScraper, lease: Lease, sessions: Sessions, purse: Purse) -> None:
        self._scraper = scraper
        self._lease = lease
        self._sessions = sessions
        self._purse = purse
        self._throttled = False

    async def done(self) -> Went:
        """Go, and once more if the session was over. Raises what lending raises, and cancellation."""
        went = await self._went()
        if went.finding is not None and went.finding.kind is Kind.RATE_LIMITED and not self._throttled:
            proxied = bool(went.visited.proxy)  # a page that says it in words counts like a status that says so
            wait = None if proxied else went.finding.retry_after
            site = self._scraper.card.site.name
            self._purse.heard(Answer(site, 0.0, good=False, throttled=True, retry_after=wait, proxied=proxied))
        return went

    async def _went(self) -> Went:
        went, used = await self._once(fresh=False)
        if went.finding is None or went.finding.kind not in _FORGOTTEN or not used:
            return went
        again, _ = await self._once(fresh=True)
        return msgspec.structs.replace(again, visited=_together(went.visited, again.visited))

    async def _once(self, *, fresh: bool) -> tuple[Went, bool]:
        """One visit, and whether it was made in a session that had been used before."""
        offer = self._lease.offer
        word = f"{offer.job}/{offer.seq}/{self._lease.fence}"
        loan = await self._sessions.lend(self._scraper.card, offer.tier, word, fresh=fresh)
        try:
            opened = await self._opened(loan)
            went = self._turned_away(opened) if opened.error is not None else await self._visited(loan, opened)
        except BaseException:
            await self._sessions.back(loan, None, None)
            raise
        kind = went.finding.kind if went.finding is not None else None
        if opened.error is not None:
            await self._sessions.refused(loan, kind or Kind.DENIED)
        else:
            await self._sessions.back(loan, went.session, kind)
        return msgspec.structs.replace(went, lent=loan.session.id if loan.pool else ""), loan.used

    async def _opened(self, loan: Loan) -> Visited:
        if loan.session.opened or not self._scraper.card.opens:
            return Visited(session=loan.session)
        opened = await self._within(self._scraper.open, loan, loan.session)
        if opened.error is None and opened.session is not None:
            await self._sessions.opened(loan, opened.session)
        return opened

    def _turned_away(self, opened: Visited) -> Went:
        """The session could not be opened, so there was no visit."""
        if opened.error is None or state_of(opened.error) is not VisitState.SUCCEEDED:
            return Went(opened, None)
        finding = find(opened.error, opened, self._scraper.card.rules)
        if finding.kind in _FORGOTTEN:  # who is asked to log in while logging in was not let in
            finding = msgspec.structs.replace(finding, kind=Kind.LOGIN_FAILED)
        return Went(opened, finding)

    async def _visited(self, loan: Loan, opened: Visited) -> Went:
        visited = await self._within(self._scraper.visit, loan, opened.session)
        finding, reading = self._judged(visited)
        return Went(_together(opened, visited), finding, reading, visited.session)

    async def _within(
        self, go: Callable[[Errand, Permits], Awaitable[Visited]], loan: Loan, session: Session | None
    ) -> Visited:
        """One conversation, within the item's deadline."""
        offer, proxy = self._lease.offer, loan.proxy
        errand = Errand(offer.job, offer.seq, offer.key, offer.inputs, offer.attempt, offer.tier, proxy, session)
        try:
            async with asyncio.timeout(offer.deadline) as limit:
                permits = ItemPermits(self._purse, limit)
                try:
                    return await go(errand, permits)
                finally:
                    self._throttled |= permits.throttled
        except TimeoutError:
            late = VisitError(f"The visit was not done within {offer.deadline:g} s.", kind=Kind.DEADLINE)
            return Visited(error=late, proxy=proxy.id if proxy else "")

    def _judged(self, visited: Visited) -> tuple[Finding | None, Reading]:
        """Whether the visit was any good, and what its pages say."""
        reading, card = Reading(ReadingState.NONE), self._scraper.card
        if visited.error is not None and state_of(visited.error) is not VisitState.SUCCEEDED:
            return None, reading
        if visited.error is not None:
            return find(visited.error, visited, card.rules), reading
        if card.has_extractor:
            reading = read(self._scraper, self._lease.offer.inputs, visited.kept)
            if reading.refusal is not None:
                return find(reading.refusal, visited, card.rules), reading
        if reading.state is not ReadingState.READ:
            # nobody has read these pages, so a block page could pass for a success
            return suspect(visited, card.rules), reading
        return None, reading


def _together(first: Visited, then: Visited) -> Visited:
    """What both cost; what the second brought home."""
    if not (first.requests or first.steps):
        return then
    return msgspec.structs.replace(
        then,
        requests=first.requests + then.requests,
        wire_bytes=first.wire_bytes + then.wire_bytes,
        body_bytes=first.body_bytes + then.body_bytes,
        steps=(*first.steps, *then.steps),
    )
