"""Operations on uploads: a list of any size, streamed in, resumed after a break, checked row by row."""

import secrets
from typing import Literal

import msgspec
from fastapi import Response

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.once import once
from scrapeyard.controller.api.operation import Operation, header
from scrapeyard.controller.api.problems import Answered, answer, problem
from scrapeyard.controller.intake.options import IntakeOptions
from scrapeyard.controller.intake.uploading import Upload, Uploading
from scrapeyard.model import wire
from scrapeyard.model.access import Scope
from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.job import Job
from scrapeyard.model.memo import Memo

OFFSET = "upload-offset"
CRC = "upload-crc32"
COMPLETE = "upload-complete"


_HEADERS = (
    header("Upload-Offset", "Where this piece begins in the list."),
    header("Upload-Complete", "`?1` with the last piece."),
    header("Upload-Crc32", "The CRC-32 of the whole list, in decimal; looked at with the last piece."),
)


class UploadRequest(msgspec.Struct, frozen=True):
    """How a list is to be read: `columns` names the column for an input, where the names differ. It is UTF-8."""

    format: Literal["csv", "jsonl"] = "jsonl"
    columns: dict[str, str] = {}
    on_bad_row: Literal["fail", "skip"] = "fail"


class UploadRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def add_to(self, door: Door) -> None:
        """Add them all."""
        begin = Operation(
            "POST /v1/jobs/{job}/uploads",
            Scope.SUBMIT,
            takes=UploadRequest,
            gives=Upload,
            status=201,
            makes={"upload": "/id"},
            once=True,
        )
        door.add(begin, self.begin_upload)
        door.add(Operation("GET /v1/uploads/{upload}", Scope.SUBMIT, gives=Upload), self.show_upload)
        append = Operation(
            "PATCH /v1/uploads/{upload}",
            Scope.SUBMIT,
            gives=Upload,
            media=("application/octet-stream",),
            headers=_HEADERS,
            also=(460,),
        )
        door.add(append, self.append_to_upload)

    async def begin_upload(self, call: Call) -> Upload:
        """Begin to upload the list of a job that is loading."""
        job = await self._office.service.jobs.get(call.part("job"))

        async def begin(asked: UploadRequest, wish: str) -> Upload:
            upload = Upload(wish[:16] or secrets.token_hex(8), job.id, asked.format, asked.columns, asked.on_bad_row)
            known = await self._office.memos.recall(f"upload/{upload.id}") if wish else None
            return _upload(known or await self._keep(upload, None))

        return await once(self._office, call, UploadRequest, Upload, begin)

    async def show_upload(self, call: Call) -> Upload:
        """Show how far an upload is, and which rows were not taken and why."""
        return _upload(await self._recall(call))

    async def append_to_upload(self, call: Call) -> Response:
        """Send a piece of the list as the body: any bytes from `Upload-Offset` on, however many.

        Whole lines are taken and are durable with the answer, whose `offset` is where the next piece begins.
        `Upload-Complete: ?1` says that this is the end: the job's list is sealed then. With `Upload-Crc32`, the CRC-32
        of the whole list in decimal, the end is only accepted if all bytes arrived as they were sent."""
        memo = await self._recall(call)
        upload = _upload(memo)
        headers = call.request.headers
        if headers.get(OFFSET, str(upload.offset)) != str(upload.offset):
            told = problem("gone_on", f"It stands at {upload.offset}; send on from there.", OFFSET)
            return answer(told, {OFFSET: str(upload.offset)})
        complete = headers.get(COMPLETE, "?0") == "?1"
        job = await self._office.service.jobs.get(upload.job)
        uploading = await self._uploading(job, upload)
        async for taken in uploading.blocks(call.request.stream(), last=complete):
            memo = await self._keep(taken, memo)
        upload = uploading.upload
        if complete:
            upload = await self._complete(upload, memo, headers.get(CRC))
        return Response(wire.written(upload), headers={OFFSET: str(upload.offset)}, media_type="application/json")

    async def _complete(self, upload: Upload, memo: Memo, crc: str | None) -> Upload:
        if crc is not None and crc != str(upload.crc32):
            raise Answered(problem("checksum", f"The list that arrived has the CRC-32 {upload.crc32}.", CRC))
        if not upload.rows:
            raise BadInput("The list has no rows: give it at least one.")
        if upload.rejected == upload.rows:
            raise BadInput(f"No row could be taken; line {upload.bad[0].number:,}: {upload.bad[0].reason}.")
        await self._office.service.jobs.seal(upload.job)
        done = msgspec.structs.replace(upload, done=True)
        await self._keep(done, memo)
        return done

    async def _uploading(self, job: Job, upload: Upload) -> Uploading:
        scrapers = self._office.scrapers
        options = IntakeOptions(schema=scrapers.find(job.scraper.name).input_schema)
        return Uploading(self._office.service.jobs, options, scrapers.load(job.scraper).check_inputs, upload)

    async def _recall(self, call: Call) -> Memo:
        identity = call.part("upload")
        memo = await self._office.memos.recall(f"upload/{identity}") if identity.isalnum() else None
        if memo is None:
            raise NotFound(f"There is no upload {identity[:40]!r}.")
        return memo

    async def _keep(self, upload: Upload, seen: Memo | None) -> Memo:
        kept = await self._office.memos.keep(f"upload/{upload.id}", msgspec.json.encode(upload), seen=seen)
        if kept is None:
            raise Conflict(
                "Somebody else sends to this upload at the same time; ask where it stands and go on from there."
            )
        return kept


def _upload(memo: Memo) -> Upload:
    return msgspec.json.decode(memo.body, type=Upload)
