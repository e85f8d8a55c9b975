"""What would the whole list take? The rows are counted without being checked, the rest is judged from the sample."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from scrapeyard.cli.here import Here
from scrapeyard.cli.lists import ListOptions
from scrapeyard.controller.intake.load import count_rows
from scrapeyard.decisions.progress import Forecast, Sample, forecast
from scrapeyard.decisions.strictest import site_limits, strictest
from scrapeyard.model.ask import JobStatus
from scrapeyard.model.policy import SitePolicy
from scrapeyard.model.scraper import ScraperCard

if TYPE_CHECKING:
    from scrapeyard.settings import Settings


class Outlook:
    """Forecasts for one scraper on this machine."""

    def __init__(self, here: Here, settings: "Settings", card: ScraperCard) -> None:
        self._here = here
        self._settings = settings
        self._card = card

    async def expect(
        self, source: Path | None, rows: ListOptions, status: JobStatus, seconds: float | None
    ) -> Forecast | None:
        """The forecast after a sample; None if this was no sample, or nothing can be said."""
        if rows.limit is None:
            return None
        if source is None:
            self._here.say("No forecast: standard input cannot be read twice. Give the list as a file to get one.")
            return None
        intake = rows.intake(self._card)
        count = await asyncio.to_thread(count_rows, source, intake)
        whole = count if intake.shard is None else -(-count // intake.shard.of)
        return forecast(self.sample(status, seconds), whole)

    def sample(self, status: JobStatus, seconds: float | None) -> Sample:
        """The sample, with what the whole list may use of the site and of this machine."""
        job, settings = status.job, self._settings
        known = settings.sites.get(job.site.name)
        operator = None if known is None else SitePolicy(job.site.name, known.rate, known.concurrency)
        site = site_limits(operator, [(job.site, job.policy)])
        here = settings.worker.processes * settings.worker.concurrency
        return Sample(status.tally, seconds, strictest(site.concurrency, job.policy.concurrency, here), site.rate)
