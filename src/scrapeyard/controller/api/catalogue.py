"""Operations on what is there: scrapers with their schemas, and workers with what they run."""

import msgspec

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.operation import Operation
from scrapeyard.model.access import Scope
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.scraper import BrokenScraper, ScraperCard


class Catalogue(msgspec.Struct, frozen=True):
    """Every scraper that could be read, and what could not."""

    scrapers: tuple[ScraperCard, ...]
    broken: tuple[BrokenScraper, ...] = ()


class CatalogueRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def add_to(self, door: Door) -> None:
        """Add them all."""
        door.add(
            Operation("GET /v1/scrapers", Scope.READ, gives=Catalogue, makes={"scraper": "/scrapers/0/ref/name"}),
            self.list_scrapers,
        )
        door.add(Operation("GET /v1/scrapers/{scraper}", Scope.READ, gives=ScraperCard), self.show_scraper)
        door.add(Operation("GET /v1/workers", Scope.READ, gives=list[WorkerReport]), self.list_workers)

    async def list_scrapers(self, call: Call) -> Catalogue:  # noqa: ARG002 - every handler takes its call
        """List all scrapers, and the modules that cannot be read, each with the reason."""
        scrapers = self._office.scrapers
        return Catalogue(tuple(scrapers.catalogue()), tuple(scrapers.broken()))

    async def show_scraper(self, call: Call) -> ScraperCard:
        """Show one scraper: its site, what goes in and what comes out, as JSON Schema."""
        return self._office.scrapers.find(call.part("scraper"))

    async def list_workers(self, call: Call) -> list[WorkerReport]:  # noqa: ARG002 - every handler takes its call
        """List the workers that reported lately, with what they run."""
        return await self._office.service.jobs.workers()
