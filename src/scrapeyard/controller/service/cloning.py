"""A job again: the same list, or those items of it that came to a certain end, as a job of its own.

The list is copied page by page, so a job of any size needs no more memory than one page. If the copying breaks off,
the same wish goes on with the same new job, whose items are known by their keys.
"""

import msgspec

from scrapeyard.controller.service.naming import find_job
from scrapeyard.model.ask import Cloned, CloneOrder, JobOrder
from scrapeyard.model.errors import BadInput
from scrapeyard.model.item import Item, NewItem, Selection
from scrapeyard.model.job import Job
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import JobState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.scrapers import LoadedScraper, Scrapers, fallback_of
from scrapeyard.ports.service import JobDesk

_PAGE = 2_000


class Cloning:
    """Clones jobs of one ledger."""

    def __init__(self, ledger: Ledger, jobs: JobDesk, scrapers: Scrapers) -> None:
        self._ledger = ledger
        self._jobs = jobs
        self._scrapers = scrapers

    async def clone(self, said: str, order: CloneOrder) -> Cloned:
        """A new job with the selected items of that one, for the version of its scraper that is here now."""
        source = await find_job(self._ledger.jobs, said)
        card = self._scrapers.find(source.scraper.name)
        opened = await self._jobs.open(_order(source, card, order, self._scrapers))
        job = opened.job
        if job.state is not JobState.LOADING:  # the same wish was fulfilled before
            return Cloned(job, job.total or 0)
        check = None if card.ref == source.scraper else self._scrapers.load(card.ref)
        if not await self._copy(source, job, order.selection, check):
            await self._jobs.cancel(job.id, "None of the items was like that.")
            raise BadInput(f"No item of {source.name!r} is like that, so there is nothing to clone.")
        sealed = await self._jobs.seal(job.id)
        return Cloned(sealed, sealed.total or 0)

    async def _copy(self, source: Job, job: Job, selection: Selection, check: LoadedScraper | None) -> int:
        after, count = -1, 0
        while True:
            page = await self._ledger.items.page(source.id, after=after, limit=_PAGE)
            items = [_item(item, check) for item in page if selection.picks(item)]
            if items:
                await self._ledger.items.add(job.id, items)
                count += len(items)
            if len(page) < _PAGE:
                return count
            after = page[-1].seq


def _order(source: Job, card: ScraperCard, order: CloneOrder, scrapers: Scrapers) -> JobOrder:
    return JobOrder(
        name=order.name or source.name,
        card=card,
        policy=source.policy if order.policy is None else order.policy,
        source=f"job {source.id}",
        fresh=True,
        fallback=fallback_of(card, scrapers),
        id=order.id,
    )


def _item(item: Item, check: LoadedScraper | None) -> NewItem:
    """The item again; where the scraper has changed, as its present version reads the inputs."""
    if check is None:
        return NewItem(item.key, item.inputs)
    try:
        return NewItem(*check.check_inputs(msgspec.json.decode(item.inputs, type=dict[str, object])))
    except BadInput as error:
        raise BadInput(f"The item {item.key[:60]!r} does not fit the scraper any more: {error}") from error
