"""Where deeds are written down: appended under ids that sort by time, and removed by nothing but their age."""

import secrets

import msgspec

from scrapeyard.controller.audit.acting import who_acts
from scrapeyard.model import wire
from scrapeyard.model.audit import Deed
from scrapeyard.model.errors import BadInput
from scrapeyard.model.event import event_id
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook

DEEDS = "audit/"
MOST_DEEDS = 1_000
"""Deeds that one question is answered with; `after` asks for the next."""
_LONGEST = 4_000
_LUCK = 1 << 40
_GRAIN = 1e-4


class Deeds:
    """Fulfils `scrapeyard.ports.audit.AuditDesk`, and writes."""

    def __init__(self, memos: MemoBook, clock: Clock) -> None:
        self._memos = memos
        self._clock = clock

    async def write(self, verb: str, what: str, details: object = None, trouble: str = "") -> None:
        """Write one down. What it was asked with is cut short if it is very long."""
        at = self._clock.now()
        told = wire.written(details)
        if len(told) > _LONGEST:
            told = msgspec.json.encode(told[:_LONGEST].decode("utf-8", "replace"))
        # what one process writes one after the other sorts so even within a millisecond: nobody reads past it
        luck = at * 1000 % 1 * (1 - _GRAIN) + secrets.randbelow(_LUCK) / _LUCK * _GRAIN
        deed = Deed(event_id(at, luck), at, who_acts(), verb, what[:300], told, trouble)
        await self._memos.keep(f"{DEEDS}{deed.id}", wire.written(deed), seen=None)

    async def find(self, *, after: str = "", since: float = 0.0, limit: int = 100) -> list[Deed]:
        """The deeds after that id, or since that time."""
        if limit < 1 or not after.isprintable() or not after.isascii() or len(after) > 100:
            raise BadInput("Ask for 1 deed or more, after the `id` of the last one that you have seen.")
        start = after or event_id(max(0.0, since), 0.0)
        memos = await self._memos.under(DEEDS, after=f"{DEEDS}{start}", limit=min(limit, MOST_DEEDS))
        return [wire.read(memo.body, Deed) for memo in memos]
