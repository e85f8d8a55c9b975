"""The desk where jobs are submitted, looked at and steered.

The same order given twice is one job: whoever's submission was cut off, or whose machine slept, gives the order again
and goes on where it stopped. What would silently mean something else is refused.
"""

import secrets
from collections.abc import Sequence
from pathlib import PurePath

import msgspec

from scrapeyard.controller.audit.acting import who_acts
from scrapeyard.controller.service.gates import closed_gates, view_of
from scrapeyard.controller.service.naming import checked_name, find_job, new_id
from scrapeyard.controller.service.policies import armed, checked, checked_site, merged
from scrapeyard.decisions.why import why
from scrapeyard.model.ask import JobOrder, JobStatus, Opened
from scrapeyard.model.errors import BadInput, Conflict
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.item import Added, NewItem
from scrapeyard.model.job import Fallback, Job, JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.model.why import Why
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.results.cards import card_of, keep_card

_ENDED = frozenset({JobState.COMPLETED, JobState.CANCELLED})
_UNFINISHED = tuple(state for state in JobState if state not in _ENDED)
_MOST_JOBS = 1_000


class LocalJobs:
    """Fulfils `scrapeyard.ports.service.JobDesk`."""

    def __init__(self, ledger: Ledger, fleet: Fleet, blobs: Blobs, clock: Clock) -> None:
        self._ledger = ledger
        self._jobs = ledger.jobs
        self._fleet = fleet
        self._blobs = blobs
        self._clock = clock

    async def open(self, order: JobOrder) -> Opened:
        """Begin a job, or go on with the unfinished one of that name."""
        checked_name(order.name)
        checked(order.policy)
        if order.id is not None and (known := await self._jobs.get(order.id)) is not None:
            return Opened(known, continued=True)
        if order.policy.breaker.sentinels is not None:
            order = msgspec.structs.replace(order, policy=armed(order.policy, order.card))
        found = None if order.fresh else await self._unfinished(order.name)
        if found is None:
            return Opened(await self._begin(order), continued=False)
        _same(found, order)
        policy = merged(found.policy, order.policy)
        revised = found if policy == found.policy else await self.revise(found.id, policy)
        return Opened(revised, continued=True)

    async def load(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Add a chunk of items."""
        return await self._ledger.items.add(job, items)

    async def seal(self, job: JobId) -> Job:
        """The list is complete: the job may run."""
        found = await find_job(self._jobs, job)
        if found.state is JobState.CANCELLED:
            raise Conflict(f"{_called(found)} was cancelled while its list was loaded: submit it again with --new.")
        await self._ledger.items.seal(found.id)
        await self._jobs.advance(found.id, JobState.RUNNING, (JobState.LOADING,), now=self._clock.now())
        return await find_job(self._jobs, found.id)

    async def get(self, job: str) -> Job:
        """One job."""
        return await find_job(self._jobs, job)

    async def find(self, states: Sequence[JobState] = (), *, limit: int = 50) -> list[Job]:
        """Jobs, newest first."""
        if limit < 1:
            raise BadInput(f"A list of {limit} jobs says nothing: ask for 1 or more.")
        return await self._jobs.find(states, limit=min(limit, _MOST_JOBS))

    async def status(self, job: str) -> JobStatus:
        """How far it is, and what holds it up: counters and what the dispatcher said, never the items themselves."""
        found = await find_job(self._jobs, job)
        tally = await self._jobs.tally(found.id)
        views, now = await self._fleet.views(), self._clock.now()
        view = view_of(found, views, now)
        waiting = tally.count(VisitState.WAITING)
        later = max(0, waiting - await self._ledger.offers.fresh(found.id)) if waiting else 0
        return JobStatus(
            job=found,
            tally=tally,
            gates=closed_gates(found, view, views, now),
            running=tally.count(VisitState.RUNNING) if view is None else view.running,
            workers=sum(_serves(worker, found) for worker in await self.workers()),
            at=now,
            pace=None if view is None else view.pace,
            later=later,
            ways=() if view is None else view.ways,
            due=await self._ledger.offers.next_due(found.id) if later else None,
        )

    async def why(self, job: str) -> Why:
        """Why it does not move, or so slowly, and what would change that."""
        return why(await self.status(job))

    async def pause(self, job: str, reason: str) -> Job:
        """Let nothing start until it is resumed."""
        return await self._move(job, JobState.PAUSED, (JobState.RUNNING,), reason)

    async def resume(self, job: str) -> Job:
        """Go on."""
        return await self._move(job, JobState.RUNNING, (JobState.PAUSED,), None)

    async def cancel(self, job: str, reason: str) -> Job:
        """Stop for good."""
        return await self._move(job, JobState.CANCELLED, (JobState.LOADING, JobState.RUNNING, JobState.PAUSED), reason)

    async def revise(self, job: str, policy: Policy) -> Job:
        """Change the policy of a live job."""
        checked(policy)
        found = await find_job(self._jobs, job)
        if policy.breaker.sentinels != found.policy.breaker.sentinels:
            card = await card_of(self._blobs, found.id)
            if card is None:
                raise Conflict(
                    f"{_called(found)} was begun without its scraper's card, so its sentinels stay as they are."
                )
            policy = armed(policy, card)
        revised = await self._jobs.revise(found.id, policy)
        if revised is None:
            raise Conflict(f"{_called(found)} is {found.state}; what is finished has no policy to change.")
        return revised

    async def workers(self) -> list[WorkerReport]:
        """The workers that are alive as far as the ledger knows, with what they last reported."""
        alive = {beat.worker for beat in await self._ledger.leases.workers() if not beat.fenced}
        return [report for report in await self._fleet.roster() if report.worker in alive]

    async def _told(self, job: Job, reason: str | None) -> None:
        """Write down what a person did to the job."""
        at, verb = self._clock.now(), "resumed" if job.state is JobState.RUNNING else str(job.state)
        who = who_acts()
        how = f"by the {who}" if who.startswith("schedule ") else "by hand"
        words = f"The job was {verb} {how}{': ' + reason.rstrip('.') if reason else ''}."
        id_ = event_id(at, secrets.randbelow(1 << 40) / (1 << 40))
        await self._ledger.events.add(
            [Event(id_, at, f"job_{verb}", words, job.id, job.site.name, msgspec.json.encode({"by": who}))]
        )

    async def _begin(self, order: JobOrder) -> Job:
        """A new job. Its card is kept first, so that there is never a job whose scraper nobody can describe."""
        card, other, now = order.card, order.fallback, self._clock.now()
        job = Job(
            id=order.id or new_id(),
            name=order.name,
            scraper=card.ref,
            site=checked_site(card.site),
            policy=armed(order.policy, card),
            created=now,
            order_key=secrets.randbits(62),
            lane=card.lane,
            repeatable=card.repeatable,
            key_fields=card.key_fields,
            source=order.source,
            changed=now,
            tiers=card.tiers,
            fallback=Fallback(other.ref, other.lane, other.tiers) if other is not None else None,
        )
        await keep_card(self._blobs, job.id, card)
        return await self._jobs.create(job)

    async def _unfinished(self, name: str) -> Job | None:
        """The newest unfinished job of that name; a finished one may have been begun after it."""
        newest = await self._jobs.named(name)
        if newest is None or newest.state not in _ENDED:
            return newest
        unfinished = await self._jobs.find(_UNFINISHED, limit=_MOST_JOBS)
        return next((job for job in unfinished if job.name == name), None)

    async def _move(self, said: str, to: JobState, only_from: Sequence[JobState], reason: str | None) -> Job:
        """Move a job. Being there already is no error: the wish is fulfilled."""
        found = await find_job(self._jobs, said)
        if found.state is to:
            return found
        moved = await self._jobs.advance(found.id, to, only_from, now=self._clock.now(), reason=reason)
        if moved is not None:
            await self._told(moved, reason)
            return moved
        stands = await find_job(self._jobs, found.id)
        if stands.state is to:
            return stands
        raise Conflict(f"{_called(stands)} {_REFUSALS[stands.state]}")


_REFUSALS: dict[JobState, str] = {
    JobState.LOADING: "is still loading its list: submit the list again to finish that, or cancel the job.",
    JobState.RUNNING: "is running already.",
    JobState.PAUSED: "is paused: resume it or cancel it.",
    JobState.FINALIZING: "has run all its items and is being counted: ask again in a moment.",
    JobState.COMPLETED: "is completed, so nothing of it is left to steer: `scrapeyard retry` runs items of it again.",
    JobState.CANCELLED: "was cancelled for good: submit its list as a new job.",
}


def _same(job: Job, order: JobOrder) -> None:
    """Refuse to go on with something else than was begun."""
    wanted, begun = order.card.ref, job.scraper
    if wanted.name != begun.name:
        raise Conflict(
            f"{_called(job)} is unfinished and belongs to the scraper {begun.name}, not to {wanted.name}: "
            "choose another --name, or begin another job of that name with --new."
        )
    if wanted != begun:
        if wanted.version == begun.version:
            differs = f"the scraper's code has changed since it began, though it still calls itself {begun.version}"
        else:
            differs = f"it began with version {begun.version} of the scraper and this is {wanted.version}"
        raise Conflict(
            f"{_called(job)} is unfinished and {differs}: begin another job with --new, "
            "or bring the old version back to go on."
        )
    if order.source and job.source and PurePath(order.source).name != PurePath(job.source).name:
        raise Conflict(
            f"{_called(job)} is unfinished and its list is {job.source!r}, not {order.source!r}: "
            "choose another --name, or begin another job of that name with --new."
        )


def _called(job: Job) -> str:
    return f"The job {job.name!r} ({job.id})"


def _serves(worker: WorkerReport, job: Job) -> bool:
    return (
        worker.lane == job.lane
        and not worker.draining
        and (worker.catalogue is None or job.scraper.digest in worker.catalogue)
    )
