"""The service at a controller: the same desks, over one line."""

from scrapeyard.client.alerts import RestAlerts
from scrapeyard.client.audit import RestAudit
from scrapeyard.client.events import RestEvents
from scrapeyard.client.items import RestItems
from scrapeyard.client.jobs import RestJobs
from scrapeyard.client.line import Line
from scrapeyard.client.results import RestResults
from scrapeyard.client.retention import RestRetention
from scrapeyard.client.schedules import RestSchedules
from scrapeyard.client.sites import RestSites


class RestService:
    """Fulfils `scrapeyard.ports.service.Service`."""

    def __init__(self, server: str, key: str = "") -> None:
        self._line = Line(server, key)
        self.jobs = RestJobs(self._line)
        self.items = RestItems(self._line)
        self.results = RestResults(self._line)
        self.events = RestEvents(self._line)
        self.schedules = RestSchedules(self._line)
        self.sites = RestSites(self._line)
        self.alerts = RestAlerts(self._line)
        self.audit = RestAudit(self._line)
        self.retention = RestRetention(self._line)

    async def close(self) -> None:
        """Hang up."""
        await self._line.close()
