"""A job ends by recount.

Counters say that nothing moves any more; that is the reason to look, not the proof. The rows themselves are counted,
and only if they add up to the sealed total is the manifest written and the job completed. If they do not, the job
stays `finalizing` with the reason, and is counted again later. A cancelled job gets its manifest too, once no worker
holds any of its items. Counting a million rows takes a while, so it is done beside the valve's own work.
"""

import asyncio
from collections.abc import Awaitable
from typing import Protocol

import msgspec
import structlog

from scrapeyard.dispatcher.board import Board
from scrapeyard.dispatcher.live import LiveJob
from scrapeyard.dispatcher.options import Outside
from scrapeyard.model.errors import NotFound, StorageError
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.items import ItemBook
from scrapeyard.results.manifest import read_manifest

log = structlog.get_logger(__name__)

_AGAIN = 15.0
"""Seconds until a count that did not add up is made again."""
_PAGE = 200
_RECENT = 20
"""Of so many of the newest cancelled jobs it is asked now and then whether they were closed."""
_ASK = 5.0


class WriteManifest(Protocol):
    """Writes the list of everything that a job produced."""

    def __call__(self, job: Job, tally: Tally, items: ItemBook, blobs: Blobs, *, now: float) -> Awaitable[None]: ...


class _Sealed(msgspec.Struct, frozen=True):
    """As much of a manifest as is looked at here."""

    state: str = ""


class Closing:
    """Ends jobs, one at a time, in a task of its own."""

    def __init__(self, outside: Outside, board: Board, write_manifest: WriteManifest) -> None:
        self._outside = outside
        self._board = board
        self._write = write_manifest
        self._task: asyncio.Task[None] | None = None
        self._not_before: dict[JobId, float] = {}
        self._closed: set[JobId] = set()
        self._asked: float | None = None
        self._asked_last = False

    async def look(self) -> None:
        """Begin to end a job of which nothing moves; see to a finalizing one that moves again."""
        if self._task is not None:
            if not self._task.done():
                return
            self._task.result()
            self._task = None
        now = self._outside.clock.monotonic()
        still = await self._still(now)
        # in turns: where storage is so slow that it is always time to ask, jobs must end all the same
        if (self._asked is None or now - self._asked >= _ASK) and not (still is not None and self._asked_last):
            everything, self._asked = self._asked is None, now
            self._asked_last = True
            self._task = asyncio.create_task(self._find_cancelled(everything=everything))
        elif still is not None:
            self._asked_last = False
            self._task = asyncio.create_task(self._end(still.job))

    async def _still(self, now: float) -> LiveJob | None:
        """The first job of which nothing moves; those that were about to end and move again are sent back."""
        for live in list(self._board.jobs.values()):
            if live.tally is None or self._not_before.get(live.job.id, now) > now:
                continue
            if live.job.state is JobState.FINALIZING and live.tally.moving:
                await self._advance(live.job, JobState.RUNNING, JobState.FINALIZING)
            elif _is_still(live):
                return live
        return None

    async def stop(self) -> None:
        """Let go; whoever leads next begins the count anew."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _find_cancelled(self, *, everything: bool) -> None:
        """Cancelled jobs that nobody saw being cancelled may still run, or want their manifest."""
        before: float | None = None
        limit = _PAGE if everything else _RECENT
        while True:
            try:
                page = await self._outside.ledger.jobs.find((JobState.CANCELLED,), limit=limit, before=before)
                for job in page:
                    if job.id not in self._closed and job.id not in self._board.jobs:
                        await self._follow_unless_closed(job)
            except StorageError as error:
                log.warning("cancelled jobs cannot be looked for now", error=str(error))
                return
            if not everything or len(page) < limit:
                return
            before = page[-1].created

    async def _follow_unless_closed(self, job: Job) -> None:
        if await self._has_manifest(job.id):
            self._closed.add(job.id)
        else:
            self._board.follow(job)

    async def _has_manifest(self, job: JobId) -> bool:
        """Whether the manifest of the cancelled job is there; one from a time before the cancelling is not it."""
        try:
            found = msgspec.json.decode(await read_manifest(self._outside.blobs, job), type=_Sealed)
        except (NotFound, msgspec.DecodeError):
            return False
        return found.state == JobState.CANCELLED

    async def _end(self, job: Job) -> None:
        self._not_before[job.id] = self._outside.clock.monotonic() + _AGAIN
        try:
            if job.state is JobState.CANCELLED:
                await self._end_cancelled(job)
            else:
                await self._complete(job)
        except StorageError as error:
            log.warning("the job cannot be ended now", job=job.id, error=str(error))

    async def _complete(self, job: Job) -> None:
        ledger, clock = self._outside.ledger, self._outside.clock
        if job.state is JobState.RUNNING and not await self._advance(job, JobState.FINALIZING, JobState.RUNNING):
            return
        counted_for = await ledger.jobs.get(job.id)
        if counted_for is None or counted_for.state is not JobState.FINALIZING:
            return
        job, tally = counted_for, await ledger.jobs.recount(job.id)
        if tally.moving:
            await self._go_on(job, tally)
            return
        counted = sum(tally.states.values())
        if counted != job.total:
            await self._refuse(job, f"{counted:,} items were counted, but the list was sealed with {job.total or 0:,}.")
            return
        now = clock.now()
        ended = msgspec.structs.replace(job, state=JobState.COMPLETED, reason=None, changed=now, finished=now)
        try:
            await self._write(ended, tally, ledger.items, self._outside.blobs, now=now)
        except StorageError as error:
            await self._refuse(job, f"The manifest cannot be written: {error}")
            return
        if await self._advance(job, JobState.COMPLETED, JobState.FINALIZING):
            self._board.drop(job.id)
            log.info("job completed", job=job.id, name=job.name, items=counted)
        self._not_before.pop(job.id, None)

    async def _go_on(self, job: Job, counted: Tally) -> None:
        """Something moves after all: an item that came back, or else the counters are wrong."""
        if (await self._outside.ledger.jobs.tally(job.id)).moving:
            await self._advance(job, JobState.RUNNING, JobState.FINALIZING)
            self._not_before.pop(job.id, None)
        else:
            reason = (
                f"{counted.moving:,} items are not done, but the counters say that all are: run `scrapeyard doctor`."
            )
            await self._refuse(job, reason)

    async def _refuse(self, job: Job, reason: str) -> None:
        """Stay `finalizing`, and say why. Only by going back is there a way to put the reason down."""
        log.error("the job cannot be completed", job=job.id, reason=reason)
        if job.reason != reason and await self._advance(job, JobState.RUNNING, JobState.FINALIZING):
            await self._advance(job, JobState.FINALIZING, JobState.RUNNING, reason)

    async def _end_cancelled(self, job: Job) -> None:
        ledger = self._outside.ledger
        if not await self._has_manifest(job.id):
            tally = await ledger.jobs.recount(job.id)
            if tally.count(VisitState.RUNNING):
                self._not_before.pop(job.id, None)
                return
            await self._write(job, tally, ledger.items, self._outside.blobs, now=self._outside.clock.now())
            log.info("cancelled job closed", job=job.id, name=job.name)
        self._closed.add(job.id)
        self._board.drop(job.id)
        self._not_before.pop(job.id, None)

    async def _advance(self, job: Job, to: JobState, only_from: JobState, reason: str | None = None) -> bool:
        moved = await self._outside.ledger.jobs.advance(
            job.id, to, (only_from,), now=self._outside.clock.now(), reason=reason
        )
        if moved is not None and job.id in self._board.jobs:
            self._board.follow(moved)
        return moved is not None


def _is_still(live: LiveJob) -> bool:
    tally = live.tally
    if tally is None:
        return False
    if live.job.state is JobState.CANCELLED:
        return not tally.count(VisitState.RUNNING)
    return live.job.state in (JobState.RUNNING, JobState.FINALIZING) and not tally.moving
