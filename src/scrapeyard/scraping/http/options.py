"""How HTTP scrapers are set up, taken apart from the settings at the edge; and the client that the options choose."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import msgspec

from scrapeyard.scraping.egress import PUBLIC_ONLY, Egress
from scrapeyard.scraping.http.client import STANDARD_LIMITS, STANDARD_TIMEOUTS, Client, Limits, Timeouts
from scrapeyard.scraping.http.unlocking import Unlocking

_ANYWHERE = Egress(frozenset(range(1, 65_536)), ("0.0.0.0/0", "::/0"))
"""All but what is never to be reached."""


class HttpOptions(msgspec.Struct, frozen=True):
    """Everything about HTTP that can be set. `downloads` is a folder for large files on their way into the store.

    `contact` stands in the product's own name in the User-Agent, `robots` says by site whether robots.txt is kept to.
    `ports` are those of public addresses, `allow` opens what is not public: see Egress. What is a cloud's own is never
    allowed.
    `trust` names a PEM file of certificate authorities instead of the built-in ones.
    """

    downloads: Path
    client: Literal["wreq", "aiohttp"] = "wreq"
    user_agent: str = ""
    timeouts: Timeouts = STANDARD_TIMEOUTS
    limits: Limits = STANDARD_LIMITS
    contact: str = ""
    robots: dict[str, bool] = {}
    ports: frozenset[int] = PUBLIC_ONLY.ports
    allow: tuple[str, ...] = ()
    trust: Path | None = None

    @property
    def egress(self) -> Egress:
        """What may be reached."""
        return Egress(self.ports, self.allow)

    def headers(self) -> dict[str, str]:
        """What every request says, unless its author says otherwise."""
        return {
            "user-agent": self.user_agent or _own_name(self.contact),
            "accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "accept-language": "en-US,en;q=0.9",
            "accept-encoding": "gzip, deflate, br, zstd",
        }

    def connected(self) -> Client:
        """A new client to sites."""
        return Unlocking(self._made(self.egress))

    def to_providers(self) -> Client:
        """A new client to whom the settings name, which may well be a machine of one's own."""
        return self._made(_ANYWHERE)

    def _made(self, egress: Egress) -> Client:
        module = import_module(f"scrapeyard.scraping.http.{self.client}_client")  # the other one is never loaded
        make: Callable[..., Client] = module.AiohttpClient if self.client == "aiohttp" else module.WreqClient
        return make(self.timeouts, self.limits, egress=egress, trust=self.trust)


def _own_name(contact: str) -> str:
    try:
        name = f"scrapeyard/{version('scrapeyard')}"
    except PackageNotFoundError:  # run from a source tree that was never installed
        name = "scrapeyard"
    return f"{name} (+{contact})" if contact else name
