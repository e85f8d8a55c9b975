"""The duty of tidying up: once a day, by whoever leads then, what is too old is removed."""

import msgspec
import structlog

from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.retention import RetentionDesk

log = structlog.get_logger(__name__)

_LAST = "retention/last"
_DAY = 86_400.0


class Tidying:
    """Fulfils `scrapeyard.controller.clerk.clerk.Duty`."""

    every = 600.0

    def __init__(self, memos: MemoBook, desk: RetentionDesk, clock: Clock) -> None:
        self._memos = memos
        self._desk = desk
        self._clock = clock

    async def look(self) -> None:
        """Remove what is too old, if that was not done within the last day."""
        now, memo = self._clock.now(), await self._memos.recall(_LAST)
        if memo is not None and now - msgspec.json.decode(memo.body, type=float) < _DAY:
            return
        pruned = await self._desk.prune(dry_run=False)
        await self._memos.keep(_LAST, msgspec.json.encode(now), seen=memo)
        if pruned.jobs or pruned.deeds or pruned.told:
            log.info("tidied up", jobs=len(pruned.jobs), size=pruned.size, deeds=pruned.deeds, told=pruned.told)
