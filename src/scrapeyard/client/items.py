"""The desk of items, at a controller."""

from scrapeyard.client.jobs import at
from scrapeyard.client.line import Line
from scrapeyard.model.ask import Cloned, CloneOrder, ItemStory, Redriven
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.request import CloneRequest, ItemPage, RedriveRequest


class RestItems:
    """Fulfils `scrapeyard.ports.service.ItemDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def find(self, job: str, selection: Selection, *, after: int = -1, limit: int = 100) -> list[Item]:
        """Selected items in the order of the list."""
        found = await self._line.get(
            f"{at(job)}/items",
            ItemPage,
            state=[str(state) for state in sorted(selection.states)],
            kind=sorted(selection.kinds),
            key=sorted(selection.keys),
            text=selection.text or None,
            unreadable=selection.unreadable or None,
            since=selection.since,
            until=selection.until,
            after=after,
            limit=limit,
        )
        return list(found.items)

    async def story(self, job: str, key: str) -> ItemStory:
        """One item with its attempts."""
        return await self._line.get(f"{at(job)}/item", ItemStory, key=key)

    async def redrive(self, job: str, selection: Selection, *, dry_run: bool = False, version: str = "") -> Redriven:
        """Run the selected final items again."""
        asked = RedriveRequest(selection, dry_run, version)
        return await self._line.post(f"{at(job)}/redrive", Redriven, asked, once=True)

    async def clone(self, job: str, order: CloneOrder) -> Cloned:
        """A new job with the same items, or the selected ones."""
        asked = CloneRequest(order.name, order.selection, order.policy)
        return await self._line.post(f"{at(job)}/clone", Cloned, asked, once=True)
