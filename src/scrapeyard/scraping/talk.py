"""One conversation with a site, be it a visit or the opening of a session: what it needs, and what it comes to.

An author's code can raise anything. Here it becomes an answer that says what was kept, what it cost, and why it ended.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, cast

import msgspec

from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.session import notes_trouble
from scrapeyard.pages.page import Page
from scrapeyard.ports.scrapers import Errand, Permits, Visited
from scrapeyard.scraping.author.visit import Visit, kept_of
from scrapeyard.scraping.http.client import Profile
from scrapeyard.scraping.http.cookies import Jar
from scrapeyard.scraping.http.downloads import Downloads
from scrapeyard.scraping.http.exchange import Exchange
from scrapeyard.scraping.http.sender import Sender
from scrapeyard.scraping.line import SharedLine

LAST: Final = "last"
"""The name under which the last page of a failed visit is kept, as evidence."""


class Talk:
    """One conversation. Its jar begins with the cookies of the errand's session."""

    def __init__(self, errand: Errand, permits: Permits, card: ScraperCard, line: SharedLine, profile: Profile) -> None:
        common, session = line.common(), errand.session
        self.errand = errand
        self._now = common.now
        jar = Jar(session.cookies if session else ())
        self._exchange = Exchange(common, permits, card.site.name, errand.proxy, jar)
        self._exchange.profile = profile
        if line.keeps_to_robots(card):
            self._exchange.doorkeeper = common.doorkeeper
        self._downloads = Downloads(line.folder)
        self._notes = session.notes if session else {}
        self.sender = Sender(self._exchange, self._downloads)
        self.visit = Visit(errand.number, errand.tier, most=common.limits.kept, now=common.now, session=self._notes)

    def noted(self, answer: object) -> None:
        """What an opening step gave back."""
        if answer is None:
            return
        if not isinstance(answer, Mapping):
            raise TypeError(
                f"open_session returned {type(answer).__name__}; it returns a mapping of texts, or nothing."
            )
        trouble = notes_trouble(cast("Mapping[object, object]", answer))
        if trouble is not None:
            raise TypeError(f"open_session: {trouble}.")
        self._notes = dict(cast("Mapping[str, str]", answer))

    async def told(
        self, run: Callable[[], Awaitable[None]], meaning: Callable[[Exception | None], Exception | None]
    ) -> Visited:
        """Have the conversation and tell what came of it. `meaning` has the last word on what its end means."""
        kept: tuple[Kept, ...] = ()
        sender = self.sender
        try:
            error = await _error_of(run, meaning)
            kept = self.visit.kept if error is None else _with_evidence(self.visit.kept, sender.last, self._now())
        finally:
            sender.last = None  # a page knows its sender; without this every visit would wait for the garbage collector
            self._downloads.forget(frozenset(one.path for one in kept if one.path is not None))
        meter, session, proxy = self._exchange.meter, self.errand.session, self.errand.proxy
        if session is not None and (len(self._exchange.jar) or session.cookies or self._notes != session.notes):
            session = msgspec.structs.replace(session, cookies=tuple(self._exchange.jar), notes=self._notes)
        return Visited(
            kept, error, meter.requests, meter.wire_bytes, meter.body_bytes, meter.last_status, self.visit.steps,
            proxy=proxy.id if proxy else "", session=session,
        )  # fmt: skip


async def _error_of(
    run: Callable[[], Awaitable[None]], meaning: Callable[[Exception | None], Exception | None]
) -> Exception | None:
    """What the author's code raised. On its own, so that no frame holds the error that holds the frame."""
    try:
        await run()
        return meaning(None)
    except Exception as raised:  # noqa: BLE001 - an author's code can raise anything; it is told, not hidden
        return meaning(raised)
    except SystemExit as left:
        told = VisitError("The scraper tried to end the process (SystemExit).", kind=Kind.SCRAPER_BUG)
        told.__cause__ = left
        return told


def _with_evidence(kept: tuple[Kept, ...], last: Page | None, now: float) -> tuple[Kept, ...]:
    """What was kept, and the last page if it is not among it: a failure is judged and mended by what was seen."""
    if last is None or any(one.body is last.body and one.url == last.url for one in kept):
        return kept
    return (*kept, kept_of(LAST, last, now))
