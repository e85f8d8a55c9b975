"""Trying a scraper with one item from the browser, and running a whole job once more.

A trial is a job of one item like any other, so that what it fetched is kept and looked at on the same pages.
"""

from urllib.parse import urlencode

from fastapi import Response
from fastapi.responses import RedirectResponse

from scrapeyard.controller.api.office import Office
from scrapeyard.controller.dashboard.front import Ask, Front
from scrapeyard.controller.dashboard.items import selection_of
from scrapeyard.model.access import Scope
from scrapeyard.model.ask import CloneOrder, JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.policy import Policy
from scrapeyard.ports.scrapers import fallback_of

_INPUT = "input."


class Trying:
    """See the module."""

    def __init__(self, office: Office) -> None:
        self._jobs = office.service.jobs
        self._items = office.service.items
        self._scrapers = office.scrapers

    def add_to(self, front: Front) -> None:
        """Add them all."""
        front.deed("/scrapers/{scraper}/try", self.attempt, Scope.SUBMIT)
        front.deed("/jobs/{job}/clone", self.clone, Scope.SUBMIT)

    async def attempt(self, ask: Ask) -> Response:
        """Begin a job of one item."""
        card = self._scrapers.find(ask.part("scraper"))
        row = {name.removeprefix(_INPUT): said for name, said in ask.form.items() if name.startswith(_INPUT) and said}
        item = NewItem(*self._scrapers.load(card.ref).check_inputs(row))
        order = JobOrder(f"try {card.ref.name}", card, Policy(priority=9), "the dashboard", fresh=True,
                         fallback=fallback_of(card, self._scrapers))  # fmt: skip
        job = (await self._jobs.open(order)).job
        await self._jobs.load(job.id, [item])
        await self._jobs.seal(job.id)
        return RedirectResponse(f"/jobs/{job.id}/item?{urlencode({'key': item.key})}", 303)

    async def clone(self, ask: Ask) -> Response:
        """Begin a job with the same items, or those of one state."""
        order = CloneOrder(ask.form.get("name", "")[:200], selection_of({"state": ask.form.get("state", "")}))
        made = await self._items.clone(ask.part("job"), order)
        return RedirectResponse(f"/jobs/{made.job.id}", 303)
