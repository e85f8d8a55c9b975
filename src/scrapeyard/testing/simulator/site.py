"""What is scraped in a simulation: a site that answers, fails, hangs, and now and then kills who visits it.

What comes of a visit depends on the seed, the item and the number of the try, so that it is the same however the
visits are mixed.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import Absent, NotFound, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.record import Record
from scrapeyard.model.scraper import BrokenScraper, ScraperCard, ScraperRef
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.proxies import Proxy
from scrapeyard.ports.scrapers import Errand, Permits, Visited
from scrapeyard.testing.simulator.loop import Luck

REF = ScraperRef("sim.bill", "1", "5eed")
SITE = SitePolicy("sim.example", rate=40.0, concurrency=30)
CARD = ScraperCard(REF, SITE, has_extractor=True)

_ENDINGS = ("good",) * 78 + ("absent",) * 5 + ("hangs", "bug", "kills") + tuple(
    kind for kind in (Kind.SITE_5XX, Kind.CONN_RESET, Kind.BLOCKED, Kind.TIMEOUT_READ, Kind.RATE_LIMITED)
    for _ in range(3)
)  # fmt: skip
_FOREVER = 1e6


class Bill(Record):
    """What is read."""

    key: str


class Started(NamedTuple):
    """One visit that began."""

    at: float
    job: str
    seq: int
    number: int


class Site:
    """The site, and who has visited it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.started: list[Started] = []

    def fate(self, errand: Errand) -> tuple[str, float, int]:
        """How this try ends, how long it takes, and how many requests it makes."""
        luck = Luck(f"{self._seed}/{errand.job}/{errand.key}/{errand.number}")
        if errand.key.endswith("-killer"):
            return "kills", luck.uniform(0.1, 1.0), 1
        return luck.choice(_ENDINGS), luck.uniform(0.1, 3.0), luck.randint(1, 3)


class Scraper:
    """Fulfils `LoadedScraper` in one process; `die` ends that process."""

    def __init__(self, site: Site, clock: Clock, die: Callable[[], None]) -> None:
        self._site = site
        self._clock = clock
        self._die = die

    @property
    def card(self) -> ScraperCard:
        """See LoadedScraper."""
        return CARD

    async def open(self, errand: Errand, permits: Permits) -> Visited:  # noqa: ARG002 - the port's words
        """See LoadedScraper."""
        return Visited(session=errand.session)

    async def visit(self, errand: Errand, permits: Permits) -> Visited:
        """See LoadedScraper."""
        self._site.started.append(Started(self._clock.monotonic(), errand.job, errand.seq, errand.number))
        ending, seconds, requests = self._site.fate(errand)
        for _ in range(requests):
            await permits.request(SITE.name)
            await asyncio.sleep(seconds / requests)
        error: Exception | None = None
        match ending:
            case "kills":
                self._die()
                await asyncio.sleep(_FOREVER)
            case "hangs":
                await asyncio.sleep(_FOREVER)
            case "bug":
                error = ZeroDivisionError("division by zero")
            case "absent":
                error = Absent("no such record")
            case Kind():
                error = VisitError(f"as the seed wants: {ending}", kind=ending)
            case _:
                pass
        page = Kept(
            "page", f"http://{SITE.name}/{errand.seq}", 200, (), "text/html", self._clock.now(), errand.key.encode()
        )
        return Visited((page,) if error is None else (), error, requests, 1000, 1000, 200)

    def read(self, inputs: bytes, captures: Sequence[Kept]) -> Sequence[Record]:  # noqa: ARG002 - the port's words
        """See LoadedScraper."""
        return [Bill(key=captures[0].body.decode())]

    def check_inputs(self, row: Mapping[str, object]) -> tuple[str, bytes]:
        """See LoadedScraper."""
        raise NotImplementedError(f"nobody submits rows here: {row}")

    async def close(self) -> None:
        """See LoadedScraper."""


class Scrapers:
    """Fulfils `scrapeyard.ports.scrapers.Scrapers` with the one scraper."""

    def __init__(self, load: Callable[[], Scraper]) -> None:
        self._load = load

    def catalogue(self) -> Sequence[ScraperCard]:
        """See Scrapers."""
        return [CARD]

    def broken(self) -> Sequence[BrokenScraper]:
        """See Scrapers."""
        return []

    def digests(self) -> frozenset[str]:
        """See Scrapers."""
        return frozenset({REF.digest})

    def find(self, name: str) -> ScraperCard:
        """See Scrapers."""
        if name != REF.name:
            raise NotFound(f"There is no scraper {name!r} here.")
        return CARD

    def load(self, ref: ScraperRef) -> Scraper:
        """See Scrapers."""
        self.find(ref.name)
        return self._load()


class NoProxies:
    """Fulfils `scrapeyard.ports.proxies.Proxies`: everything goes the direct way."""

    async def lend(self, tier: str, session: str) -> Proxy | None:  # noqa: ARG002 - the port's words
        """See Proxies."""
        return None

    def judged(self, proxy: str, kind: Kind | None) -> None:
        """See Proxies."""

    async def close(self) -> None:
        """See Proxies."""
