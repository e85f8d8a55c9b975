"""The desk of jobs, at a controller."""

from collections.abc import Sequence
from urllib.parse import quote

from scrapeyard.client.line import Line
from scrapeyard.model import wire
from scrapeyard.model.ask import JobOrder, JobStatus, Opened
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.item import Added, NewItem
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.request import JobRequest, Reason
from scrapeyard.model.states import JobState
from scrapeyard.model.why import Why


class RestJobs:
    """Fulfils `scrapeyard.ports.service.JobDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def open(self, order: JobOrder) -> Opened:
        """Begin a job there, of the very version of the scraper that is known here."""
        ref = order.card.ref
        asked = JobRequest(ref.name, order.name, order.policy, order.source, order.fresh, ref.digest)
        return await self._line.post("/v1/jobs", Opened, asked, once=True)

    async def load(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Add a chunk of items; the keys are made there again from the inputs, by the same rule."""
        body = b"\n".join(item.inputs for item in items)
        return wire.read(await self._line.ask("POST", f"{at(job)}/items", body, again=True), Added)

    async def seal(self, job: JobId) -> Job:
        """The list is complete."""
        return await self._line.post(f"{at(job)}/seal", Job, once=True)

    async def get(self, job: str) -> Job:
        """One job."""
        return (await self.status(job)).job

    async def find(self, states: Sequence[JobState] = (), *, limit: int = 50) -> list[Job]:
        """Jobs, newest first."""
        return await self._line.get("/v1/jobs", list[Job], state=[str(state) for state in states], limit=limit)

    async def status(self, job: str) -> JobStatus:
        """How far it is, and what holds it up."""
        return await self._line.get(at(job), JobStatus)

    async def why(self, job: str) -> Why:
        """Why it does not move, or so slowly."""
        return await self._line.get(f"{at(job)}/why", Why)

    async def pause(self, job: str, reason: str) -> Job:
        """Let nothing start."""
        return await self._line.post(f"{at(job)}/pause", Job, Reason(reason), once=True)

    async def resume(self, job: str) -> Job:
        """Go on."""
        return await self._line.post(f"{at(job)}/resume", Job, once=True)

    async def cancel(self, job: str, reason: str) -> Job:
        """Stop for good."""
        return await self._line.post(f"{at(job)}/cancel", Job, Reason(reason), once=True)

    async def revise(self, job: str, policy: Policy) -> Job:
        """Change the policy of a live job."""
        return wire.read(await self._line.ask("PATCH", f"{at(job)}/policy", wire.written(policy), again=True), Job)

    async def workers(self) -> list[WorkerReport]:
        """The workers that reported lately."""
        return await self._line.get("/v1/workers", list[WorkerReport])


def at(job: str) -> str:
    """The address of a job."""
    return f"/v1/jobs/{quote(job, safe='')}"
