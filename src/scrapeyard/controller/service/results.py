"""The desk where what was kept is looked at and handed over."""

from collections.abc import AsyncIterator

import orjson

from scrapeyard.controller.service.items import item_of
from scrapeyard.controller.service.naming import find_job
from scrapeyard.controller.service.retention import mark_of
from scrapeyard.export.run import export
from scrapeyard.model.ask import Exported, ExportOrder, ItemRecord
from scrapeyard.model.capture import Capture, Kept
from scrapeyard.model.errors import NotFound, StorageError
from scrapeyard.model.item import Item
from scrapeyard.model.job import Job
from scrapeyard.model.states import JobState
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.ledger import Ledger
from scrapeyard.results.cards import card_of
from scrapeyard.results.manifest import manifest_lines, read_manifest
from scrapeyard.results.reader import ResultReader

_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})


class LocalResults:
    """Fulfils `scrapeyard.ports.service.ResultDesk`."""

    def __init__(self, ledger: Ledger, blobs: Blobs) -> None:
        self._jobs = ledger.jobs
        self._items = ledger.items
        self._blobs = blobs
        self._reader = ResultReader(blobs)

    async def capture(self, job: str, key: str, name: str | None = None) -> Kept:
        """One kept page or file of an item."""
        found = await find_job(self._jobs, job)
        item = await item_of(self._items, found, key)
        try:
            return await self._reader.page(_chosen(item, name))
        except (NotFound, StorageError):
            mark = await mark_of(self._blobs, found.id)
            if mark is None or not item.captures or item.changed > mark.finished:
                raise
            raise NotFound(
                f"The captures of the job {found.name!r} were removed because of their age, as its policy or "
                "[retention] in the settings says."
            ) from None

    async def records(self, job: str, key: str) -> list[ItemRecord]:
        """What was read from one item's captures."""
        found = await find_job(self._jobs, job)
        item = await item_of(self._items, found, key)
        rows = await self._reader.rows(item.records) if item.records is not None else []
        return [ItemRecord(row.model, orjson.dumps(row.fields)) for row in rows]

    async def manifest(self, job: str) -> bytes:
        """The job's `manifest.json`."""
        found = await find_job(self._jobs, job)
        _ended(found)
        return await read_manifest(self._blobs, found.id)

    async def manifest_lines(self, job: str) -> AsyncIterator[bytes]:
        """One JSON line per item."""
        found = await find_job(self._jobs, job)
        _ended(found)
        async for line in manifest_lines(self._blobs, found.id):
            yield line

    async def export(self, job: str, order: ExportOrder) -> Exported:
        """Write the job's tables to a folder. A job that still runs gives what it has so far."""
        found = await find_job(self._jobs, job)
        card = await card_of(self._blobs, found.id)
        return await export(found, card, self._items, self._reader, order)


def _chosen(item: Item, name: str | None) -> Capture:
    """The capture that is meant; without a name the last, which is where a visit ended."""
    if not item.captures:
        why = f"failed: {item.kind}" if item.kind and item.state == "failed" else str(item.state)
        raise NotFound(f"The item {item.key[:60]!r} has kept no page: it is {why}.")
    if name is None:
        return item.captures[-1]
    named = next((capture for capture in item.captures if capture.name == name), None)
    if named is None:
        names = ", ".join(repr(capture.name) for capture in item.captures[:20])
        raise NotFound(f"The item {item.key[:60]!r} has kept nothing called {name[:60]!r}; it has {names}.")
    return named


def _ended(job: Job) -> None:
    if job.state not in _ENDED:
        raise NotFound(
            f"The job {job.name!r} ({job.id}) is {job.state}; its manifest is written when it ends. "
            "`scrapeyard export` gives what there is so far."
        )
