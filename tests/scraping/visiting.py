"""A visit made by hand: an author's function, run as the worker would run it."""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from scrapeyard import Http, Inputs, Scraper, Visit, scraper
from scrapeyard.ports.proxies import Proxy
from scrapeyard.ports.scrapers import Answer, Errand, LoadedScraper, Visited
from scrapeyard.ports.sessions import Shelf
from scrapeyard.scraping.http.client import Limits, Timeouts
from scrapeyard.scraping.http.meter import Trace
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.scrapers import equip

SITE = "site.example"
HOSTILE_TIMEOUTS = Timeouts(connect=1.0, idle=1.5, total=3.0)
HOSTILE_LIMITS = Limits()
Flow = Callable[[Http, Visit], Awaitable[Any]]


class Parcel(Inputs):
    parcel_id: str = "1"


class Free:
    """Permits for everybody, counted by site."""

    def __init__(self) -> None:
        self.given: Counter[str] = Counter()
        self.answers: list[Answer] = []
        self.delays: dict[str, float] = {}

    async def request(self, site: str) -> None:
        self.given[site] += 1

    def answered(self, answer: Answer) -> None:
        self.answers.append(answer)

    def paced(self, site: str, delay: float) -> None:
        self.delays[site] = delay


def options(folder: Path, **changes: Any) -> HttpOptions:
    settings: dict[str, Any] = {
        "downloads": folder / "downloads",
        "robots": {SITE: False},
        "allow": ("127.0.0.0/8", "::1"),
        "timeouts": Timeouts(connect=1.0, idle=1.0, total=3.0),
        "limits": Limits(),
    }
    return HttpOptions(**(settings | changes))


def flowing(flow: Flow, *, expect: tuple[str, ...] = ("page",)) -> Scraper[...]:
    """A scraper that does what `flow` does."""

    @scraper("test.flow", site=SITE, expect=expect)
    async def visit(parcel: Parcel, http: Http, visit: Visit) -> Any:
        return await flow(http, visit)

    return visit


class Bench:
    """Loaded scrapers over one client, and what their requests looked like."""

    def __init__(self, settings: HttpOptions, shelf: Shelf | None = None) -> None:
        self.permits = Free()
        self.sent: list[Any] = []
        trace: Trace = self.sent.append
        self._equip = equip(settings, trace, shelf=shelf)
        self._loaded: list[LoadedScraper] = []

    def load(self, made: Scraper[...]) -> LoadedScraper:
        loaded = self._equip(made, "digest", "source.py")
        self._loaded.append(loaded)
        return loaded

    async def visit(self, flow: Flow, *, expect: tuple[str, ...] = ("page",), proxy: str | None = None) -> Visited:
        loaded = self.load(flowing(flow, expect=expect))
        through = Proxy("set/one", proxy) if proxy else None
        return await loaded.visit(Errand("job", 0, "1", b'{"parcel_id":"1"}', proxy=through), self.permits)

    async def close(self) -> None:
        for loaded in self._loaded:
            await loaded.close()


@asynccontextmanager
async def bench(folder: Path, **changes: Any) -> AsyncGenerator[Bench]:
    """`shelf` is what it shares with other processes; all else are options."""
    shelf: Shelf | None = changes.pop("shelf", None)
    made = Bench(options(folder, **changes), shelf)
    try:
        yield made
    finally:
        await made.close()
