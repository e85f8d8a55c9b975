"""One item on its way: as loaded, as offered, as leased, as settled, as remembered.

Values travel and objects stay: each station hands the next one of these frozen values. Inputs are JSON
bytes from end to end; only the scraper's own process turns them into its input model.
"""

import msgspec

from scrapeyard.model.attempt import Attempt
from scrapeyard.model.capture import Capture, RecordBatch
from scrapeyard.model.job import JobId
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import ReadingState, VisitState


class NewItem(msgspec.Struct, frozen=True, array_like=True):
    """An item as it is loaded: its key, unique in the job, and its inputs as a JSON object."""

    key: str
    inputs: bytes


class Added(msgspec.Struct, frozen=True):
    """What became of a chunk of new items."""

    accepted: int
    duplicates: int


class Offer(msgspec.Struct, frozen=True, array_like=True):
    """Leave to start one item, good until `until`. A hint: only taking the lease makes it real.

    `attempt` is the number that this try will have, counting from 1; `crashes` above 0 means that the item
    is under suspicion and has to run alone; `losses` counts every lease that was lost with it. `rung` is how far
    up its job's ladder the item has climbed, and `strikes` how often it failed on that rung in a way that asks for a
    higher one; `way` is the rung of this try, that one or one above, to which `tier` belongs. A `probe` tries a site
    out: if it fails, that costs the item nothing. A `seq` below 0 stands for a sentinel, which is in no list and
    of which the ledger knows nothing.
    """

    job: JobId
    seq: int
    key: str
    inputs: bytes
    scraper: ScraperRef
    epoch: int
    attempt: int
    until: float
    lane: str = "http"
    tier: str = "direct"
    crashes: int = 0
    losses: int = 0
    last_kind: str | None = None
    deadline: float = 120.0
    repeatable: bool = True
    rung: int = 0
    strikes: int = 0
    probe: bool = False
    way: int = 0

    @property
    def sentinel(self) -> bool:
        """Whether it asks for something that is known to exist, only to see whether the site still says so."""
        return self.seq < 0


class Lease(msgspec.Struct, frozen=True, array_like=True):
    """An offer that a worker holds. Only the holder of the newest `fence` may settle the item."""

    offer: Offer
    worker: str
    fence: int


class Settlement(msgspec.Struct, frozen=True, array_like=True):
    """How one lease ends. Recorded if, and only if, `fence` and `epoch` are still the item's own.

    `state` is a final state, or `waiting` for a retry, a release or a loss, with the time not before which
    it may start. `attempts`, `crashes`, `losses`, `rung` and `strikes` are the item's new totals.
    """

    job: JobId
    seq: int
    epoch: int
    fence: int
    state: VisitState
    attempts: int
    crashes: int = 0
    losses: int = 0
    kind: str | None = None
    not_before: float = 0.0
    attempt: Attempt | None = None
    captures: tuple[Capture, ...] = ()
    records: RecordBatch | None = None
    reading: ReadingState = ReadingState.NONE
    reason: str | None = None
    rung: int = 0
    strikes: int = 0


class Item(msgspec.Struct, frozen=True):
    """One item as the ledger remembers it."""

    job: JobId
    seq: int
    key: str
    inputs: bytes
    state: VisitState
    epoch: int = 0
    attempts: int = 0
    crashes: int = 0
    losses: int = 0
    kind: str | None = None
    not_before: float = 0.0
    worker: str | None = None
    changed: float = 0.0
    captures: tuple[Capture, ...] = ()
    records: RecordBatch | None = None
    reading: ReadingState = ReadingState.NONE
    reason: str | None = None
    rung: int = 0
    strikes: int = 0


class Selection(msgspec.Struct, frozen=True):
    """Which of a job's final items a listing or a redrive means. Empty fields do not restrict.

    `since` and `until` bound the time of the item's last change: at or after the one, before the other.
    """

    states: frozenset[VisitState] = frozenset()
    kinds: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    text: str = ""
    unreadable: bool = False
    since: float | None = None
    until: float | None = None

    def picks(self, item: Item) -> bool:
        """Whether `item` is meant. `text` is looked for in the key and in the reason, ignoring case."""
        return (
            (not self.states or item.state in self.states)
            and (not self.kinds or (item.kind or "") in self.kinds)
            and (not self.keys or item.key in self.keys)
            and (not self.unreadable or item.reading is ReadingState.UNREADABLE)
            and (self.since is None or item.changed >= self.since)
            and (self.until is None or item.changed < self.until)
            and (not self.text or self.text.casefold() in f"{item.key}\n{item.reason or ''}".casefold())
        )
