"""Pages on what lies outside of single jobs: sites and who holds them, proxies and how they fare, and what happened."""

from urllib.parse import quote

import msgspec
from fastapi import Response
from fastapi.responses import RedirectResponse

from scrapeyard.controller.api.office import Office
from scrapeyard.controller.dashboard.front import Ask, Front, Sheet
from scrapeyard.model.event import Event
from scrapeyard.model.evidence import Evidence

MOST = 100


class Told(msgspec.Struct, frozen=True):
    """An event with what it rests on, if it is a trip."""

    event: Event
    evidence: Evidence | None = None


class PlacePages:
    """See the module."""

    def __init__(self, office: Office) -> None:
        self._sites = office.service.sites
        self._events = office.service.events

    def add_to(self, front: Front) -> None:
        """Add them all."""
        front.page("/sites", self.sites)
        front.page("/proxies", self.proxies)
        front.page("/events", self.events)
        front.deed("/sites/{site}/hold", self.hold)
        front.deed("/sites/{site}/release", self.release)

    async def sites(self, ask: Ask) -> Sheet:  # noqa: ARG002 - every page takes its request
        """Every site."""
        return Sheet("sites.html", "Sites", sites=await self._sites.find())

    async def hold(self, ask: Ask) -> Response:
        """Let nothing start at a site."""
        await self._sites.hold(ask.part("site"), ask.form.get("reason", ""), ask.key.name)
        return RedirectResponse(f"/sites#{quote(ask.part('site'))}", 303)

    async def release(self, ask: Ask) -> Response:
        """Let it go."""
        await self._sites.release(ask.part("site"))
        return RedirectResponse(f"/sites#{quote(ask.part('site'))}", 303)

    async def proxies(self, ask: Ask) -> Sheet:  # noqa: ARG002 - every page takes its request
        """Every proxy that was used."""
        return Sheet("proxies.html", "Proxies", proxies=await self._sites.proxies())

    async def events(self, ask: Ask) -> Sheet:  # noqa: ARG002 - every page takes its request
        """What happened to all jobs, the latest first."""
        found = await self._events.find(limit=MOST)
        return Sheet("events.html", "Events", events=[told(event) for event in reversed(found)])


def told(event: Event) -> Told:
    """An event with its evidence; one of another form is for programs."""
    try:
        return Told(event, msgspec.json.decode(event.evidence, type=Evidence | None))
    except msgspec.DecodeError:
        return Told(event)
