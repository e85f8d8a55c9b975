"""The desk of sites, at a controller."""

from urllib.parse import quote

from scrapeyard.client.line import Line
from scrapeyard.model.request import Reason
from scrapeyard.model.site import ProxyView, SiteView


class RestSites:
    """Fulfils `scrapeyard.ports.service.SiteDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def find(self) -> list[SiteView]:
        """Every site."""
        return await self._line.get("/v1/sites", list[SiteView])

    async def get(self, site: str) -> SiteView:
        """One site."""
        return await self._line.get(_at(site), SiteView)

    async def hold(self, site: str, reason: str, by: str) -> SiteView:  # noqa: ARG002 - there it is the key's name
        """Let nothing start at the site."""
        return await self._line.post(f"{_at(site)}/hold", SiteView, Reason(reason), once=True)

    async def release(self, site: str) -> SiteView:
        """Let the site go."""
        return await self._line.post(f"{_at(site)}/release", SiteView, once=True)

    async def proxies(self) -> list[ProxyView]:
        """How proxies have fared lately."""
        return await self._line.get("/v1/proxies", list[ProxyView])


def _at(site: str) -> str:
    return f"/v1/sites/{quote(site, safe='')}"
