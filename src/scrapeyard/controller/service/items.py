"""The desk for questions about single items, and for running them again.

A job may have millions of items, so nothing here holds more than one page of them: a search walks the list by
sequence number and stops when it has found enough.
"""

from collections.abc import Awaitable, Callable, Sequence
from difflib import get_close_matches

from scrapeyard.controller.service.cloning import Cloning
from scrapeyard.controller.service.naming import find_job
from scrapeyard.controller.service.redriving import Redriving, Surroundings
from scrapeyard.model.ask import Cloned, CloneOrder, ItemStory, Redriven
from scrapeyard.model.errors import BadInput, NotFound
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.states import VisitState
from scrapeyard.ports.items import ItemBook
from scrapeyard.ports.ledger import Ledger

MOST_ITEMS = 1_000
"""Items that one question is answered with; `after` asks for the next."""

_WALK = 2_000
_TROUBLE = frozenset({VisitState.FAILED, VisitState.UNCERTAIN})
_RUNNING = frozenset({VisitState.RUNNING})


class LocalItems:
    """Fulfils `scrapeyard.ports.service.ItemDesk`."""

    def __init__(self, ledger: Ledger, around: Surroundings, cloning: Cloning) -> None:
        self._jobs = ledger.jobs
        self._items = ledger.items
        self._redriving = Redriving(ledger, around)
        self._cloning = cloning

    async def find(self, job: str, selection: Selection, *, after: int = -1, limit: int = 100) -> list[Item]:
        """Selected items in the order of the list."""
        if limit < 1:
            raise BadInput(f"A list of {limit} items says nothing: ask for 1 or more.")
        found = await find_job(self._jobs, job)
        limit = min(limit, MOST_ITEMS)
        if selection.keys:
            return await self._by_key(found.id, selection, after, limit)
        if selection.states == _RUNNING:
            running = await self._items.running(found.id, limit=MOST_ITEMS)
            return [item for item in running if item.seq > after and selection.picks(item)][:limit]
        return await _walk(self._pages(found.id, selection), selection, after, limit)

    async def story(self, job: str, key: str) -> ItemStory:
        """One item with its attempts."""
        found = await find_job(self._jobs, job)
        item = await item_of(self._items, found, key)
        return ItemStory(item, tuple(await self._items.attempts(found.id, item.seq)))

    async def redrive(self, job: str, selection: Selection, *, dry_run: bool = False, version: str = "") -> Redriven:
        """Run the selected final items again; a completed job runs again for them."""
        return await self._redriving.redrive(job, selection, dry_run=dry_run, version=version)

    async def clone(self, job: str, order: CloneOrder) -> Cloned:
        """A new job with the same items, or the selected ones."""
        return await self._cloning.clone(job, order)

    async def _by_key(self, job: JobId, selection: Selection, after: int, limit: int) -> list[Item]:
        if len(selection.keys) > MOST_ITEMS:
            raise BadInput(
                f"{len(selection.keys):,} keys are too many for one question: ask for at most {MOST_ITEMS:,}."
            )
        found = [await self._items.get(job, key) for key in selection.keys]
        picked = [item for item in found if item is not None and item.seq > after and selection.picks(item)]
        return sorted(picked, key=lambda item: item.seq)[:limit]

    def _pages(self, job: JobId, selection: Selection) -> Callable[[int, int], Awaitable[list[Item]]]:
        """The narrowest list of the ledger that has all the selected items."""
        kind = next(iter(selection.kinds)) if len(selection.kinds) == 1 else None
        if selection.states and selection.states <= _TROUBLE:
            return lambda after, limit: self._items.trouble(job, kind, after=after, limit=limit)
        return lambda after, limit: self._items.page(job, after=after, limit=limit)


async def item_of(items: ItemBook, job: Job, key: str) -> Item:
    """One item. `NotFound` names near keys as far as a single page of the ledger shows some."""
    item = await items.get(job.id, key)
    if item is not None:
        return item
    shown = key if len(key) <= 60 else f"{key[:59]}…"
    for other in dict.fromkeys((key.strip(), key.upper(), key.lower())):
        if other != key and await items.get(job.id, other) is not None:
            raise NotFound(f"The job {job.name!r} has no item {shown!r}; did you mean {other!r}?")
    known = [item.key for item in await items.page(job.id, limit=500)]
    near = get_close_matches(key[:200], [each[:200] for each in known], n=3, cutoff=0.75)
    if near:
        hint = f"did you mean {' or '.join(map(repr, near))}?"
    elif known:
        hint = f"its keys look like {known[0][:60]!r}."
    else:
        hint = "it has no items at all."
    raise NotFound(f"The job {job.name!r} has no item {shown!r}; {hint}")


async def _walk(
    pages: Callable[[int, int], Awaitable[Sequence[Item]]], selection: Selection, after: int, limit: int
) -> list[Item]:
    everything = selection == Selection()
    size = limit if everything else _WALK
    found: list[Item] = []
    while len(found) < limit:
        page = await pages(after, size)
        found += page if everything else (item for item in page if selection.picks(item))
        if len(page) < size:
            break
        after = page[-1].seq
    return found[:limit]
