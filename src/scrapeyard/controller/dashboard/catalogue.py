"""Pages on what works: workers with what they run now, and scrapers with what goes in and comes out."""

import msgspec

from scrapeyard.controller.api.office import Office
from scrapeyard.controller.dashboard.front import Ask, Front, Sheet


class CataloguePages:
    """See the module."""

    def __init__(self, office: Office) -> None:
        self._jobs = office.service.jobs
        self._scrapers = office.scrapers

    def add_to(self, front: Front) -> None:
        """Add them all."""
        front.page("/workers", self.workers)
        front.page("/scrapers", self.scrapers)
        front.page("/scrapers/{scraper}", self.scraper)

    async def workers(self, ask: Ask) -> Sheet:  # noqa: ARG002 - every page takes its request
        """Who works, and at what."""
        return Sheet("workers.html", "Workers", workers=await self._jobs.workers())

    async def scrapers(self, ask: Ask) -> Sheet:  # noqa: ARG002 - every page takes its request
        """The catalogue."""
        broken = self._scrapers.broken()
        return Sheet("scrapers.html", "Scrapers", scrapers=self._scrapers.catalogue(), broken=broken)

    async def scraper(self, ask: Ask) -> Sheet:
        """One scraper."""
        card = self._scrapers.find(ask.part("scraper"))
        schemas = {name: msgspec.json.encode(schema) for name, schema in card.record_schemas.items()}
        inputs = msgspec.json.encode(card.input_schema)
        return Sheet("scraper.html", card.ref.name, card=card, inputs=inputs, schemas=schemas)
