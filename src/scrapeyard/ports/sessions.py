"""Sessions lent to visits, each with its cookies and its proxy kept together; and the shelf that workers share."""

from typing import Protocol

import msgspec

from scrapeyard.model.failures import Kind
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.session import Session
from scrapeyard.ports.proxies import Proxy


class Loan(msgspec.Struct, frozen=True):
    """A session for one visit. `used` says that visits before this one have used it, so that it may have expired."""

    session: Session
    proxy: Proxy | None = None
    used: bool = False
    pool: str = ""


class Sessions(Protocol):
    """The sessions of one scraping process, by site, scraper and tier."""

    async def lend(self, card: ScraperCard, tier: str, visit: str, *, fresh: bool = False) -> Loan:
        """A session for a visit of this scraper; waits for one if all that may be are in use.

        A scraper without terms gets a new one for every `visit`. `fresh` asks for one that was opened after the last
        one failed. `VisitError` if there is no proxy for the tier, or if the site has refused our login just now.
        """
        ...

    async def opened(self, loan: Loan, session: Session) -> None:
        """The opening step of this session is done."""
        ...

    async def refused(self, loan: Loan, kind: Kind) -> None:
        """The opening step failed; the loan is over."""
        ...

    async def back(self, loan: Loan, session: Session | None, kind: Kind | None) -> None:
        """The visit is over: what the session is now (None if the visit was broken off), and what came of it."""
        ...

    async def tidy(self) -> None:
        """Now and then: give up what is worn, share what nobody here uses."""
        ...

    async def close(self) -> None:
        """Share what others can use, and let go of connections."""
        ...


class Found(msgspec.Struct, frozen=True):
    """What a shelf has for a pool: a session; or nothing, with the time until which somebody else opens one, or until
    which nobody should try because the site refused the last login."""

    session: Session | None = None
    wait: float = 0.0
    refused: float = 0.0


class Shelf(Protocol):
    """Sessions that any process may use. It is a convenience: what is lost on it costs a login, never an item."""

    async def take(self, pool: str, *, together: bool) -> Found:
        """A session of this pool. One that is not used `together` is taken off; of the others everybody has a copy,
        and whoever finds none opens one for all, while the others are told to wait."""
        ...

    async def put(self, pool: str, session: Session, *, until: float, together: bool) -> None:
        """Leave a session for others, until that time at the latest."""
        ...

    async def forget(self, pool: str, session: str) -> None:
        """That session is no good any more."""
        ...

    async def refuse(self, pool: str, until: float) -> None:
        """Nothing was opened, and nobody should try again before that time (0: at once)."""
        ...
