"""Running final items again: which of them, what that would take, and with which version of the scraper.

A redrive of a million items is many short transactions of the ledger. It may be cut off between any two of them and
is finished by asking for it again: what was put back is no longer final, and is not picked twice.
"""

import secrets
from typing import NamedTuple

from scrapeyard.controller.service.gates import view_of
from scrapeyard.controller.service.naming import find_job
from scrapeyard.decisions.toll import room, toll
from scrapeyard.model.ask import Redriven
from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.item import Selection
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.model.toll import Toll
from scrapeyard.ports.blobs import Blobs
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.ledger import Ledger
from scrapeyard.ports.scrapers import Scrapers
from scrapeyard.results.cards import keep_card

LATEST = "latest"
MOST_KEYS = 10_000
"""Keys in one wish; a longer list comes as several."""

_REOPENED = (JobState.COMPLETED, JobState.FINALIZING)
_SHORTEST_DIGEST = 6
_LUCK = 1 << 40


class Surroundings(NamedTuple):
    """What a redrive works with beside the ledger."""

    fleet: Fleet
    blobs: Blobs
    scrapers: Scrapers
    clock: Clock


class Redriving:
    """Redrives of one ledger."""

    def __init__(self, ledger: Ledger, around: Surroundings) -> None:
        self._ledger = ledger
        self._around = around

    async def redrive(self, said: str, selection: Selection, *, dry_run: bool, version: str) -> Redriven:
        """Run the selected final items again; a completed job runs again for them.

        The job is moved before its items, so that a machine that dies in between leaves a job that is counted once
        more rather than items that wait in a job that has ended; and again after them, because a dispatcher may
        have found nothing to do meanwhile and have ended it.
        """
        job = await find_job(self._ledger.jobs, said)
        _refuse(job, selection)
        card = self._card(job, version)
        along = (await self._ledger.jobs.tally(job.id)).count(VisitState.WAITING) if card is not None else 0
        if dry_run or job.state in _REOPENED:
            count = await self._put_back(job.id, selection, dry_run=True)
            if dry_run or not count:
                return Redriven(count, dry_run, await self._toll(job, selection, count), _ref(card), along)
        await self._reopen(job.id)
        if card is not None:
            await self._move(job, card)
        count = await self._put_back(job.id, selection)
        await self._reopen(job.id)
        if count:
            await self._tell(job, selection, count, card)
        return Redriven(count, dry_run=False, version=_ref(card), along=along)

    async def _put_back(self, job: JobId, selection: Selection, *, dry_run: bool = False) -> int:
        return await self._ledger.items.redrive(job, selection, now=self._around.clock.now(), dry_run=dry_run)

    async def _reopen(self, job: JobId) -> None:
        await self._ledger.jobs.advance(job, JobState.RUNNING, _REOPENED, now=self._around.clock.now())

    def _card(self, job: Job, version: str) -> ScraperCard | None:
        """The version that is wanted; None if it is the job's own, or nothing was said."""
        if not version:
            return None
        card = self._around.scrapers.find(job.scraper.name)
        ref = card.ref
        wanted = version == LATEST or (len(version) >= _SHORTEST_DIGEST and ref.digest.startswith(version))
        if not wanted:
            raise NotFound(
                f"{ref.name} is here as version {ref.version} with digest {ref.digest[:12]}, not as {version[:64]!r}: "
                "say `latest`, or put that version back."
            )
        return None if ref == job.scraper else card

    async def _move(self, job: Job, card: ScraperCard) -> None:
        """From now on the job's items run that version. Its card comes first: tables are made by it."""
        await keep_card(self._around.blobs, job.id, card)
        if await self._ledger.jobs.revise(job.id, job.policy, scraper=card.ref) is None:
            raise Conflict(f"The job {job.name!r} ({job.id}) has just ended: ask again.")

    async def _toll(self, job: Job, selection: Selection, count: int) -> Toll | None:
        views, now = await self._around.fleet.views(), self._around.clock.now()
        view = view_of(job, views, now)
        tally = await self._ledger.jobs.tally(job.id)
        return toll(count, selection.kinds, job, tally, room(job, None if view is None else view.pace))

    async def _tell(self, job: Job, selection: Selection, count: int, card: ScraperCard | None) -> None:
        """Leave a word for whoever wonders later why items ran twice."""
        now = self._around.clock.now()
        version = "" if card is None else f", with version {card.ref.version} ({card.ref.digest[:8]})"
        words = f"{'1 item runs' if count == 1 else f'{count:,} items run'} again: {_named(selection)}{version}."
        await self._ledger.events.add(
            [Event(event_id(now, secrets.randbelow(_LUCK) / _LUCK), now, "redriven", words, job.id, job.site.name)]
        )


def _refuse(job: Job, selection: Selection) -> None:
    """What cannot be run again."""
    if job.state is JobState.CANCELLED:
        raise Conflict(f"The job {job.name!r} ({job.id}) was cancelled for good: submit its list as a new job.")
    if job.state is JobState.LOADING:
        raise Conflict(f"The job {job.name!r} ({job.id}) has not run yet: finish loading its list first.")
    if len(selection.keys) > MOST_KEYS:
        raise BadInput(f"{len(selection.keys):,} keys are too many at once: send at most {MOST_KEYS:,} and go on.")


def _named(selection: Selection) -> str:
    """The selection in words."""
    parts = [
        " or ".join(sorted(map(str, selection.states))) or "failed or uncertain",
        *([f"of kind {' or '.join(sorted(selection.kinds))}"] if selection.kinds else []),
        *([f"{len(selection.keys):,} given keys"] if selection.keys else []),
        *([f"with {selection.text[:60]!r} in the key or reason"] if selection.text else []),
        *(["unreadable"] if selection.unreadable else []),
        *(["within a span of time"] if selection.since is not None or selection.until is not None else []),
    ]
    return ", ".join(parts)


def _ref(card: ScraperCard | None) -> str:
    return "" if card is None else card.ref.digest
