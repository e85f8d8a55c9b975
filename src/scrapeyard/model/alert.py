"""Rules that tell people when something needs them, what they told, and whether it arrived."""

from enum import StrEnum

import msgspec

from scrapeyard.model.job import JobId
from scrapeyard.model.policy import Window


class Concern(StrEnum):
    """The closed list of what a rule can watch."""

    BREAKER = "breaker"
    PERSON = "person"
    ERRORS = "errors"
    STALLED = "stalled"
    BACKLOG = "backlog"
    WORKER = "worker"
    BUDGET = "budget"
    DONE = "done"
    QUALITY = "quality"


CONCERN_MEANING: dict[Concern, str] = {
    Concern.BREAKER: "A breaker closed a way to the job's site, and probes have not opened it again.",
    Concern.PERSON: "The job was paused, but not by a person, or items of it are `uncertain`: somebody must judge.",
    Concern.ERRORS: "More than `over` (0.2) of the items that ended `within` (600 s) failed, of at least 20.",
    Concern.STALLED: "The job runs, no window is closed, and no item of it has ended `within` (600 s).",
    Concern.BACKLOG: "More than `over` (100,000) items of the job wait.",
    Concern.WORKER: "A worker gave no sign of life any more, and its items were given to others.",
    Concern.BUDGET: "The job has spent more than `over` (0.8) of its budget of money or bytes.",
    Concern.DONE: "The job was completed, or was cancelled.",
    Concern.QUALITY: "Of at least 20 items that ended `within` (600 s), the share that is absent or unreadable is "
    "higher than before by more than `over` (0.2).",
}

LIMITS: dict[Concern, float] = {
    Concern.ERRORS: 0.2,
    Concern.BACKLOG: 100_000.0,
    Concern.BUDGET: 0.8,
    Concern.QUALITY: 0.2,
}
"""What `over` is where a rule does not say it."""


class Rule(msgspec.Struct, frozen=True):
    """What to watch, of which jobs, and whom to tell.

    `job` is an id, a name, or a name with `*` in it; empty means all. `over` and `within` are explained where the
    concerns are. Alarms of `group` seconds go out as one message; those of the hours of `quiet` go out after them.
    """

    name: str
    concern: Concern
    to: tuple[str, ...]
    job: str = ""
    over: float | None = None
    within: float = 600.0
    group: float = 30.0
    quiet: Window | None = None

    @property
    def limit(self) -> float:
        """Above what it raises an alarm."""
        return self.over if self.over is not None else LIMITS.get(self.concern, 0.0)


class Alarm(msgspec.Struct, frozen=True):
    """One thing that somebody must know of. `subject` is what it is about: a job, or a worker."""

    subject: str
    at: float
    words: str
    job: JobId | None = None


class Message(msgspec.Struct, frozen=True):
    """Alarms on their way through one channel. Its `id` stays the same however often it is tried.

    `begun` is when the present try began: if nothing is known of its end a minute later, the message is sent again.
    """

    id: str
    rule: str
    channel: str
    alarms: tuple[Alarm, ...]
    tries: int = 0
    due: float = 0.0
    begun: float | None = None


class Raised(msgspec.Struct, frozen=True):
    """An alarm that stands: since when, and since when it has been calm, if it has."""

    since: float
    calm: float | None = None


class RuleView(msgspec.Struct, frozen=True):
    """A rule as it stands: the alarms that it has raised, by subject, and what is on its way to people.

    `seen` is the last event that was looked at.
    """

    rule: Rule
    made: float
    paused: bool = False
    seen: str = ""
    raised: dict[str, Raised] = {}
    pending: tuple[Alarm, ...] = ()
    messages: tuple[Message, ...] = ()


class Told(msgspec.Struct, frozen=True):
    """What became of a message: `sent`, or `failed` with the reason."""

    id: str
    at: float
    rule: str
    channel: str
    state: str
    tries: int
    words: str
    detail: str = ""
    job: JobId | None = None


class ToldPage(msgspec.Struct, frozen=True):
    """Some of what was told, oldest first; the `id` of the last one asks for the next."""

    told: tuple[Told, ...]


class Tested(msgspec.Struct, frozen=True):
    """What came of sending a test through one channel; without `trouble` it was taken."""

    channel: str
    trouble: str = ""
