"""Operations on sites and the proxies to them: what a site allows, who visits it, and holding it shut by hand."""

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.operation import Operation
from scrapeyard.model.access import Scope
from scrapeyard.model.request import Reason
from scrapeyard.model.site import ProxyView, SiteView


class SiteRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._sites = office.service.sites

    def add_to(self, door: Door) -> None:
        """Add them all."""
        site = "/v1/sites/{site}"
        listed = Operation("GET /v1/sites", Scope.READ, gives=list[SiteView], makes={"site": "/0/name"})
        door.add(listed, self.list_sites)
        door.add(Operation(f"GET {site}", Scope.READ, gives=SiteView), self.show_site)
        door.add(Operation(f"POST {site}/hold", Scope.OPERATE, takes=Reason, gives=SiteView), self.hold_site)
        door.add(Operation(f"POST {site}/release", Scope.OPERATE, gives=SiteView), self.release_site)
        door.add(Operation("GET /v1/proxies", Scope.READ, gives=list[ProxyView]), self.list_proxies)

    async def list_sites(self, call: Call) -> list[SiteView]:  # noqa: ARG002 - every handler takes its call
        """List the sites: their limits, the jobs that visit them, and how the ways to them stand."""
        return await self._sites.find()

    async def show_site(self, call: Call) -> SiteView:
        """Show one site."""
        return await self._sites.get(call.part("site"))

    async def hold_site(self, call: Call) -> SiteView:
        """Let nothing start at a site, whichever job it is of, until it is released."""
        return await self._sites.hold(call.part("site"), (await call.body(Reason)).reason, call.key.name)

    async def release_site(self, call: Call) -> SiteView:
        """Let a site go. Ways to it that a breaker has closed are probed at once."""
        return await self._sites.release(call.part("site"))

    async def list_proxies(self, call: Call) -> list[ProxyView]:  # noqa: ARG002 - every handler takes its call
        """List how the proxies have fared lately, as the dispatcher heard it, the most used first."""
        return await self._sites.proxies()
