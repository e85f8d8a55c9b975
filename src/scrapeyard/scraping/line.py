"""What all scrapers of a process share: one client, so that connections are shared, and the secrets of the settings."""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from scrapeyard.model.errors import Refused
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.secret import Secret
from scrapeyard.ports.sessions import Shelf
from scrapeyard.scraping.http.downloads import own_folder
from scrapeyard.scraping.http.exchange import Common
from scrapeyard.scraping.http.meter import Trace
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.proxies.own import OwnProxies
from scrapeyard.scraping.robots.keeper import Robots

log = logging.getLogger(__name__)

Reveal = Callable[[str], Secret]
"""From a reference to the secret. `Refused` says where it was looked for."""


def no_secrets(reference: str) -> Secret:
    """For where none can be looked up."""
    raise Refused(f"The secret {reference} cannot be looked up here.")


class SharedLine:
    """The client of one process, made when the first visit needs it and closed when the last scraper leaves."""

    def __init__(
        self,
        options: HttpOptions,
        trace: Trace | None = None,
        secret: Reveal = no_secrets,
        shelf: Shelf | None = None,
    ) -> None:
        self._shelf = shelf
        self._options = options
        self._trace = trace
        self._common: Common | None = None
        self._users: set[int] = set()
        self._careless: set[str] = set()
        self.folder: Path = own_folder(options.downloads)
        self.secret = secret

    def common(self) -> Common:
        """What visits share."""
        if self._common is None:
            options = self._options
            self._common = Common(
                client=options.connected(),
                timeouts=options.timeouts,
                limits=options.limits,
                egress=options.egress,
                headers=options.headers(),
                trace=self._trace,
                own_proxies=OwnProxies(options.egress, options.timeouts.connect),
            )
            self._common = msgspec.structs.replace(
                self._common, doorkeeper=Robots(msgspec.structs.replace(self._common, trace=None), self._shelf)
            )
        return self._common

    def keeps_to_robots(self, card: ScraperCard) -> bool:
        """Whether this scraper asks for robots.txt: as the settings of its site say, else as its author does."""
        site = card.site.name
        keeps = self._options.robots.get(site, card.robots)
        if not keeps and site not in self._careless:
            self._careless.add(site)
            by = "the settings of the site" if site in self._options.robots else f"the scraper {card.ref.name}"
            log.warning("robots.txt of %s is not asked for: %s says so", site, by)
        return keeps

    def join(self, scraper: object) -> None:
        """One more scraper uses this."""
        self._users.add(id(scraper))

    async def leave(self, scraper: object) -> None:
        """One scraper less; the last one closes the client."""
        self._users.discard(id(scraper))
        if not self._users and self._common is not None:
            client, self._common = self._common.client, None
            await client.close()
            with suppress(OSError):  # it is not there, or files in it still wait for the store
                self.folder.rmdir()
