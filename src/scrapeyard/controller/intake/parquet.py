"""Parquet, through a library that comes with the extra `tables`. Only the columns that are wanted are unpacked."""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, cast

from scrapeyard.controller.intake.cells import plain
from scrapeyard.controller.intake.options import IntakeLimits
from scrapeyard.controller.intake.tables import Row
from scrapeyard.model.errors import BadInput, Refused

_BATCH = 5_000


class Parquet:
    """See Table."""

    unit = "row"
    remarks: Sequence[str] = ()

    def __init__(self, file: BinaryIO, limits: IntakeLimits) -> None:
        try:
            import pyarrow as pa  # noqa: PLC0415 - an extra that most lists do not need
            import pyarrow.parquet as pq  # noqa: PLC0415
        except ImportError as error:
            raise Refused(
                'Reading Parquet needs the extra "tables": install scrapeyard[tables], or save the list as CSV.'
            ) from error
        self._failures: tuple[type[Exception], ...] = (cast("type[Exception]", pa.ArrowException), OSError)  # pyright: ignore[reportUnknownMemberType] - untyped library
        try:
            self._file: Any = pq.ParquetFile(file, pre_buffer=False)
        except self._failures as error:
            raise BadInput(f"The Parquet file cannot be read: {error}.") from error
        self.columns: Sequence[str] | None = list(self._file.schema_arrow.names)
        if len(self.columns) > limits.fields:
            raise BadInput(f"The list has {len(self.columns):,} columns; at most {limits.fields:,} are taken.")
        self._refuse_bomb(limits.sheet)

    def rows(self) -> Iterator[tuple[int, Row]]:
        number = 0
        try:
            for batch in self._file.iter_batches(batch_size=_BATCH):
                columns: list[list[object]] = [column.to_pylist() for column in batch.columns]
                for cells in zip(*columns, strict=True):
                    number += 1
                    yield number, [plain(cell) for cell in cells]
        except self._failures as error:
            raise BadInput(f"The Parquet file is damaged after row {number:,}: {error}.") from error

    def _refuse_bomb(self, most: int) -> None:
        about: Any = self._file.metadata
        for group in range(about.num_row_groups):
            size = int(about.row_group(group).total_byte_size)
            if size > most:
                raise BadInput(
                    f"Row group {group} of the Parquet file unpacks to {size:,} bytes; at most {most:,} are taken: "
                    "write it with smaller row groups."
                )
