"""What a scraping process is told at its start: where scrapers and blobs are, and how to talk to sites.

It travels as JSON in the environment, so that the process need not read the settings again nor load what reads them.
"""

from pathlib import Path

import msgspec

from scrapeyard.model.ladder import Price
from scrapeyard.ports.sessions import Shelf
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.line import Reveal, no_secrets
from scrapeyard.scraping.proxies.options import ProxyOptions
from scrapeyard.scraping.registry.registry import ScraperRegistry
from scrapeyard.scraping.scrapers import equip
from scrapeyard.scraping.sessions.options import SessionOptions

VARIABLE = "SCRAPEYARD_SCRAPING"
"""The environment variable in which a scraping process finds this."""


class ScrapingSetup(msgspec.Struct, frozen=True):
    """Everything that a scraping process needs to know."""

    scrapers: tuple[str, ...]
    cache: Path
    blobs: str
    http: HttpOptions
    prices: dict[str, Price] = {}
    proxies: ProxyOptions = ProxyOptions()
    sessions: SessionOptions = SessionOptions()
    log_level: str = "info"
    log_format: str = "text"

    def registry(self, secret: Reveal = no_secrets, shelf: Shelf | None = None) -> ScraperRegistry:
        """Where scrapers are found, each made ready to visit over HTTP; `secret` looks up what their logins need, and
        the `shelf` has what other processes know."""
        return ScraperRegistry(self.scrapers, self.cache, equip(self.http, secret=secret, shelf=shelf))


def encoded(setup: ScrapingSetup) -> str:
    """As text for the environment."""
    return msgspec.json.encode(setup, enc_hook=_path_out).decode()


def decoded(text: str) -> ScrapingSetup:
    """Back from it."""
    return msgspec.json.decode(text, type=ScrapingSetup, dec_hook=_path_in)


def _path_out(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(type(value).__name__)


def _path_in(wanted: type, value: object) -> Path:
    if wanted is Path:
        return Path(str(value))
    raise NotImplementedError(wanted.__name__)
