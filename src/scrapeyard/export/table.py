"""One table on its way to disk: rows are gathered into batches, split over files, and written away from the loop.

A batch is bounded in rows and in bytes, because one item's values may be a megabyte each.
"""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

from scrapeyard.export.columns import Column
from scrapeyard.export.fitting import Fit, fit_for
from scrapeyard.export.folder import Folder
from scrapeyard.export.sheets import Format, Sheet, Values

_BATCH_ROWS = 2_000
_BATCH_BYTES = 4 << 20


class Table:
    """A table of one or more files. With `rows_per_file` they are numbered from 1."""

    def __init__(
        self, stem: str, columns: Sequence[Column], layout: Format, folder: Folder, rows_per_file: int | None
    ) -> None:
        self.columns = tuple(columns)
        self._stem = stem
        self._layout = layout
        self._folder = folder
        self._rows_per_file = rows_per_file
        self._fits: tuple[Fit, ...] | None = tuple(fit_for(column) for column in columns) if layout.typed else None
        self._sheet: Sheet | None = None
        self._room = 0
        self._batch: list[Values] = []
        self._bytes = 0
        self._files: list[tuple[Path, int]] = []
        self._turn = threading.RLock()  # a stopped export closes its files while a batch may still be written

    async def add(self, values: Sequence[object], size: int) -> dict[str, object]:
        """Add a row of about `size` bytes. Gives the values that do not fit their columns; their cells stay empty."""
        misfits: dict[str, object] = {}
        self._batch.append(values if self._fits is None else self._fitted(values, self._fits, misfits))
        self._bytes += size
        if len(self._batch) >= _BATCH_ROWS or self._bytes >= _BATCH_BYTES:
            await self._flush()
        return misfits

    def _fitted(self, values: Values, fits: tuple[Fit, ...], misfits: dict[str, object]) -> list[object]:
        fitted: list[object] = []
        for column, fit, value in zip(self.columns, fits, values, strict=True):
            try:
                fitted.append(None if value is None else fit(value))
            except ValueError:
                fitted.append(None)
                misfits[column.name] = value
        return fitted

    async def _flush(self) -> None:
        batch, self._batch, self._bytes = self._batch, [], 0
        await asyncio.to_thread(self._write, batch)

    def _write(self, batch: list[Values]) -> None:
        with self._turn:
            while batch:
                sheet = self._open()
                some = batch if self._rows_per_file is None else batch[: self._room]
                sheet.write(some)
                path, rows = self._files[-1]
                self._files[-1] = path, rows + len(some)
                batch = batch[len(some) :]
                self._room -= len(some)

    def _open(self) -> Sheet:
        if self._sheet is not None and (self._rows_per_file is None or self._room > 0):
            return self._sheet
        self.close()
        number = None if self._rows_per_file is None else len(self._files) + 1
        path = self._folder.new(self._stem, self._layout.suffix, number)
        self._sheet = self._layout.open(path, self.columns)
        self._room = self._rows_per_file or 0
        self._files.append((path, 0))
        return self._sheet

    async def finish(self) -> list[tuple[str, int]]:
        """Write what is left; a table without rows still gets its file. Gives the files and their numbers of rows."""
        await self._flush()
        await asyncio.to_thread(self._end)
        return [(str(self._folder.final(path)), rows) for path, rows in self._files]

    def _end(self) -> None:
        with self._turn:
            if not self._files:
                self._open()
            self.close()

    def close(self) -> None:
        """Close the open file."""
        with self._turn:
            sheet, self._sheet = self._sheet, None
            if sheet is not None:
                sheet.close()
