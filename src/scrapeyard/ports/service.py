"""What can be asked of Scrapeyard, whichever door the question comes through.

The command line speaks to this port alone. In process it is the controller's service; with a server it will be
the REST client; the commands cannot tell the difference.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Protocol

from scrapeyard.model.ask import (
    Cloned,
    CloneOrder,
    Exported,
    ExportOrder,
    ItemRecord,
    ItemStory,
    JobOrder,
    JobStatus,
    Opened,
    Redriven,
)
from scrapeyard.model.capture import Kept
from scrapeyard.model.event import Event
from scrapeyard.model.fleet import WorkerReport
from scrapeyard.model.item import Added, Item, NewItem, Selection
from scrapeyard.model.job import Job, JobId
from scrapeyard.model.policy import Policy
from scrapeyard.model.site import ProxyView, SiteView
from scrapeyard.model.states import JobState
from scrapeyard.model.why import Why
from scrapeyard.ports.alerts import AlertDesk
from scrapeyard.ports.audit import AuditDesk
from scrapeyard.ports.retention import RetentionDesk
from scrapeyard.ports.schedules import ScheduleDesk


class JobDesk(Protocol):
    """Submitting and steering jobs. A job is named by its id, by the start of its id, or by its name."""

    async def open(self, order: JobOrder) -> Opened:
        """Begin a job, or go on with the unfinished one of that name (`Conflict` if it is for another scraper)."""
        ...

    async def load(self, job: JobId, items: Sequence[NewItem]) -> Added:
        """Add a chunk of items; durable when it returns."""
        ...

    async def seal(self, job: JobId) -> Job:
        """The list is complete: the job may run."""
        ...

    async def get(self, job: str) -> Job:
        """One job. `NotFound` says which names there are."""
        ...

    async def find(self, states: Sequence[JobState] = (), *, limit: int = 50) -> list[Job]:
        """Jobs, newest first."""
        ...

    async def status(self, job: str) -> JobStatus:
        """How far it is, and what holds it up. As quick for a million items as for ten."""
        ...

    async def why(self, job: str) -> Why:
        """Why it does not move, or so slowly, and what would change that."""
        ...

    async def pause(self, job: str, reason: str) -> Job:
        """Let nothing start until it is resumed."""
        ...

    async def resume(self, job: str) -> Job:
        """Go on."""
        ...

    async def cancel(self, job: str, reason: str) -> Job:
        """Stop for good."""
        ...

    async def revise(self, job: str, policy: Policy) -> Job:
        """Change the policy of a live job."""
        ...

    async def workers(self) -> list[WorkerReport]:
        """The workers that reported lately, with what they run."""
        ...


class ItemDesk(Protocol):
    """Asking about single items, and putting them back."""

    async def find(self, job: str, selection: Selection, *, after: int = -1, limit: int = 100) -> list[Item]:
        """Selected items in the order of the list; the last one's `seq` pages on."""
        ...

    async def story(self, job: str, key: str) -> ItemStory:
        """One item with its attempts. `NotFound` names near keys where that is cheap."""
        ...

    async def redrive(self, job: str, selection: Selection, *, dry_run: bool = False, version: str = "") -> Redriven:
        """Run the selected final items again; a completed job runs again for them. A dry run says what it would take.

        With a `version` (`latest`, or the start of a digest) they, and whatever of the job has not run yet, run that
        version of its scraper.
        """
        ...

    async def clone(self, job: str, order: CloneOrder) -> Cloned:
        """A new job with the same items, or the selected ones; sealed when it returns."""
        ...


class ResultDesk(Protocol):
    """What was kept, and handing it over."""

    async def capture(self, job: str, key: str, name: str | None = None) -> Kept:
        """One kept page or file of an item: the named one, or the last."""
        ...

    async def records(self, job: str, key: str) -> list[ItemRecord]:
        """What was read from one item's captures; nothing for an item without records."""
        ...

    async def manifest(self, job: str) -> bytes:
        """The job's `manifest.json`. `NotFound` until the job has ended."""
        ...

    def manifest_lines(self, job: str) -> AsyncIterator[bytes]:
        """One JSON line per item, from the manifest's parts."""
        ...

    async def export(self, job: str, order: ExportOrder) -> Exported:
        """Write the job's tables to a folder."""
        ...


class EventDesk(Protocol):
    """What happened: trips and recoveries of breakers, pauses, stopped workers."""

    async def find(self, job: str | None = None, *, after: str | None = None, limit: int = 50) -> list[Event]:
        """The events after that id, of one job or of all; without an id the latest ones. Always oldest first."""
        ...

    def follow(self, job: str | None = None, *, after: str | None = None) -> AsyncGenerator[Event]:
        """The events after that id and all that come yet, as they come, each once; without an id those from now on."""
        ...


class SiteDesk(Protocol):
    """Sites over all jobs, and the proxies to them."""

    async def find(self) -> list[SiteView]:
        """Every site that a scraper, a live job or the settings name, by name."""
        ...

    async def get(self, site: str) -> SiteView:
        """One site. `NotFound` names near ones."""
        ...

    async def hold(self, site: str, reason: str, by: str) -> SiteView:
        """Let nothing start at the site, whichever job it is of, until it is released."""
        ...

    async def release(self, site: str) -> SiteView:
        """Let the site go, and have it probed at once by ways that a breaker has closed."""
        ...

    async def proxies(self) -> list[ProxyView]:
        """How proxies have fared lately, the most used first."""
        ...


class Service(Protocol):
    """All desks."""

    @property
    def jobs(self) -> JobDesk: ...

    @property
    def items(self) -> ItemDesk: ...

    @property
    def results(self) -> ResultDesk: ...

    @property
    def events(self) -> EventDesk: ...

    @property
    def schedules(self) -> ScheduleDesk: ...

    @property
    def sites(self) -> SiteDesk: ...

    @property
    def alerts(self) -> AlertDesk: ...

    @property
    def audit(self) -> AuditDesk: ...

    @property
    def retention(self) -> RetentionDesk: ...

    async def close(self) -> None:
        """Let go of everything that was opened."""
        ...
