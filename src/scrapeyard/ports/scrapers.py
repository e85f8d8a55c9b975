"""Scrapers as the system sees them: a catalogue that imports nothing, and a loaded one that can visit and read.

The worker knows neither HTTP nor a browser; it hands a loaded scraper an errand and gets a visit back.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from scrapeyard.model.attempt import Step
from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import Refused
from scrapeyard.model.record import Record
from scrapeyard.model.scraper import BrokenScraper, ScraperCard, ScraperRef
from scrapeyard.model.session import Session
from scrapeyard.ports.proxies import Proxy


class Errand(msgspec.Struct, frozen=True):
    """What one visit needs to know. `number` is the attempt; without a `proxy` it goes the direct way, and without a
    `session` it begins as a visitor whom the site has never seen."""

    job: str
    seq: int
    key: str
    inputs: bytes
    number: int = 1
    tier: str = "direct"
    proxy: Proxy | None = None
    session: Session | None = None


class Visited(msgspec.Struct, frozen=True):
    """What a visit brought home, failed or not. `error` is what ended it: `Absent`, a `VisitError`, a page's
    complaint, or any exception of the scraper's own code. What was kept before the error is there as evidence.
    `proxy` names the proxy that was used, and `session` is what the errand's session has become."""

    kept: tuple[Kept, ...] = ()
    error: Exception | None = None
    requests: int = 0
    wire_bytes: int = 0
    body_bytes: int = 0
    last_status: int | None = None
    steps: tuple[Step, ...] = ()
    proxy: str = ""
    session: Session | None = None


class Answer(msgspec.Struct, frozen=True, gc=False):
    """How one request to a site went: whether it was answered well, whether the site asked us to slow down, and the
    wait that it asked for. `seconds` is until the answer began, or until it was given up. `proxied` answers say
    nothing by the time that they took."""

    site: str
    seconds: float
    good: bool = True
    throttled: bool = False
    retry_after: float | None = None
    proxied: bool = False


class Permits(Protocol):
    """Leave to send requests to sites. Who gives it hears how they went, and gives more or less of it."""

    async def request(self, site: str) -> None:
        """Wait until one request may be sent."""
        ...

    def answered(self, answer: Answer) -> None:
        """How it went; not told of what failed on the way through a proxy."""
        ...

    def paced(self, site: str, delay: float) -> None:
        """What the site's robots.txt wants between two requests, in seconds; 0 if nothing."""
        ...


class LoadedScraper(Protocol):
    """One scraper, imported and ready."""

    @property
    def card(self) -> ScraperCard: ...

    async def open(self, errand: Errand, permits: Permits) -> Visited:
        """Do the step that opens the errand's session, if the scraper has one. Raises nothing but cancellation."""
        ...

    async def visit(self, errand: Errand, permits: Permits) -> Visited:
        """Go to the site. Raises nothing but cancellation; everything else is told in `Visited.error`."""
        ...

    def read(self, inputs: bytes, captures: Sequence[Kept]) -> Sequence[Record]:
        """Run the extractor over captures. Raises what the extractor raises."""
        ...

    def check_inputs(self, row: Mapping[str, object]) -> tuple[str, bytes]:
        """Validate one row against the input model: the item's key and its inputs as JSON. `BadInput` if it fails."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Scrapers(Protocol):
    """Where scrapers are found."""

    def catalogue(self) -> Sequence[ScraperCard]:
        """All scrapers that could be read, by name; found without importing those that are known already."""
        ...

    def broken(self) -> Sequence[BrokenScraper]:
        """What could not be read, and why."""
        ...

    def digests(self) -> frozenset[str]:
        """The versions that can be loaded here, cheaply."""
        ...

    def find(self, name: str) -> ScraperCard:
        """One card. `NotFound` names the nearest names and the broken modules."""
        ...

    def load(self, ref: ScraperRef) -> LoadedScraper:
        """Import exactly this version. `NotFound` when only another version is here."""
        ...


def fallback_of(card: ScraperCard, scrapers: Scrapers) -> ScraperCard | None:
    """The card of its fallback. `Refused` if that cannot take over, because it wants inputs that this one has not."""
    if not card.fallback:
        return None
    other = scrapers.find(card.fallback)
    wanted = other.input_schema.get("required", [])
    known = card.input_schema.get("properties", {})
    missing = [name for name in wanted if name not in known] if isinstance(wanted, list) else []  # pyright: ignore[reportUnknownVariableType] - JSON
    if missing or not isinstance(known, dict):
        raise Refused(
            f"{other.ref.name} cannot take over from {card.ref.name}: it wants the input {missing[0]!r} as well."
        )
    return other
