"""What can be done from a page: pause, resume, cancel, put items back, change a live job's policy, take the tables.

Putting back is asked twice: first it is said how many items that would be, then it is done.
"""

import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote, urlencode

import msgspec
from fastapi import Response
from fastapi.responses import RedirectResponse, StreamingResponse

from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.zipping import zipped
from scrapeyard.controller.dashboard.front import Ask, Front, Sheet
from scrapeyard.controller.dashboard.items import selection_of
from scrapeyard.model.ask import ExportOrder
from scrapeyard.model.errors import BadInput
from scrapeyard.model.policy import Policy

_FORMATS = ("csv", "jsonl", "parquet")
_FILTERS = ("state", "kind", "text", "key")
_NUMBERS = {
    "priority": int,
    "rate": float,
    "concurrency": int,
    "attempts": int,
    "stop_at_usd": float,
    "stop_at_gb": float,
}
"""The fields of a policy that the page changes. One that is left empty goes back to its default."""


class Steering:
    """See the module."""

    def __init__(self, office: Office) -> None:
        self._jobs = office.service.jobs
        self._items = office.service.items
        self._results = office.service.results

    def add_to(self, front: Front) -> None:
        """Add them all."""
        front.deed("/jobs/{job}/pause", self.pause)
        front.deed("/jobs/{job}/resume", self.resume)
        front.deed("/jobs/{job}/cancel", self.cancel)
        front.deed("/jobs/{job}/retry", self.retry)
        front.deed("/jobs/{job}/policy", self.policy)
        front.page("/jobs/{job}/export", self.export)
        front.page("/jobs/{job}/manifest", self.manifest)

    async def pause(self, ask: Ask) -> Response:
        """Let nothing start."""
        job = await self._jobs.pause(ask.part("job"), f"Paused by {ask.key.name} on the dashboard.")
        return _back_to(job.id)

    async def resume(self, ask: Ask) -> Response:
        """Go on."""
        return _back_to((await self._jobs.resume(ask.part("job"))).id)

    async def cancel(self, ask: Ask) -> Response:
        """Stop for good."""
        job = await self._jobs.cancel(ask.part("job"), f"Cancelled by {ask.key.name} on the dashboard.")
        return _back_to(job.id)

    async def retry(self, ask: Ask) -> Sheet | Response:
        """Say how many items would be put back; when that was confirmed, do it."""
        job = await self._jobs.get(ask.part("job"))
        asked = {name: ask.form.get(name, "")[:500] for name in _FILTERS}
        sure = ask.form.get("sure") == "yes"
        redriven = await self._items.redrive(job.id, selection_of(asked), dry_run=not sure)
        if sure:
            return _back_to(job.id, f"items?{urlencode({'state': 'waiting'})}" if redriven.items else "")
        return Sheet("retry.html", f"Retry items of {job.name}", job=job, asked=asked, items=redriven.items)

    async def policy(self, ask: Ask) -> Response:
        """Change the policy of a live job."""
        job = await self._jobs.get(ask.part("job"))
        changes: dict[str, float | None] = {}
        for name, kind in _NUMBERS.items():
            said = ask.form.get(name)
            if said is None:
                continue
            try:
                changes[name] = kind(said) if said.strip() else getattr(Policy(), name)
            except ValueError as error:
                raise BadInput(f"{name}: {said[:40]!r} is no number.") from error
        await self._jobs.revise(job.id, msgspec.structs.replace(job.policy, **changes))
        return _back_to(job.id)

    async def manifest(self, ask: Ask) -> Response:
        """The manifest."""
        body = await self._results.manifest(ask.part("job"))
        return Response(body, media_type="application/json", headers=_saved("manifest.json"))

    async def export(self, ask: Ask) -> Response:
        """The job's tables as a ZIP file."""
        job, form = await self._jobs.get(ask.part("job")), ask.query("format", "csv")
        if form not in _FORMATS:
            raise BadInput(f"There is no format {form[:20]!r}; choose {', '.join(_FORMATS)}.")
        folder = Path(tempfile.mkdtemp(prefix="scrapeyard-export-"))
        try:
            exported = await self._results.export(job.id, ExportOrder(form, str(folder)))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        paths = [Path(path) for path, _ in exported.files]
        return StreamingResponse(
            zipped(paths, folder), headers=_saved(f"{job.name}-{form}.zip"), media_type="application/zip"
        )


def _back_to(job: str, page: str = "") -> Response:
    return RedirectResponse(f"/jobs/{quote(job)}{'/' if page else ''}{page}", 303)


def _saved(name: str) -> dict[str, str]:
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "X-Content-Type-Options": "nosniff",
    }
