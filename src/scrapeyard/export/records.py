"""Which table a record goes to, and what becomes of a part of it that the table has no place for.

Columns come from the card that was pinned with the job. A record may know fields that the card does not (it was made
by a newer version, after a redrive), and a value may be larger than its column's type; such parts go to the table
`<Model>_other` beside the model's own, as JSON, rather than to nowhere.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from scrapeyard.export.columns import Column, Type, columns_of
from scrapeyard.export.table import Table
from scrapeyard.model.errors import BadInput
from scrapeyard.model.item import Item
from scrapeyard.results.keys import plain
from scrapeyard.results.rows import Row

LEADING = (Column("_key"), Column("_seq", Type.INTEGER), Column("_outcome"))
OTHER = Column("record", Type.JSON)

_STEM = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")

NewTable = Callable[[str, Sequence[Column]], Table]
Schemas = Mapping[str, Mapping[str, object]]


class Choice:
    """Which models and fields somebody wants, checked against what there is."""

    def __init__(self, schemas: Schemas, models: Sequence[str], fields: Sequence[str]) -> None:
        self._all = {model: columns_of(schema) for model, schema in schemas.items()}
        self._models = frozenset(models)
        self._fields = tuple(dict.fromkeys(fields))
        unknown = [model for model in models if self._all and model not in self._all]
        if unknown:
            raise BadInput(f"There is no record model {unknown[0]!r}: choose from {_list(self._all)}.")
        known = {column.name for model, columns in self._all.items() if self.wants(model) for column in columns}
        strange = [field for field in self._fields if self._all and field not in known]
        if strange:
            raise BadInput(f"No record has a field {strange[0]!r}: choose from {_list(known)}.")

    @property
    def models(self) -> list[str]:
        """The wanted models that the card knows."""
        return [model for model in self._all if self.wants(model)]

    @property
    def complete(self) -> bool:
        """Whether every field is wanted, those that nobody announced too."""
        return not self._fields

    def wants(self, model: str) -> bool:
        """Whether records of this model are wanted."""
        return not self._models or model in self._models

    def columns(self, model: str) -> list[Column] | None:
        """The model's wanted columns, in the order in which they were asked for; None if the card has no such model."""
        columns = self._all.get(model)
        if columns is None or not self._fields:
            return columns
        named = {column.name: column for column in columns}
        return [named[field] for field in self._fields if field in named]


class RecordTables:
    """A table for each record model."""

    def __init__(self, choice: Choice, new: NewTable) -> None:
        self._choice = choice
        self._new = new
        self._tables: dict[str, tuple[Table, tuple[str, ...]]] = {}
        self._others: dict[str, Table] = {}
        for model in choice.models:
            self._begin(model)

    def _begin(self, model: str) -> tuple[Table, tuple[str, ...]] | None:
        columns = self._choice.columns(model)
        if columns is None:
            return None
        table = self._new(stem_of(model), (*LEADING, *columns))
        begun = self._tables[model] = table, tuple(column.name for column in columns)
        return begun

    async def add(self, item: Item, row: Row) -> None:
        """Put one record where it belongs."""
        model = row.model
        if not self._choice.wants(model):
            return
        leading = [item.key, item.seq, item.state.value]
        fields = row.fields
        known = self._tables.get(model)
        if known is not None:
            table, names = known
            values = leading + [fields.pop(name, None) for name in names]
            misfits = await table.add(values, row.size)
            fields = {**(fields if self._choice.complete else {}), **misfits}
            if not fields:
                return
        other = self._others.get(model)
        if other is None:
            # of a model that the card does not know, this is the whole table
            stem = stem_of(model) if known is None else f"{stem_of(model)}_other"
            other = self._others[model] = self._new(stem, (*LEADING, OTHER))
        await other.add([*leading, fields], row.size)


def stem_of(model: str) -> str:
    """A file name for a model: its own name, which is its author's, or a hash where that is no plain one."""
    return model if _STEM.fullmatch(model) else f"model_{plain(model + '/')[:16]}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none at all"
