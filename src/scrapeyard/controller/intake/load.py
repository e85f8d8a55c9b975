"""A list goes into a job, however long it is: read, checked and handed over in chunks.

While the ledger writes one chunk the next is read, in slices that are short enough to let everything else in this
process go on. Nothing is remembered here of what was loaded: the ledger knows an item by its key, so a load that was
interrupted is simply begun again, and ends as if it had not been.
"""

from collections.abc import Callable
from pathlib import Path

from scrapeyard.controller.intake.columns import Fields
from scrapeyard.controller.intake.delimited import Delimited
from scrapeyard.controller.intake.objects import JsonArray, JsonLines
from scrapeyard.controller.intake.opening import Format, Opened, opened
from scrapeyard.controller.intake.options import IntakeOptions
from scrapeyard.controller.intake.parquet import Parquet
from scrapeyard.controller.intake.rejects import Rejects
from scrapeyard.controller.intake.sending import Sending, Taking
from scrapeyard.controller.intake.sieve import Check, Loaded, Sieve
from scrapeyard.controller.intake.tables import Table
from scrapeyard.controller.intake.workbook import Workbook
from scrapeyard.model.errors import BadInput
from scrapeyard.model.job import Job

__all__ = ["Loaded", "count_rows", "load", "look_over"]

Progress = Callable[[int, int, int | None], None]
"""Told now and then: rows read, bytes of the file read, and bytes in all where that is known."""


async def load(
    jobs: Taking,
    job: Job,
    source: Path | None,
    options: IntakeOptions,
    check: Check,
    *,
    progress: Progress | None = None,
) -> Loaded:
    """Load a list (`None` is standard input) into a job that is loading, and seal it; `BadInput` leaves it unsealed."""
    with opened(source, options.limits) as list_:
        table = _table(list_, options)
        kept = options.rejects if options.on_bad_row == "skip" else None
        with Rejects(kept, source, table.unit, table.columns) as rejects:
            sieve = Sieve(table, options, check, rejects)
            sending = Sending(jobs, job, options.chunk)
            try:
                for items in sieve.slices():
                    await sending.take(items)
                    if progress is not None:
                        progress(sieve.rows, list_.read.count, list_.total)
                added = await sending.end()
            finally:
                await sending.drop()
    loaded = sieve.told(added)
    if not loaded.rows:
        raise BadInput("The list has no rows below its header: give it at least one.")
    if loaded.rejected and loaded.rejected == loaded.rows:
        raise BadInput(f"No row could be taken; {table.unit} {loaded.bad[0].number:,}: {loaded.bad[0].reason}.")
    await jobs.seal(job.id)
    return loaded


def look_over(source: Path, options: IntakeOptions) -> None:
    """`BadInput` if the list cannot be read at all or lacks a column, before anything is made of it."""
    with opened(source, options.limits) as list_:
        table = _table(list_, options)
        if table.columns is not None:
            Fields(options.schema, options.columns).shape(table.columns)


def count_rows(source: Path | None, options: IntakeOptions) -> int:
    """How many rows a list has, unchecked, of all shards and without a limit."""
    with opened(source, options.limits) as list_:
        return sum(1 for _ in _table(list_, options).rows())


def _table(list_: Opened, options: IntakeOptions) -> Table:
    match list_.format:
        case Format.DELIMITED:
            return Delimited(list_.stream, options.limits, header=options.header)
        case Format.JSON_LINES:
            return JsonLines(list_.stream, options.limits)
        case Format.JSON_ARRAY:
            return JsonArray(list_.stream, options.limits)
        case Format.PARQUET:
            return Parquet(list_.stream, options.limits)
        case Format.SHEET:
            return Workbook(list_.stream, options.limits)
