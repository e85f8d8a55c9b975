"""What people ask of the service, and what they are told: the values that pass through every door alike."""

import msgspec

from scrapeyard.model.attempt import Attempt
from scrapeyard.model.gate import ClosedGate, WayView
from scrapeyard.model.item import Item, Selection
from scrapeyard.model.job import Job, JobId, Tally
from scrapeyard.model.pace import Pace
from scrapeyard.model.policy import Policy
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.model.toll import Toll


class JobOrder(msgspec.Struct, frozen=True):
    """A job as somebody wants it: opened under `name`, or gone on with if an unfinished one has that name.

    `fallback` is the card of the scraper that the card names as its own. With an `id` it is that very job, whatever its
    name: whoever asks twice gets the same one.
    """

    name: str
    card: ScraperCard
    policy: Policy
    source: str = ""
    fresh: bool = False
    fallback: ScraperCard | None = None
    id: JobId | None = None


class Opened(msgspec.Struct, frozen=True):
    """The job that came of an order. `continued` says that it was there already."""

    job: Job
    continued: bool


class CloneOrder(msgspec.Struct, frozen=True):
    """A job again, under `name` or the same name: all of its items or the selected ones, under its own policy or
    another. `id` is as in `JobOrder`."""

    name: str = ""
    selection: Selection = Selection()
    policy: Policy | None = None
    id: JobId | None = None


class Cloned(msgspec.Struct, frozen=True):
    """The job that came of it, and how many items it has."""

    job: Job
    items: int


class JobStatus(msgspec.Struct, frozen=True):
    """Everything about a job that fits on a screen. `gates` is empty while nothing holds the job up.

    `later` items were begun before and wait for another try, the first of them until `due`. `pace` is None while no
    dispatcher speaks of the job.
    """

    job: Job
    tally: Tally
    gates: tuple[ClosedGate, ...] = ()
    running: int = 0
    workers: int = 0
    at: float = 0.0
    pace: Pace | None = None
    later: int = 0
    due: float | None = None
    ways: tuple[WayView, ...] = ()


class ItemStory(msgspec.Struct, frozen=True):
    """One item with everything that was tried."""

    item: Item
    attempts: tuple[Attempt, ...] = ()


class ItemRecord(msgspec.Struct, frozen=True):
    """One record of an item: its model's name, and its fields as JSON."""

    model: str
    fields: bytes


class Redriven(msgspec.Struct, frozen=True):
    """How many items a redrive put back, or would put back; then `toll` says what that would take.

    `version` is the digest of the version that the job's items run from now on, if it is another than before; `along`
    items that have not run yet go with it.
    """

    items: int
    dry_run: bool
    toll: Toll | None = None
    version: str = ""
    along: int = 0


class ExportOrder(msgspec.Struct, frozen=True):
    """What to hand over, and how. Empty `fields` means all of them; `models` empty means every record model."""

    format: str
    folder: str
    models: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    outcomes: frozenset[str] = frozenset()
    include_attempts: bool = False
    rows_per_file: int | None = None
    formula_safe: bool = True


class Exported(msgspec.Struct, frozen=True):
    """The files that an export wrote: path and number of rows."""

    files: tuple[tuple[str, int], ...]
