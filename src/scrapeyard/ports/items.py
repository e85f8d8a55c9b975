"""The ledger's book of items: loading them, sealing the list, and asking what became of each."""

from collections.abc import Sequence
from typing import Protocol

from scrapeyard.model.attempt import Attempt
from scrapeyard.model.item import Added, Item, NewItem, Selection
from scrapeyard.model.job import JobId


class ItemBook(Protocol):
    """Items of a job. An item's `seq` is its place among the accepted ones, counted from 0 without holes."""

    async def add(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Append items whose keys are new to the job; the others are counted as duplicates.

        Repeating a chunk whose answer was lost adds nothing twice. Refused with `Conflict` once the job is sealed.
        """
        ...

    async def seal(self, job: JobId) -> int:
        """End the loading: from now on the total is fixed. Sealing twice gives the same total."""
        ...

    async def get(self, job: JobId, key: str) -> Item | None:
        """One item by its key."""
        ...

    async def page(self, job: JobId, *, after: int = -1, limit: int = 500) -> list[Item]:
        """The items with a `seq` above `after`, in order of `seq`. This is how everything is exported."""
        ...

    async def trouble(self, job: JobId, kind: str | None = None, *, after: int = -1, limit: int = 500) -> list[Item]:
        """The failed and uncertain items, of one kind or of all, in order of `seq`."""
        ...

    async def running(self, job: JobId, *, limit: int = 100) -> list[Item]:
        """Items that hold a lease at this moment, where the backend knows; else nothing."""
        ...

    async def attempts(self, job: JobId, seq: int) -> list[Attempt]:
        """Every recorded try of one item, oldest first."""
        ...

    async def redrive(self, job: JobId, selection: Selection, *, now: float, dry_run: bool = False) -> int:
        """Put the selected final items back to waiting in a new epoch, with fresh attempts; gives how many.

        Only `failed`, `absent`, `succeeded`, `uncertain` and `skipped` items can be selected; an empty
        selection of states means `failed` and `uncertain`. The job itself is moved by the caller.
        """
        ...
