"""What a worker's parent and its children say to each other.

No page travels here: children write captures themselves and tell only where they lie. Every message is a
frozen value; many items travel in one message, because a system call costs more than an item.
"""

import msgspec

from scrapeyard.model.attempt import Step
from scrapeyard.model.capture import Capture, RecordBatch
from scrapeyard.model.fleet import Answers, OutcomeNote, Permit
from scrapeyard.model.item import Lease
from scrapeyard.model.session import Session
from scrapeyard.model.states import ReadingState, VisitState
from scrapeyard.ports.sessions import Found


class Run(msgspec.Struct, frozen=True, tag="run", array_like=True):
    """Run these, in this order, as slots get free."""

    leases: tuple[Lease, ...]


class Grant(msgspec.Struct, frozen=True, tag="grant", array_like=True):
    """Leave for requests."""

    permits: tuple[Permit, ...]


class Cancel(msgspec.Struct, frozen=True, tag="cancel", array_like=True):
    """Stop the items of these jobs and give them back."""

    jobs: frozenset[str]


class Drain(msgspec.Struct, frozen=True, tag="drain", array_like=True):
    """Give back what has not started. With `now`, stop what is running too, then end."""

    now: bool = False


class Hello(msgspec.Struct, frozen=True, tag="hello", array_like=True):
    """The child is ready."""

    pid: int


class Pulse(msgspec.Struct, frozen=True, tag="pulse", array_like=True):
    """The child's event loop turns, `lag` seconds late at worst since the last pulse. `stuck` items have outlived their
    deadline and do not obey."""

    started: int
    demand: dict[str, int] = {}
    notes: tuple[OutcomeNote, ...] = ()
    stuck: tuple[tuple[str, int], ...] = ()
    answers: dict[str, Answers] = {}
    ahead: dict[str, int] = {}
    unspent: dict[str, int] = {}
    lag: float = 0.0


class Ended(msgspec.Struct, frozen=True, array_like=True):
    """One visit that ended, with what it kept already durable."""

    job: str
    seq: int
    fence: int
    state: VisitState
    started: float
    ms: int
    kind: str | None = None
    rule: str = ""
    status: int | None = None
    detail: str = ""
    retry_after: float | None = None
    requests: int = 0
    wire_bytes: int = 0
    body_bytes: int = 0
    cost_micros: int = 0
    steps: tuple[Step, ...] = ()
    captures: tuple[Capture, ...] = ()
    records: RecordBatch | None = None
    reading: ReadingState = ReadingState.NONE
    reason: str | None = None
    proxy: str = ""
    session: str = ""


class Done(msgspec.Struct, frozen=True, tag="done", array_like=True):
    """These ended."""

    ended: tuple[Ended, ...]


class Returned(msgspec.Struct, frozen=True, tag="returned", array_like=True):
    """These were stopped or never started; their next try is as good as this one."""

    items: tuple[tuple[str, int, int], ...]


class Take(msgspec.Struct, frozen=True, tag="take", array_like=True):
    """Is there a session of this pool that others have left? The answer bears the same number."""

    number: int
    pool: str
    together: bool


class Put(msgspec.Struct, frozen=True, tag="put", array_like=True):
    """Leave this session for others."""

    pool: str
    session: Session
    until: float
    together: bool


class Forget(msgspec.Struct, frozen=True, tag="forget", array_like=True):
    """This session is no good any more."""

    pool: str
    session: str


class Refuse(msgspec.Struct, frozen=True, tag="refuse", array_like=True):
    """No session was opened; nobody should try before that time."""

    pool: str
    until: float


class Taken(msgspec.Struct, frozen=True, tag="taken", array_like=True):
    """What others have left."""

    number: int
    found: Found


Shelving = Take | Put | Forget | Refuse
Down = Run | Grant | Cancel | Drain | Taken
Up = Hello | Pulse | Done | Returned | Shelving
