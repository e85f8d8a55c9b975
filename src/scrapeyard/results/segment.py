"""One series of segment files: begun at the first entry, ended at a size, given up when a write fails.

Entries go on arriving while a sync is under way, so a full segment is first replaced and then ended. And whoever
waits for a sync may have results in hand that came just before it and belong to the next commit; so a loss fails
the sync that covers it and the one after, and no result is told of whose bytes were lost.
"""

from collections.abc import Callable
from contextlib import suppress

from scrapeyard.model.capture import Place
from scrapeyard.model.errors import StorageError
from scrapeyard.ports.blobs import Appender, Blobs


class Segment:
    """What a writer appends to. `head` gives the bytes with which each file begins."""

    def __init__(
        self, blobs: Blobs, prefix: str, suffix: str, limit: int, *, head: Callable[[], bytes] | None = None
    ) -> None:
        self._blobs = blobs
        self._prefix = prefix
        self._suffix = suffix
        self._limit = limit
        self._head = head
        self._open: Appender | None = None
        self._size = 0
        self._unsynced = False
        self._full: list[Appender] = []
        self._given_up: list[Appender] = []
        self._owed: list[StorageError] = []

    def append(self, data: bytes) -> Place:
        """Add an entry. Blocking and cheap; a failure gives up the segment and what it has not synced."""
        try:
            place = self._begun().append(data)
        except StorageError as error:
            self._give_up([error, error])
            raise
        self._unsynced = True
        self._size = place.offset + place.length
        return place

    def _begun(self) -> Appender:
        """The open segment. Where the store cannot append it may be in its next blob, which begins like any other."""
        if self._open is None:
            self._open = self._blobs.appender(self._prefix, self._suffix)
        if self._head is not None and self._open.fresh:
            self._open.append(self._head())
        return self._open

    async def sync(self) -> None:
        """Make all entries before this call durable; `StorageError` when any of them was lost."""
        await self._let_go()
        if self._owed:
            raise self._owed.pop()
        unsynced, self._unsynced = self._unsynced, False
        if self._open is not None and self._size >= self._limit:
            self._full.append(self._open)
            self._open = None
        done = False
        try:
            while self._full:
                await self._full[0].close()
                del self._full[0]
            if unsynced and self._open is not None:
                await self._open.sync()
            done = True
        except StorageError as error:
            self._give_up([error])
            raise
        finally:
            self._unsynced = self._unsynced or (unsynced and not done)

    async def close(self) -> None:
        """End the segment. What was not synced before may be lost."""
        self._given_up += self._full
        if self._open is not None:
            self._given_up.append(self._open)
        self._full, self._open = [], None
        await self._let_go()

    def _give_up(self, owed: list[StorageError]) -> None:
        self._owed = owed
        self._given_up += self._full
        if self._open is not None:
            self._given_up.append(self._open)
        self._full, self._open, self._size = [], None, 0

    async def _let_go(self) -> None:
        """Close the files of segments that were given up; their failure has been told."""
        while self._given_up:
            with suppress(StorageError):
                await self._given_up.pop().close()
