"""Rows become items; those that cannot are refused or set aside, with their line and the reason."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import msgspec

from scrapeyard.controller.intake.columns import Fields, Shape
from scrapeyard.controller.intake.options import IntakeOptions, Shard
from scrapeyard.controller.intake.rejects import Rejects
from scrapeyard.controller.intake.tables import Cells, Row, Spoiled, Table, shown
from scrapeyard.model.errors import BadInput
from scrapeyard.model.item import Added, NewItem

Check = Callable[[Mapping[str, object]], tuple[str, bytes]]
"""From the inputs by name to an item's key and its inputs as JSON; `BadInput` says what is wrong."""

SLICE = 500
_MOST_SHOWN = 5


class BadRow(msgspec.Struct, frozen=True):
    """One row that was not taken: its line, or its number where there are no lines, and why."""

    number: int
    reason: str


class Loaded(msgspec.Struct, frozen=True):
    """What became of a list. `elsewhere` counts rows of other shards; `bad` shows the first bad rows."""

    rows: int = 0
    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    elsewhere: int = 0
    bad: tuple[BadRow, ...] = ()
    rejects: Path | None = None
    remarks: tuple[str, ...] = ()


class Sieve:
    """One list on its way through."""

    def __init__(
        self, table: Table, options: IntakeOptions, check: Check, rejects: Rejects, *, most_shown: int = _MOST_SHOWN
    ) -> None:
        self._table = table
        self._options = options
        self._check = check
        self._rejects = rejects
        self._most_shown = most_shown
        self._fields = Fields(options.schema, options.columns)
        self._shape: Shape = _nothing if table.columns is None else self._fields.shape(table.columns)
        self._bad: list[BadRow] = []
        self.rows = self._rejected = self._elsewhere = 0

    def slices(self) -> Iterator[list[NewItem]]:
        """The items of a few hundred rows at a time, in the order of the list."""
        rows = self._table.rows()
        seen: set[int] | None = None if self._options.limit is None else set()
        while batch := list(islice(rows, min(SLICE, self._options.chunk))):
            items = self._items(batch)
            if seen is None or self._options.limit is None:
                yield items
                continue
            taken: list[NewItem] = []
            for item in items:
                seen.add(hash(item.key))
                if len(seen) > self._options.limit:
                    yield taken
                    return
                taken.append(item)
            yield taken

    def told(self, added: Added) -> Loaded:
        """What became of the list, now that it is through."""
        return Loaded(
            rows=self.rows,
            accepted=added.accepted,
            duplicates=added.duplicates,
            rejected=self._rejected,
            elsewhere=self._elsewhere,
            bad=tuple(self._bad),
            rejects=self._options.rejects if self._rejected else None,
            remarks=tuple(self._table.remarks),
        )

    def _items(self, batch: list[tuple[int, Row]]) -> list[NewItem]:
        shape, named, check, shard = self._shape, self._fields.named, self._check, self._options.shard
        items: list[NewItem] = []
        for number, row in batch:
            if isinstance(row, Spoiled):
                self._refuse(number, row.reason, row)
                continue
            try:
                key, inputs = check(named(row) if isinstance(row, dict) else shape(row))
            except BadInput as error:
                self._refuse(number, str(error), row)
                continue
            if shard is None or _shard_of(key, shard) == shard.number:
                items.append(NewItem(key, inputs))
            else:
                self._elsewhere += 1
        self.rows += len(batch)
        return items

    def _refuse(self, number: int, reason: str, row: Row) -> None:
        reason = shown(reason, 500)
        if self._options.on_bad_row == "fail":
            raise BadInput(
                f"{self._table.unit.capitalize()} {number:,} of the list: {reason}. "
                "Mend it, or leave such rows out with --on-bad-row skip."
            )
        self._rejected += 1
        self._rejects.add(number, reason, row)
        if len(self._bad) < self._most_shown:
            self._bad.append(BadRow(number, reason))


def _nothing(_: Cells) -> dict[str, object]:
    return {}


def _shard_of(key: str, shard: Shard) -> int:
    """Decided by the key alone, so that machines that share nothing agree."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") % shard.of
