"""The service in this process: all desks over one ledger, one fleet channel and one store of blobs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from scrapeyard.controller.audit.book import Deeds
from scrapeyard.controller.service.alerts import LocalAlerts, NoChannels
from scrapeyard.controller.service.cloning import Cloning
from scrapeyard.controller.service.events import LocalEvents
from scrapeyard.controller.service.items import LocalItems
from scrapeyard.controller.service.jobs import LocalJobs
from scrapeyard.controller.service.redriving import Surroundings
from scrapeyard.controller.service.results import LocalResults
from scrapeyard.controller.service.retention import LocalRetention
from scrapeyard.controller.service.schedules import LocalSchedules
from scrapeyard.controller.service.sites import LocalSites
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.retention import Keeping
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.notify import Channels
from scrapeyard.ports.scrapers import Scrapers


class Settled(NamedTuple):
    """What the settings say: the operator's limits by site, whom alerts can reach, and how long things are kept."""

    sites: Mapping[str, SitePolicy] = MappingProxyType({})
    channels: Channels | None = None
    keeping: Keeping = Keeping()


class LocalService:
    """Fulfils `scrapeyard.ports.service.Service`."""

    def __init__(
        self,
        ledger: Ledger,
        fleet: Fleet,
        blobs: Blobs,
        scrapers: Scrapers,
        clock: Clock,
        settled: Settled | None = None,
    ) -> None:
        settled = settled or Settled()
        self.jobs = LocalJobs(ledger, fleet, blobs, clock)
        self.items = LocalItems(
            ledger, Surroundings(fleet, blobs, scrapers, clock), Cloning(ledger, self.jobs, scrapers)
        )
        self.results = LocalResults(ledger, blobs)
        self.events = LocalEvents(ledger, clock)
        self.sites = LocalSites(ledger, fleet, scrapers, clock, settled.sites)
        self.schedules = LocalSchedules(ledger, blobs, scrapers, clock)
        self.retention = LocalRetention(ledger, blobs, clock, settled.keeping)
        self.audit = Deeds(ledger.memos, clock)
        self.alerts = LocalAlerts(ledger.memos, settled.channels or NoChannels(), clock)

    async def close(self) -> None:
        """Nothing was opened here: ledger, fleet and blobs were handed in, and are closed by whoever opened them."""
