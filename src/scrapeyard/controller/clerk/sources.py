"""Over what a schedule runs, opened: a list that was handed in, one that is read anew, or items of an earlier job.

Names of files come from whoever may make schedules, who need not be somebody that may read this machine: a file is
found in the one folder that was set aside for lists, and nowhere else.
"""

import asyncio
import re
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from scrapeyard.model.errors import BadInput, NotFound
from scrapeyard.model.item import NewItem
from scrapeyard.model.job import Job
from scrapeyard.model.schedule import ItemsOf
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.items import ItemBook
from scrapeyard.results.keys import filed_list_key, list_key

_PAGE = 2_000
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


class Lists:
    """Where lists are found: in the blob store, or in the folder for them if there is one."""

    def __init__(self, blobs: Blobs, folder: Path | None) -> None:
        self._blobs = blobs
        self._folder = folder

    @asynccontextmanager
    async def handed_in(self, name: str) -> AsyncGenerator[Path]:
        """A list that was handed in."""
        async with self._fetched(list_key(name)) as path:
            yield path

    @asynccontextmanager
    async def filed(self, name: str) -> AsyncGenerator[Path]:
        """A list that somebody has put there."""
        if len(name) > 300 or not _FILE.fullmatch(name):
            raise BadInput(f"{name[:60]!r} is no name of a list: give it without a leading / and without spaces.")
        if self._folder is not None:
            yield _inside(self._folder, name)
            return
        async with self._fetched(filed_list_key(name)) as path:
            yield path

    @asynccontextmanager
    async def _fetched(self, key: str) -> AsyncGenerator[Path]:
        if await self._blobs.stat(key) is None:
            raise NotFound(f"There is no list {key!r} in the blob store: put it there.")
        with tempfile.NamedTemporaryFile(suffix=Path(key).suffix) as file:
            async for piece in self._blobs.stream(key):
                await asyncio.to_thread(file.write, piece)
            file.flush()
            yield Path(file.name)


async def items_again(items: ItemBook, job: Job, wanted: ItemsOf, due: float) -> AsyncIterator[list[NewItem]]:
    """The selected items of an earlier job, page by page, as they were loaded."""
    until = wanted.selection.until if wanted.older is None else due - wanted.older
    selection = msgspec.structs.replace(wanted.selection, until=until)
    after = -1
    while page := await items.page(job.id, after=after, limit=_PAGE):
        after = page[-1].seq
        picked = [NewItem(item.key, item.inputs) for item in page if selection.picks(item)]
        if picked:
            yield picked


def _inside(folder: Path, name: str) -> Path:
    """The file of that name below the folder; a link that leads out of it counts for nothing."""
    root = folder.expanduser().resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        raise NotFound(f"There is no list {name!r} in the folder for lists.")
    return path
