"""The desk of keeping: captures of jobs that ended long ago go, as their policies say; nothing else of a job does.

A job's outcomes, attempts, records and manifest stay, so every item can still be accounted for. Before the first blob
goes it is written beside the manifest that they go, and of which run; so whoever asks for a page is told what became of
it rather than that something is broken.
"""

import msgspec

from scrapeyard.controller.audit.book import DEEDS
from scrapeyard.controller.service.alerts import TOLD
from scrapeyard.model.errors import NotFound, StorageError
from scrapeyard.model.event import event_id
from scrapeyard.model.job import Job
from scrapeyard.model.retention import Keeping, Pruned, PrunedJob
from scrapeyard.model.states import JobState
from scrapeyard.ports.blobs import Blobs, BlobStat
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.memos import MemoBook
from scrapeyard.results.keys import files_prefix, pages_prefix, pruned_key
from scrapeyard.results.whole import whole

_ENDED = (JobState.COMPLETED, JobState.CANCELLED)
_DAY = 86_400.0
_PAGE = 500


class Mark(msgspec.Struct, frozen=True):
    """That the captures of a job's run were removed, and when."""

    finished: float
    at: float
    done: bool = False


class LocalRetention:
    """Fulfils `scrapeyard.ports.retention.RetentionDesk`."""

    def __init__(self, ledger: Ledger, blobs: Blobs, clock: Clock, keeping: Keeping) -> None:
        self._ledger = ledger
        self._blobs = blobs
        self._clock = clock
        self._keeping = keeping

    async def prune(self, *, dry_run: bool = True) -> Pruned:
        """Remove what is too old, or say what that would free."""
        jobs: list[PrunedJob] = []
        before: float | None = None
        while page := await self._ledger.jobs.find(_ENDED, limit=_PAGE, before=before):
            before = page[-1].created
            over = [await self._of_job(job, dry_run=dry_run) for job in page if self._is_over(job)]
            jobs += [found for found in over if found is not None]
        deeds, told = [await self._entries(prefix, dry_run=dry_run) for prefix in (DEEDS, TOLD)]
        return Pruned(dry_run, tuple(jobs), deeds, told)

    def _is_over(self, job: Job) -> bool:
        own = job.policy.keep_captures_days
        days = self._keeping.captures_days if own is None else own
        return days is not None and job.finished is not None and self._clock.now() - job.finished > days * _DAY

    async def _of_job(self, job: Job, *, dry_run: bool) -> PrunedJob | None:
        """The captures of one job; None if they are gone already."""
        assert job.finished is not None
        mark = await mark_of(self._blobs, job.id)
        if mark is not None and mark.done and mark.finished == job.finished:
            return None
        found: list[BlobStat] = [
            stat for prefix in (pages_prefix(job.id), files_prefix(job.id)) async for stat in self._blobs.walk(prefix)
        ]
        if not found:
            return None
        if not dry_run:
            await self._remove(job, job.finished, found)
        return PrunedJob(job.id, job.name, job.finished, len(found), sum(stat.size for stat in found))

    async def _remove(self, job: Job, finished: float, found: list[BlobStat]) -> None:
        """Removed only while the job is still the one that ended then: a redrive may have begun meanwhile."""
        await self._note(job, Mark(finished, self._clock.now()))
        stands = await self._ledger.jobs.get(job.id)
        if stands is None or stands.finished != finished:
            await self._blobs.delete(pruned_key(job.id))
            return
        for stat in found:
            await self._blobs.delete(stat.key)
        await self._note(job, Mark(finished, self._clock.now(), done=True))

    async def _note(self, job: Job, mark: Mark) -> None:
        await self._blobs.put(pruned_key(job.id), msgspec.json.encode(mark), replace=True)

    async def _entries(self, prefix: str, *, dry_run: bool) -> int:
        """Entries of a record whose ids sort by time, oldest first."""
        days = self._keeping.audit_days
        if days is None:
            return 0
        return await _aged(self._ledger.memos, prefix, self._clock.now() - days * _DAY, dry_run=dry_run)


async def mark_of(blobs: Blobs, job: str) -> Mark | None:
    """Whether the captures of a job were removed."""
    try:
        return msgspec.json.decode(await whole(blobs, pruned_key(job)), type=Mark)
    except NotFound:
        return None
    except msgspec.DecodeError as error:
        raise StorageError(f"{pruned_key(job)} is damaged ({error}): delete it.", final=True) from error


async def _aged(memos: MemoBook, prefix: str, until: float, *, dry_run: bool) -> int:
    last, count, after = f"{prefix}{event_id(max(0.0, until), 0.0)}", 0, prefix
    while page := await memos.under(prefix, after=after, limit=_PAGE):
        old = [memo for memo in page if memo.name < last]
        for memo in old:
            count += 1
            if not dry_run:
                await memos.keep(memo.name, b"", seen=memo)
        if len(old) < len(page):
            break
        after = page[-1].name
    return count
