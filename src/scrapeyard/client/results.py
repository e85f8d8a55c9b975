"""The desk of results, at a controller. What is handed over is unpacked here, where the person is who asked for it."""

import asyncio
import tempfile
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path, PurePath
from urllib.parse import unquote

from scrapeyard.client.jobs import at
from scrapeyard.client.line import Line
from scrapeyard.model import wire
from scrapeyard.model.ask import Exported, ExportOrder, ItemRecord
from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import BadInput
from scrapeyard.model.request import ExportRequest

_MOST = 10_000
"""Files that an export may have."""


class RestResults:
    """Fulfils `scrapeyard.ports.service.ResultDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def capture(self, job: str, key: str, name: str | None = None) -> Kept:
        """One kept page or file of an item."""
        body, headers = await self._line.head(f"{at(job)}/capture", key=key, name=name)
        return Kept(
            unquote(headers["Content-Disposition"].rpartition("''")[2]),
            unquote(headers["Scrapeyard-Url"]),
            int(headers["Scrapeyard-Status"]),
            (),
            unquote(headers["Scrapeyard-Content-Type"]),
            float(headers["Scrapeyard-Fetched"]),
            body,
        )

    async def records(self, job: str, key: str) -> list[ItemRecord]:
        """What was read from one item's captures."""
        return await self._line.get(f"{at(job)}/records", list[ItemRecord], key=key)

    async def manifest(self, job: str) -> bytes:
        """The job's `manifest.json`."""
        return await self._line.ask("GET", f"{at(job)}/manifest", again=True)

    async def manifest_lines(self, job: str) -> AsyncIterator[bytes]:
        """One JSON line per item."""
        pending = b""
        async for piece in self._line.stream(f"{at(job)}/manifest/lines"):
            *lines, pending = (pending + piece).split(b"\n")
            for line in lines:
                yield line
        if pending:
            yield pending

    async def export(self, job: str, order: ExportOrder) -> Exported:
        """Write the job's tables to a folder here."""
        with tempfile.TemporaryFile() as file:
            body = wire.written(_asked(order))
            counts: dict[str, int] = {}
            async for piece in self._line.send("POST", f"{at(job)}/export", body, counts):
                await asyncio.to_thread(file.write, piece)
            file.seek(0)
            return Exported(await asyncio.to_thread(_unpack, zipfile.ZipFile(file), Path(order.folder), counts))


def _asked(order: ExportOrder) -> dict[str, object]:
    """The order without what concerns this machine alone."""
    return {name: getattr(order, name) for name in ExportRequest.__struct_fields__}


def _unpack(archive: zipfile.ZipFile, folder: Path, counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Plain files with plain names, and nothing else, whatever the archive says."""
    names = archive.namelist()
    if len(names) > _MOST or any(PurePath(name).name != name or name in {"", ".", ".."} for name in names):
        raise BadInput("The controller sent an archive with names that are no file names; nothing was unpacked.")
    folder.mkdir(parents=True, exist_ok=True)
    found: list[tuple[str, int]] = []
    for name in names:
        archive.extract(name, folder)
        found.append((str(folder / name), counts.get(name, 0)))
    return tuple(found)
