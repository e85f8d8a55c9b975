"""A list that comes in over a connection which may break, at any controller, in any number of pieces.

Only whole lines are taken, and what was taken is written down with the place where the next line begins. So whoever
uploads asks for that place and goes on from there, with another controller if need be. What was taken twice because an
answer was lost is known to the ledger by its key, and counts as a duplicate.
"""

import asyncio
import io
import zlib
from collections.abc import AsyncIterable, Iterator, Sequence
from typing import Literal

import msgspec

from scrapeyard.controller.intake.delimited import Delimited
from scrapeyard.controller.intake.objects import JsonLines
from scrapeyard.controller.intake.options import IntakeOptions
from scrapeyard.controller.intake.rejects import Rejects
from scrapeyard.controller.intake.sieve import BadRow, Check, Sieve
from scrapeyard.controller.intake.tables import Row, Table
from scrapeyard.model.errors import BadInput, Conflict
from scrapeyard.model.item import Added
from scrapeyard.model.job import JobId
from scrapeyard.ports.service import JobDesk

MOST_BAD = 500
"""Bad rows that are remembered with their reasons; the others are counted."""

_BLOCK = 1 << 20
_MARK = b"\xef\xbb\xbf"


class Upload(msgspec.Struct, frozen=True):
    """One list on its way in. `offset` is where the next line begins, `crc32` that of all bytes before it."""

    id: str
    job: JobId
    format: Literal["csv", "jsonl"]
    columns: dict[str, str] = {}
    on_bad_row: Literal["fail", "skip"] = "fail"
    offset: int = 0
    crc32: int = 0
    lines: int = 0
    header: str = ""
    rows: int = 0
    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    bad: tuple[BadRow, ...] = ()
    done: bool = False


class Uploading:
    """Takes the pieces of one upload in."""

    def __init__(self, jobs: JobDesk, options: IntakeOptions, check: Check, upload: Upload) -> None:
        self._jobs = jobs
        self._options = msgspec.structs.replace(options, columns=upload.columns, on_bad_row=upload.on_bad_row)
        self._check = check
        self.upload = upload

    async def blocks(self, stream: AsyncIterable[bytes], *, last: bool) -> "AsyncIterable[Upload]":
        """Take what comes, block by block; each time it says how far it is now, which is then to be written down.

        `last` says that the end of the stream is the end of the list, so that its last line needs no line end.
        """
        if self.upload.done:
            raise Conflict(f"The upload {self.upload.id} is complete.")
        pending = bytearray()
        async for piece in stream:
            pending += piece
            while len(pending) >= _BLOCK:
                cut = self._cut(pending)
                if not cut:
                    break
                yield await self._take(bytes(pending[:cut]))
                del pending[:cut]
        cut = len(pending) if last else self._cut(pending)
        if cut:
            yield await self._take(bytes(pending[:cut]))

    def _cut(self, pending: bytearray) -> int:
        """Where the last whole line ends; a line end between quotation marks is none."""
        end = pending.rfind(b"\n") + 1
        if self.upload.format == "csv":
            while end and pending.count(b'"', 0, end) % 2:
                end = pending.rfind(b"\n", 0, end - 1) + 1
        if not end and len(pending) > self._options.limits.line:
            raise BadInput(
                f"A line near line {self.upload.lines + 1:,} is longer than {self._options.limits.line:,} bytes."
            )
        return end

    async def _take(self, block: bytes) -> Upload:
        upload = self.upload
        try:
            block.decode()
        except UnicodeDecodeError as error:
            raise BadInput(f"Near line {upload.lines + 1:,} the list is not UTF-8: save it as UTF-8.") from error
        body, header = block.removeprefix(_MARK) if not upload.offset else block, upload.header
        if upload.format == "csv" and not header:
            first, _, _ = body.partition(b"\n")
            header = first.decode()
            body = body[len(first) + 1 :]
        begun = msgspec.structs.replace(
            upload,
            header=header,
            offset=upload.offset + len(block),
            crc32=zlib.crc32(block, upload.crc32),
            lines=upload.lines + block.count(b"\n"),
        )
        self.upload = begun if not body.strip() else await self._load(begun, body, upload.lines)
        return self.upload

    async def _load(self, upload: Upload, body: bytes, lines: int) -> Upload:
        table = _Shifted(self._table(upload, body), lines - (1 if upload.header and lines else 0))
        with Rejects(None, None, table.unit, table.columns) as rejects:
            sieve = Sieve(table, self._options, self._check, rejects, most_shown=MOST_BAD)
            accepted = duplicates = 0
            for items in sieve.slices():
                added = await self._jobs.load(upload.job, items)
                accepted += added.accepted
                duplicates += added.duplicates
                await asyncio.sleep(0)
        told = sieve.told(Added(accepted, duplicates))
        return msgspec.structs.replace(
            upload,
            rows=upload.rows + told.rows,
            accepted=upload.accepted + accepted,
            duplicates=upload.duplicates + duplicates,
            rejected=upload.rejected + told.rejected,
            bad=(*upload.bad, *told.bad)[:MOST_BAD],
        )

    def _table(self, upload: Upload, body: bytes) -> Table:
        if upload.format == "jsonl":
            return JsonLines(io.BytesIO(body), self._options.limits)
        return Delimited(io.BytesIO(upload.header.encode() + b"\n" + body), self._options.limits, header=True)


class _Shifted:
    """A table whose lines are counted from where its block begins."""

    def __init__(self, table: Table, by: int) -> None:
        self._table = table
        self._by = by
        self.unit = table.unit
        self.columns = table.columns

    @property
    def remarks(self) -> Sequence[str]:
        return self._table.remarks

    def rows(self) -> Iterator[tuple[int, Row]]:
        for number, row in self._table.rows():
            yield number + self._by, row
