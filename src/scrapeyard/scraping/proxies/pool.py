"""All proxies of a scraping process: from the tier of an offer to the proxy that its requests go through."""

from typing import Protocol

from scrapeyard.model.failures import Kind
from scrapeyard.model.ladder import DIRECT
from scrapeyard.model.place import Place, parted
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.proxies.brightdata import BrightData
from scrapeyard.scraping.proxies.exits import Exits
from scrapeyard.scraping.proxies.iproyal import IpRoyal
from scrapeyard.scraping.proxies.iproyal_static import IpRoyalOrders
from scrapeyard.scraping.proxies.listed import ListedSource
from scrapeyard.scraping.proxies.options import (
    BrightDataUnlocker,
    BrightDataZone,
    IpRoyalGateway,
    IpRoyalStatic,
    Listed,
    Provided,
    ProxyOptions,
    ProxyScrapeList,
    WebshareList,
)
from scrapeyard.scraping.proxies.peers import Peers
from scrapeyard.scraping.proxies.provider import NoProxy
from scrapeyard.scraping.proxies.proxyscrape import ProxyScrape
from scrapeyard.scraping.proxies.unlocker import Unlocker
from scrapeyard.scraping.proxies.webshare import Webshare
from scrapeyard.scraping.secrets import Secrets


class ProxySet(Protocol):
    """One section `[proxies.NAME]` at work."""

    async def lend(self, place: Place, session: str) -> Proxy: ...

    def judged(self, proxy: str, kind: Kind | None) -> None: ...

    async def sample(self, place: Place, most: int) -> list[Proxy]: ...

    async def close(self) -> None: ...


class ProxyPool:
    """Fills Proxies."""

    def __init__(self, sets: dict[str, ProxySet], tiers: dict[str, str]) -> None:
        self._sets = sets
        self._tiers = tiers

    async def lend(self, tier: str, session: str) -> Proxy | None:
        """See Proxies."""
        if tier == DIRECT:
            return None
        base, place = parted(tier)
        name = self._tiers.get(tier) or self._tiers.get(base)
        if name is None:
            raise NoProxy(f"The settings name no proxies for the tier {base!r}; add a section [tiers.{base}].")
        return await self._sets[name].lend(place, session)

    def judged(self, proxy: str, kind: Kind | None) -> None:
        """See Proxies."""
        found = self._sets.get(proxy.partition("/")[0])
        if found is not None:
            found.judged(proxy, kind)

    async def sample(self, name: str, place: Place, most: int) -> list[Proxy]:
        """Some proxies of a set, to be looked at. `VisitError` if there are none."""
        return await self._sets[name].sample(place, most)

    async def close(self) -> None:
        """See Proxies."""
        for one in self._sets.values():
            await one.close()


def open_pool(options: ProxyOptions, secrets: Secrets, clock: Clock, http: HttpOptions) -> ProxyPool:
    """The pool that the settings describe. `Refused` if a secret is missing or an address cannot be read.

    `http` is how providers are asked for their lists, and where a stranger's list may lead.
    """
    sets = {name: opened(name, provided, secrets, clock, http) for name, provided in options.sets.items()}
    return ProxyPool(sets, options.tiers)


def opened(name: str, provided: Provided, secrets: Secrets, clock: Clock, http: HttpOptions) -> ProxySet:
    """One set at work."""
    match provided:
        case Listed():
            return Peers(name, ListedSource(provided, secrets), clock)
        case WebshareList():
            return Peers(name, Webshare(provided, secrets, http.to_providers), clock)
        case IpRoyalStatic():
            return Peers(name, IpRoyalOrders(provided, secrets, http.to_providers), clock)
        case ProxyScrapeList():
            return Peers(name, ProxyScrape(provided, http.to_providers, http.egress), clock)
        case BrightDataZone():
            return Exits(name, BrightData(provided, secrets), clock, provided.trust)
        case BrightDataUnlocker():
            return Exits(name, Unlocker(provided, secrets), clock)
        case IpRoyalGateway():
            return Exits(name, IpRoyal(provided, secrets), clock)
