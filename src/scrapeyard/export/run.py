"""A job as tables, streamed: what is in memory does not grow with the job.

There is one table for each record model, named for it, in list order: `_key`, `_seq` and `_outcome` of the item, then
the model's own fields in the order of the model (or those of `fields`, in that order). Fields of a model never begin
with an underscore, so the leading columns collide with none, and every table joins with every other by `_seq`.

Beside them stands `items`, one row for every item, with or without a record: what came of it, why, its inputs, and
where its captures lie. With `include_attempts`, `attempts` has one row for every recorded try. `outcomes` restricts
all tables to items with these outcomes. With `rows_per_file` a table is split: `Bill-00001.csv`, `Bill-00002.csv`, …

CSV is safe to open in a spreadsheet (see `delimited`), Parquet has the model's types (see `parquet`), JSONL has the
values as they are. Whatever has no place in its table goes to `<Model>_other` beside it (see `records`).
"""

from collections.abc import Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from scrapeyard.export.columns import Column
from scrapeyard.export.delimited import DelimitedFormat
from scrapeyard.export.folder import Folder
from scrapeyard.export.jsonlines import LinesFormat
from scrapeyard.export.own import ATTEMPTS, ITEMS, attempt_row, item_row, may_have_attempts
from scrapeyard.export.parquet import ParquetFormat
from scrapeyard.export.records import Choice, RecordTables
from scrapeyard.export.sheets import Format
from scrapeyard.export.table import Table
from scrapeyard.model.ask import Exported, ExportOrder
from scrapeyard.model.errors import BadInput, StorageError
from scrapeyard.model.item import Item
from scrapeyard.model.job import Job
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import VisitState
from scrapeyard.ports.items import ItemBook
from scrapeyard.results.reader import ResultReader

FORMATS = ("csv", "jsonl", "parquet")


async def export(
    job: Job, card: ScraperCard | None, items: ItemBook, reader: ResultReader, order: ExportOrder
) -> Exported:
    """Write the job's tables to the order's folder. All files appear at the end, or none."""
    layout = _format(order)
    _check(order)
    choice = Choice(card.record_schemas if card is not None else {}, order.models, order.fields)
    folder = Folder(Path(order.folder))
    tables = _Tables(layout, folder, order.rows_per_file)
    try:
        await _fill(tables, job, items, reader, (order, choice))
        files = await tables.finish()
        folder.publish()
    except OSError as error:
        raise StorageError(
            f"The export to {order.folder} failed ({error.strerror or error}): make room there, or choose another."
        ) from error
    finally:
        tables.close()
        folder.discard()
    return Exported(tuple(files))


def _format(order: ExportOrder) -> Format:
    match order.format:
        case "csv":
            return DelimitedFormat(formula_safe=order.formula_safe)
        case "jsonl":
            return LinesFormat()
        case "parquet":
            return ParquetFormat()
        case other:
            raise BadInput(f"There is no format {other!r}: choose from {', '.join(FORMATS)}.")


def _check(order: ExportOrder) -> None:
    known = {state.value for state in VisitState}
    for outcome in sorted(order.outcomes - known):
        raise BadInput(f"There is no outcome {outcome!r}: choose from {', '.join(sorted(known))}.")
    if order.rows_per_file is not None and order.rows_per_file < 1:
        raise BadInput("A file has to have at least one row: give a larger number of rows per file.")


class _Tables:
    """All tables of one export. Their names differ also where a disk does not tell capitals apart."""

    def __init__(self, layout: Format, folder: Folder, rows_per_file: int | None) -> None:
        self._layout = layout
        self._folder = folder
        self._rows_per_file = rows_per_file
        self._tables: list[Table] = []
        self._taken: set[str] = set()

    def new(self, stem: str, columns: Sequence[Column]) -> Table:
        """Begin a table."""
        name, number = stem, 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name.casefold())
        table = Table(name, columns, self._layout, self._folder, self._rows_per_file)
        self._tables.append(table)
        return table

    async def finish(self) -> list[tuple[str, int]]:
        """Complete every table."""
        return [file for table in self._tables for file in await table.finish()]

    def close(self) -> None:
        """Close what is open after a failure."""
        for table in self._tables:
            with suppress(OSError):  # the failure has been told; that closing fails for the same reason is no news
                table.close()


async def _fill(
    tables: _Tables, job: Job, items: ItemBook, reader: ResultReader, wish: tuple[ExportOrder, Choice]
) -> None:
    order, choice = wish
    own = tables.new("items", ITEMS)
    tries = tables.new("attempts", ATTEMPTS) if order.include_attempts else None
    records = RecordTables(choice, tables.new)

    def wanted(item: Item) -> bool:
        return not order.outcomes or item.state.value in order.outcomes

    async with aclosing(reader.each(items, job.id, Path(order.folder), wanted)) as found:
        async for item, rows in found:
            await own.add(*item_row(item))
            for row in rows:
                await records.add(item, row)
            if tries is not None and may_have_attempts(item):
                for attempt in await items.attempts(job.id, item.seq):
                    await tries.add(*attempt_row(item, attempt))
