"""What was learned, in DynamoDB."""

from scrapeyard.backends.admission import revised_memo
from scrapeyard.backends.dynamodb.keys import MEMOS
from scrapeyard.backends.dynamodb.table import Table
from scrapeyard.backends.dynamodb.values import Row
from scrapeyard.model.memo import Memo

_LAST = b"\xff"


class DynamoMemos:
    """Fulfils `scrapeyard.ports.memos.MemoBook`. A forgotten memo keeps its version, so no old sight of it fits."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def recall(self, name: str) -> Memo | None:
        """The memo of that name."""
        row = await self._table.get((MEMOS, name.encode()))
        return _memo(row) if row is not None and row["b"] else None

    async def keep(self, name: str, body: bytes, *, seen: Memo | None) -> Memo | None:
        """Write it down, if it still is as it was seen."""
        revised_memo(None, name, body, None)  # refuses what no store can hold, before anything is asked
        row = await self._table.get((MEMOS, name.encode()))
        kept = revised_memo(_memo(row) if row is not None else None, name, body, seen)
        if kept is None:
            return None
        new: Row = {"p": MEMOS, "s": name.encode(), "b": kept.body, "ver": kept.version}
        return kept if await self._table.swap(new, row["v"] if row is not None else None) else None

    async def under(self, prefix: str, *, after: str = "", limit: int = 500) -> list[Memo]:
        """Memos by the start of their names."""
        low = max(prefix.encode() or b"\x00", after.encode() + b"\x00")
        found: list[Memo] = []
        if limit <= 0:
            return found
        async for row in self._table.query(MEMOS, (low, prefix.encode() + _LAST)):
            if row["b"]:
                found.append(_memo(row))
            if len(found) == limit:
                break
        return found


def _memo(row: Row) -> Memo:
    return Memo(row["s"].decode(), row["b"], row["ver"])
