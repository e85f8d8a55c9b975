"""Operations on what was kept: the manifest, one page, one file."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import msgspec
import orjson
from fastapi import Response
from fastapi.responses import StreamingResponse

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.operation import Operation
from scrapeyard.controller.api.zipping import zipped
from scrapeyard.model.access import Scope
from scrapeyard.model.ask import ItemRecord
from scrapeyard.model.capture import Kept
from scrapeyard.model.request import ExportRequest

_HARMLESS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=0",
}
"""A stranger's page, were it opened in a browser after all, can do nothing."""


ROWS = "Scrapeyard-Rows"
"""How many rows each file of an export has, as a JSON object."""


class CaptureQuery(msgspec.Struct, frozen=True):
    """One kept page or file: of the item with this key, the one of this name, or the last."""

    key: str
    name: str | None = None


class RecordQuery(msgspec.Struct, frozen=True):
    """The item with this key."""

    key: str


class ResultRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._results = office.service.results

    def add_to(self, door: Door) -> None:
        """Add them all."""
        job = "/v1/jobs/{job}"
        door.add(Operation(f"GET {job}/manifest", Scope.READ, gives=object), self.show_manifest)
        door.add(Operation(f"GET {job}/manifest/lines", Scope.READ, sends="application/x-ndjson"), self.stream_manifest)
        door.add(
            Operation(f"POST {job}/export", Scope.READ, takes=ExportRequest, sends="application/zip"),
            self.export_tables,
        )
        door.add(
            Operation(f"GET {job}/records", Scope.READ, asks=RecordQuery, gives=list[ItemRecord]), self.list_records
        )
        door.add(
            Operation(f"GET {job}/capture", Scope.READ, asks=CaptureQuery, sends="application/octet-stream"),
            self.fetch_capture,
        )

    async def show_manifest(self, call: Call) -> Response:
        """Show the job's manifest."""
        return Response(await self._results.manifest(call.part("job")), media_type="application/json")

    async def stream_manifest(self, call: Call) -> Response:
        """Stream the manifest's lines, one JSON object an item."""
        lines = self._results.manifest_lines(call.part("job"))
        first = await anext(lines, None)  # so that a job without a manifest is a problem and not a broken stream

        async def whole() -> AsyncIterator[bytes]:
            if first is not None:
                yield _ended(first)
                async for line in lines:
                    yield _ended(line)

        return StreamingResponse(whole(), media_type="application/x-ndjson")

    async def export_tables(self, call: Call) -> Response:
        """Hand the job's tables over as a ZIP file, streamed."""
        asked = await call.body(ExportRequest)
        folder = Path(tempfile.mkdtemp(prefix="scrapeyard-export-"))
        try:
            exported = await self._results.export(call.part("job"), asked.order(str(folder)))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        paths = [Path(path) for path, _ in exported.files]
        counts = orjson.dumps({path.name: rows for path, (_, rows) in zip(paths, exported.files, strict=True)})
        headers = {**_HARMLESS, "Content-Disposition": 'attachment; filename="export.zip"', ROWS: counts.decode()}
        return StreamingResponse(zipped(paths, folder), headers=headers, media_type="application/zip")

    async def list_records(self, call: Call) -> list[ItemRecord]:
        """List what was read from one item's captures."""
        return await self._results.records(call.part("job"), call.asked(RecordQuery).key)

    async def fetch_capture(self, call: Call) -> Response:
        """Fetch one kept page or file, as it was; always as a download."""
        asked = call.asked(CaptureQuery)
        return saved(await self._results.capture(call.part("job"), asked.key, asked.name))


def saved(kept: Kept) -> Response:
    """A kept page or file as a download, with what is known of it."""
    body = kept.body if kept.path is None else kept.path.read_bytes()
    headers = {
        **_HARMLESS,
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(kept.name, safe='')}",
        "Scrapeyard-Url": quote(kept.url, safe=":/?&=%#,;+@!$'()*[]~"),
        "Scrapeyard-Status": str(kept.status),
        "Scrapeyard-Fetched": f"{kept.fetched:.3f}",
        "Scrapeyard-Content-Type": quote(kept.content_type, safe="/;= "),
    }
    return Response(body, headers=headers, media_type="application/octet-stream")


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"
