"""Operations on jobs: begin, look, steer, change."""

from typing import Any, Final, cast

import msgspec
import orjson

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.once import once
from scrapeyard.controller.api.operation import Operation
from scrapeyard.controller.intake.sieve import Check
from scrapeyard.controller.service.naming import new_id
from scrapeyard.model import wire
from scrapeyard.model.access import Scope
from scrapeyard.model.ask import Cloned, CloneOrder, JobOrder, JobStatus, Opened
from scrapeyard.model.errors import BadInput, Conflict
from scrapeyard.model.item import Added, NewItem
from scrapeyard.model.job import Job
from scrapeyard.model.policy import Policy
from scrapeyard.model.request import CloneRequest, JobRequest, Reason
from scrapeyard.model.states import JobState
from scrapeyard.model.why import Why
from scrapeyard.ports.scrapers import fallback_of

_LINES = "application/x-ndjson"
_CHUNK: Final = 16 << 20
"""Bytes of items that are taken at once."""


class JobQuery(msgspec.Struct, frozen=True):
    """Which jobs: those in any of these states, newest first."""

    state: tuple[JobState, ...] = ()
    limit: int = 50


class JobRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._jobs = office.service.jobs

    def add_to(self, door: Door) -> None:
        """Add them all."""
        job = "/v1/jobs/{job}"
        create = Operation(
            "POST /v1/jobs",
            Scope.SUBMIT,
            takes=JobRequest,
            gives=Opened,
            status=201,
            makes={"job": "/job/id"},
            once=True,
        )
        door.add(create, self.create_job)
        door.add(Operation("GET /v1/jobs", Scope.READ, asks=JobQuery, gives=list[Job]), self.list_jobs)
        door.add(Operation(f"GET {job}", Scope.READ, gives=JobStatus), self.show_job)
        door.add(Operation(f"GET {job}/why", Scope.READ, gives=Why), self.explain_job)
        clone = Operation(f"POST {job}/clone", Scope.SUBMIT, takes=CloneRequest, gives=Cloned, status=201, once=True)
        door.add(clone, self.clone_job)
        door.add(Operation(f"PATCH {job}/policy", Scope.OPERATE, takes=Policy, gives=Job), self.change_policy)
        door.add(Operation(f"POST {job}/items", Scope.SUBMIT, gives=Added, media=(_LINES,)), self.add_items)
        door.add(Operation(f"POST {job}/seal", Scope.SUBMIT, gives=Job), self.seal_job)
        door.add(Operation(f"POST {job}/pause", Scope.OPERATE, takes=Reason, gives=Job), self.pause_job)
        door.add(Operation(f"POST {job}/resume", Scope.OPERATE, gives=Job), self.resume_job)
        door.add(Operation(f"POST {job}/cancel", Scope.OPERATE, takes=Reason, gives=Job), self.cancel_job)

    async def create_job(self, call: Call) -> Opened:
        """Begin a job, or go on with the unfinished one of that name.

        With an `Idempotency-Key` header the same request again gives the same answer, for a day."""
        return await once(self._office, call, JobRequest, Opened, self._open)

    async def _open(self, asked: JobRequest, wish: str) -> Opened:
        card = self._office.scrapers.find(asked.scraper)
        if asked.digest and asked.digest != card.ref.digest:
            raise Conflict(
                f"The controller has another version of {card.ref.name} ({card.ref.version}, {card.ref.digest[:8]}): "
                "bring both to the same one."
            )
        other = fallback_of(card, self._office.scrapers)
        own = new_id(wish) if wish else None
        order = JobOrder(asked.name or asked.scraper, card, asked.policy, asked.source, asked.fresh, other, own)
        return await self._jobs.open(order)

    async def clone_job(self, call: Call) -> Cloned:
        """Begin a new job with the same items, or with those that came to a certain end.

        It runs the version of the scraper that is there now, and may run at once."""

        async def clone(asked: CloneRequest, wish: str) -> Cloned:
            own = new_id(wish) if wish else None
            order = CloneOrder(asked.name, asked.selection, asked.policy, own)
            return await self._office.service.items.clone(call.part("job"), order)

        return await once(self._office, call, CloneRequest, Cloned, clone)

    async def list_jobs(self, call: Call) -> list[Job]:
        """List jobs, newest first."""
        asked = call.asked(JobQuery)
        return await self._jobs.find(asked.state, limit=asked.limit)

    async def show_job(self, call: Call) -> JobStatus:
        """Show one job: how far it is, and what holds it up."""
        return await self._jobs.status(call.part("job"))

    async def explain_job(self, call: Call) -> Why:
        """Say why a job does not move, or so slowly, and what would change that."""
        return await self._jobs.why(call.part("job"))

    async def change_policy(self, call: Call) -> Job:
        """Change the policy of a live job. Fields that are left out stay as they are."""
        found = await self._jobs.get(call.part("job"))
        patch: Any = await call.body(dict[str, object])
        unknown = set(patch) - set(Policy.__struct_fields__)
        if unknown:
            raise BadInput(f"A policy has no field {min(unknown)[:60]!r}.")
        whole = {**msgspec.json.decode(wire.written(found.policy)), **patch}
        try:
            policy = wire.read(msgspec.json.encode(whole), Policy)
        except msgspec.ValidationError as error:
            raise BadInput(str(error)) from error
        return await self._jobs.revise(found.id, policy)

    async def add_items(self, call: Call) -> Added:
        """Add a chunk of items to a job that is loading: one JSON object with the inputs a line, at most 16 MiB.

        For a whole list an upload is simpler, since it can be resumed."""
        job = await self._jobs.get(call.part("job"))
        check = self._office.scrapers.load(job.scraper).check_inputs
        items: list[NewItem] = []
        for number, line in enumerate((await call.bytes(_CHUNK)).splitlines(), 1):
            if line.strip():
                items.append(_item(number, line, check))
        return await self._jobs.load(job.id, items)

    async def seal_job(self, call: Call) -> Job:
        """Say that the list is complete; the job may run."""
        return await self._jobs.seal((await self._jobs.get(call.part("job"))).id)

    async def pause_job(self, call: Call) -> Job:
        """Let nothing start until it is resumed."""
        return await self._jobs.pause(call.part("job"), (await call.body(Reason)).reason or _by(call))

    async def resume_job(self, call: Call) -> Job:
        """Go on."""
        return await self._jobs.resume(call.part("job"))

    async def cancel_job(self, call: Call) -> Job:
        """Stop for good."""
        return await self._jobs.cancel(call.part("job"), (await call.body(Reason)).reason or _by(call))


def _item(number: int, line: bytes, check: Check) -> NewItem:
    try:
        row = orjson.loads(line)
        if not isinstance(row, dict):
            raise BadInput("it is no JSON object")
        return NewItem(*check(cast("dict[str, object]", row)))
    except (orjson.JSONDecodeError, BadInput) as error:
        raise BadInput(f"Line {number:,}: {error}.") from error


def _by(call: Call) -> str:
    return f"By {call.key.name}."
