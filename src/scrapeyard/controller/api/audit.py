"""The operation on the record of deeds."""

import msgspec

from scrapeyard.controller.api.door import Call, Door, Operation
from scrapeyard.controller.api.office import Office
from scrapeyard.model.access import Scope
from scrapeyard.model.audit import DeedPage


class DeedQuery(msgspec.Struct, frozen=True):
    """Which deeds: those after the id `after`, or since a time, oldest first."""

    after: str = ""
    since: float = 0.0
    limit: int = 100


class AuditRoutes:
    """The operation, over one office."""

    def __init__(self, office: Office) -> None:
        self._desk = office.service.audit

    def add_to(self, door: Door) -> None:
        """Add it."""
        door.add(Operation("GET /v1/audit", Scope.ADMIN, asks=DeedQuery, gives=DeedPage), self.list_deeds)

    async def list_deeds(self, call: Call) -> DeedPage:
        """List who did what, to what, and when; what was refused too, with the reason."""
        asked = call.asked(DeedQuery)
        return DeedPage(tuple(await self._desk.find(after=asked.after, since=asked.since, limit=asked.limit)))
