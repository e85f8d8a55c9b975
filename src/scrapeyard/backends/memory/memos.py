"""What was learned, in memory."""

from scrapeyard.backends.admission import revised_memo
from scrapeyard.model.memo import Memo


class MemoryMemos:
    """Fulfils `scrapeyard.ports.memos.MemoBook`. A forgotten memo keeps its version, so no old sight of it fits."""

    def __init__(self) -> None:
        self._memos: dict[str, Memo] = {}

    async def recall(self, name: str) -> Memo | None:
        """The memo of that name."""
        known = self._memos.get(name)
        return known if known is not None and known.body else None

    async def keep(self, name: str, body: bytes, *, seen: Memo | None) -> Memo | None:
        """Write it down, if it still is as it was seen."""
        kept = revised_memo(self._memos.get(name), name, body, seen)
        if kept is not None:
            self._memos[name] = kept
        return kept

    async def under(self, prefix: str, *, after: str = "", limit: int = 500) -> list[Memo]:
        """Memos by the start of their names."""
        names = sorted(name for name in self._memos if name.startswith(prefix) and name > after)
        return [memo for memo in map(self._memos.__getitem__, names) if memo.body][:limit]
