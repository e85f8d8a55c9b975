"""Put a scraper on the bench by its name or by the path of its file, as the settings find it."""

import os
from pathlib import Path

from scrapeyard.model.errors import NotFound
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.scraping.author.declare import Scraper
from scrapeyard.scraping.registry.registry import ScraperRegistry
from scrapeyard.scraping.scrapers import HttpScraper
from scrapeyard.scraping.secrets import Secrets
from scrapeyard.settings import Settings
from scrapeyard.testing.trial import Workbench
from scrapeyard.wiring.yard import data_folder, http_options


class Benches:
    """All scrapers that the settings name, each put on a bench when it is asked for."""

    def __init__(self, settings: Settings, scraper: str | None = None) -> None:
        """`scraper` may be the path of a file, which is then the only place to look."""
        if scraper is not None and scraper.endswith(".py"):
            settings = settings.model_copy(update={"scrapers": (scraper,)})
        self.settings = settings
        self._opened: dict[str, Scraper[...]] = {}
        self.registry = ScraperRegistry(settings.scrapers, data_folder(settings) / "cache", self._open)

    def card(self, name: str) -> ScraperCard:
        """A scraper's card. A file that declares several must be asked for by one of their names."""
        if name.endswith(".py") and not Path(name).is_file():
            raise NotFound(f"There is no file {name!r}; `scrapeyard scraper new` begins one.")
        return self.registry.find(name)

    def scraper(self, card: ScraperCard) -> Scraper[...]:
        """The declared scraper itself."""
        self.registry.load(card.ref)
        return self._opened[card.ref.digest + card.ref.name]

    def bench(self, card: ScraperCard) -> Workbench:
        """A bench with this scraper on it, connected to the network."""
        return Workbench(
            self.scraper(card),
            http_options(self.settings),
            digest=card.ref.digest,
            source=card.source,
            secret=Secrets(self.settings.secrets_dir, os.environ).resolve,
        )

    @property
    def tries(self) -> Path:
        """Where the last try of each scraper is kept."""
        return data_folder(self.settings) / "tries"

    def _open(self, scraper: Scraper[...], digest: str, source: str) -> HttpScraper:
        self._opened[digest + scraper.declared.name] = scraper
        return Workbench(scraper, http_options(self.settings), digest=digest, source=source).loaded


def cases_of(card: ScraperCard) -> Path:
    """Where a scraper's cases are kept: in the folder `cases` beside its file."""
    return Path(card.source).parent / "cases"
