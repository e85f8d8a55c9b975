"""Parquet, with the types that the record model has: money is exact, dates are dates.

Amounts are `decimal128` with the model's digits (money: 18 and 2), dates `date32`, moments microseconds in UTC, whole
numbers 64 bits, lists and objects JSON text. `pyarrow` is large and wanted only here, so it is loaded only here.
"""

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrapeyard.export.columns import Column, Type
from scrapeyard.export.sheets import Values
from scrapeyard.model.errors import BadInput

_GROUP_ROWS = 50_000
_GROUP_BYTES = 16 << 20


class ParquetFormat:
    """Parquet; `BadInput` says what to install where `pyarrow` is missing."""

    suffix = ".parquet"
    typed = True

    def __init__(self) -> None:
        try:
            self._arrow: Any = importlib.import_module("pyarrow")
            self._parquet: Any = importlib.import_module("pyarrow.parquet")
        except ImportError as error:
            raise BadInput(
                "Parquet needs the package pyarrow: install it with `pip install 'scrapeyard[tables]'`, "
                "or export as csv or jsonl."
            ) from error

    def open(self, path: Path, columns: Sequence[Column]) -> "ParquetSheet":
        """Begin a file."""
        schema = self._arrow.schema([(column.name, self._type(column)) for column in columns])
        return ParquetSheet(self._arrow, schema, self._parquet.ParquetWriter(path, schema, compression="zstd"))

    def _type(self, column: Column) -> Any:
        arrow = self._arrow
        match column.type:
            case Type.TEXT | Type.JSON:
                return arrow.string()
            case Type.INTEGER:
                return arrow.int64()
            case Type.NUMBER:
                return arrow.float64()
            case Type.BOOLEAN:
                return arrow.bool_()
            case Type.DATE:
                return arrow.date32()
            case Type.TIME:
                return arrow.timestamp("us", tz="UTC")
            case Type.DECIMAL:
                return arrow.decimal128(column.digits, column.places)


class ParquetSheet:
    """One Parquet file. Rows are gathered into groups large enough to be packed well."""

    def __init__(self, arrow: Any, schema: Any, writer: Any) -> None:
        self._arrow = arrow
        self._schema = schema
        self._writer = writer
        self._batches: list[Any] = []
        self._rows = 0
        self._bytes = 0

    def write(self, rows: Sequence[Values]) -> None:
        if not rows:
            return
        columns = zip(*rows, strict=True)
        arrays = [
            self._arrow.array(values, type=field.type) for values, field in zip(columns, self._schema, strict=True)
        ]
        batch = self._arrow.record_batch(arrays, schema=self._schema)
        self._batches.append(batch)
        self._rows += len(rows)
        self._bytes += batch.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def _write_group(self) -> None:
        if self._batches:
            self._writer.write_table(self._arrow.Table.from_batches(self._batches), row_group_size=self._rows)
        self._batches, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        try:
            self._write_group()
        finally:
            self._writer.close()
