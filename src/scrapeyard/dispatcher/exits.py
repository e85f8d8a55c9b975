"""How each proxy fares, as the outcomes of all workers tell it: for people to read, never for a decision.

Written down where every controller finds it, and only when it has changed; without proxies it costs nothing.
"""

from collections.abc import Sequence

import msgspec

from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.memo import Memo
from scrapeyard.model.site import SEEN, ProxyView
from scrapeyard.model.states import VisitState
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook

_MOST = 500
"""Proxies that are kept; the one that was used longest ago makes room."""
_MOST_TRIES = 1_000
"""Tries after which the old ones begin to count for less, so that what is told is lately's."""
_GOOD = (VisitState.SUCCEEDED, VisitState.ABSENT)


class Exits:
    """The proxies of one term, and of those before."""

    def __init__(self, memos: MemoBook, clock: Clock) -> None:
        self._memos = memos
        self._clock = clock
        self._heard: list[tuple[float, OutcomeNote]] = []
        self._known: dict[str, ProxyView] = {}
        self._seen: Memo | None = None
        self._recalled = False

    def hear(self, notes: Sequence[OutcomeNote]) -> None:
        """Outcomes, as workers told them."""
        now = self._clock.now()
        self._heard += [(now, note) for note in notes if note.proxy]

    async def keep(self) -> None:
        """Write down what has changed."""
        if not self._heard:
            return
        if not self._recalled:
            self._seen, self._recalled = await self._memos.recall(SEEN), True
            before = [] if self._seen is None else msgspec.json.decode(self._seen.body, type=list[ProxyView])
            self._known = {one.proxy: one for one in before}
        heard, self._heard = self._heard, []
        for at, note in heard:
            known = self._known.pop(note.proxy, None) or ProxyView(note.proxy)
            self._known[note.proxy] = _with(known, note, at)
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        kept = await self._memos.keep(SEEN, msgspec.json.encode(list(self._known.values())), seen=self._seen)
        # None: another one leads by now, or the answer to the last writing was lost
        self._seen = kept or await self._memos.recall(SEEN)


def _with(known: ProxyView, note: OutcomeNote, now: float) -> ProxyView:
    if known.tries >= _MOST_TRIES:
        failed = {kind: count // 2 for kind, count in known.failed.items() if count > 1}
        known = msgspec.structs.replace(known, tries=known.tries // 2, good=known.good // 2, failed=failed)
    good = note.state in _GOOD
    failed = dict(known.failed)
    if not good:
        kind = note.kind or note.state
        failed[kind] = failed.get(kind, 0) + 1
    kind = None if good else note.kind or note.state
    return ProxyView(known.proxy, known.tries + 1, known.good + good, failed, now, kind)
