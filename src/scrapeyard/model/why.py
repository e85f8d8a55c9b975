"""Why does my job not move, or so slowly, and what would change that? The answer as a value, the same at every door."""

from enum import StrEnum

import msgspec

from scrapeyard.model.span import Span
from scrapeyard.model.states import JobState


class Going(StrEnum):
    """How a job goes, in one word."""

    ENDED = "ended"
    STILL = "still"
    MOVING = "moving"


class Remedy(msgspec.Struct, frozen=True):
    """What would change it; `command` is what to type, if a command does it."""

    words: str
    command: str = ""


class Hindrance(msgspec.Struct, frozen=True):
    """One thing in the way. `what` is a gate's name, or a word for what is no gate; `until`: it ends by itself."""

    what: str
    words: str
    until: float | None = None
    remedies: tuple[Remedy, ...] = ()


class Bound(msgspec.Struct, frozen=True):
    """One limit on the pace and the items a second that it leaves room for. The one that `binds` is the lowest."""

    what: str
    words: str
    per_second: float
    binds: bool = False


class Why(msgspec.Struct, frozen=True):
    """The whole answer. `later` items were begun before and wait for another try, the first of them until `due`."""

    job: str
    name: str
    state: JobState
    going: Going
    answer: str
    hindrances: tuple[Hindrance, ...] = ()
    bounds: tuple[Bound, ...] = ()
    later: int = 0
    due: float | None = None
    per_second: Span | None = None
    seconds_left: Span | None = None
    at: float = 0.0
