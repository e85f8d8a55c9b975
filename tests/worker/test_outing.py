"""One outing of an item: what the site said of its pace is told once, however it was said."""

import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.fleet import Answers
from scrapeyard.model.item import Lease, Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.scraper import ScraperCard, ScraperRef
from scrapeyard.ports.proxies import Proxy
from scrapeyard.ports.scrapers import Answer, Visited
from scrapeyard.scraping.sessions.pool import SessionPool
from scrapeyard.scraping.sessions.shelf import MemoShelf
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.worker.outing import Outing
from scrapeyard.worker.purse import Purse

SITE = "paced.example"
CARD = ScraperCard(ScraperRef("test.one", "1", "d"), SitePolicy(SITE))


class Direct:
    """No proxies, or one that lends itself to every visit."""

    def __init__(self, proxy: str) -> None:
        self.proxy = proxy

    async def lend(self, tier, session):
        return Proxy(self.proxy, "http://10.0.0.1:1") if self.proxy else None

    def judged(self, proxy, kind):
        pass

    async def close(self):
        pass


class Refused:
    """A scraper that is told to slow down: by a status, as the HTTP client tells it, or by the words of a page."""

    card = CARD

    def __init__(self, *, by_status: bool, proxy: str = "") -> None:
        self.by_status = by_status
        self.proxy = proxy

    async def visit(self, errand, permits):
        if self.by_status:
            permits.answered(Answer(SITE, 0.1, good=False, throttled=True, retry_after=7.0))
        error = VisitError("too fast", kind=Kind.RATE_LIMITED, retry_after=7.0)
        return Visited(error=error, session=errand.session, proxy=self.proxy)


@pytest.mark.parametrize("by_status", [True, False])
async def test_a_site_that_says_slow_down_is_heard_once_in_a_status_as_in_words(by_status) -> None:
    assert await told(Refused(by_status=by_status)) == Answers(throttled=1, retry_after=7.0)


async def test_a_wait_that_one_proxy_was_asked_for_is_not_everybodys() -> None:
    assert await told(Refused(by_status=False, proxy="set/1")) == Answers(throttled=1)


async def told(scraper) -> Answers:
    clock = VirtualClock()
    purse = Purse(clock)
    sessions = SessionPool(Direct(scraper.proxy), MemoShelf(MemoryLedger().memos, clock), clock)
    offer = Offer(JobId("job"), 1, "k", b"{}", CARD.ref, epoch=0, attempt=1, until=60.0)
    went = await Outing(scraper, Lease(offer, "w1", 1), sessions, purse).done()
    assert went.finding is not None
    assert went.finding.kind is Kind.RATE_LIMITED
    return purse.answers()[SITE]
