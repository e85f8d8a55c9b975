"""A job that begins by itself, again and again: when, over which list, and what happens when one gets in the way."""

from enum import StrEnum

import msgspec

from scrapeyard.model.item import Selection
from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Policy


class Overlap(StrEnum):
    """What happens at a due time while the schedule's last job is unfinished."""

    SKIP = "skip"
    QUEUE = "queue"
    BOTH = "both"


class CatchUp(StrEnum):
    """Which of the due times that passed while nobody could act are made up for."""

    NONE = "none"
    LAST = "last"
    ALL = "all"


class ItemsOf(msgspec.Struct, frozen=True):
    """The selected items of an earlier job; if `job` is a schedule, of its last one, and if nothing, of one's own last.

    `older` picks only what ended at least so many seconds before the due time.
    """

    job: str = ""
    selection: Selection = Selection()
    older: float | None = None


class Schedule(msgspec.Struct, frozen=True):
    """A job as it is to begin at every due time. Exactly one of `list`, `file` and `items` says over what.

    `cron` has five fields and is meant in `timezone`. `list` is a list that was handed in, `file` one that is read anew
    each time from the folder for lists, `items` those of an earlier job. With `fresh`, items that succeeded within so
    many seconds are skipped.
    """

    name: str
    cron: str
    scraper: str
    timezone: str = "UTC"
    list: str = ""
    file: str = ""
    items: ItemsOf | None = None
    columns: dict[str, str] = {}
    policy: Policy = Policy()
    overlap: Overlap = Overlap.SKIP
    catch_up: CatchUp = CatchUp.LAST
    fresh: float | None = None


class Firing(msgspec.Struct, frozen=True):
    """What came of one due time: the job that began, or in words why none did."""

    due: float
    at: float
    job: JobId | None = None
    words: str = ""


class ScheduleView(msgspec.Struct, frozen=True):
    """A schedule as it stands. `seen` is the time up to which due times were looked at, `waiting` are those that are to
    begin yet, `recent` tells what came of the latest, and `upcoming` is the next one, if there is one.
    """

    schedule: Schedule
    made: float
    seen: float
    paused: bool = False
    waiting: tuple[float, ...] = ()
    recent: tuple[Firing, ...] = ()
    upcoming: float | None = None

    @property
    def last_job(self) -> JobId | None:
        """The job that it began last."""
        return next((one.job for one in reversed(self.recent) if one.job is not None), None)


class KeptList(msgspec.Struct, frozen=True):
    """A list that was handed in, by the name under which a schedule refers to it."""

    list: str
    size: int
