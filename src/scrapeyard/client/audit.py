"""The desk of deeds, at a controller."""

from scrapeyard.client.line import Line
from scrapeyard.model.audit import Deed, DeedPage


class RestAudit:
    """Fulfils `scrapeyard.ports.audit.AuditDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def find(self, *, after: str = "", since: float = 0.0, limit: int = 100) -> list[Deed]:
        """The deeds after that id, or since that time."""
        found = await self._line.get("/v1/audit", DeedPage, after=after or None, since=since, limit=limit)
        return list(found.deeds)
