"""What workers tell the dispatcher within a second, and what they are told back.

The fleet channel is live and lossy: it carries what makes the valve quick and fair. Nothing in it is the
truth, so losing any message costs speed, never an item.
"""

import msgspec

from scrapeyard.model.item import Offer


class OutcomeNote(msgspec.Struct, frozen=True, array_like=True):
    """One outcome, in the order in which it happened, long before it is committed.

    `epoch`, `attempt`, `probe` and `way` are those of the offer, `proxy` names the one that was used (never its
    address), and `retry_after` is what the site asked for, in seconds. `readable` is false where the extractor failed.
    """

    job: str
    seq: int
    site: str
    tier: str
    attempt: int
    state: str
    kind: str | None
    ms: int
    epoch: int = 0
    probe: bool = False
    proxy: str = ""
    wire_bytes: int = 0
    cost_micros: int = 0
    retry_after: float | None = None
    way: int = 0
    readable: bool = True


class RunningNote(msgspec.Struct, frozen=True, array_like=True):
    """One item that a worker runs at this moment."""

    job: str
    seq: int
    key: str
    since: float


class Answers(msgspec.Struct, frozen=True, array_like=True):
    """How a site answered lately: how many good answers, bad ones and requests to slow down, and how long they took.

    Good and bad ones are those of the direct way, for what a proxy adds says nothing of the site; `proxied` counts the
    good ones that came through one. `retry_after` is the longest wait that it asked for, `crawl_delay` what its
    robots.txt wants between two requests (0: nothing any more).
    """

    good: int = 0
    good_seconds: float = 0.0
    bad: int = 0
    bad_seconds: float = 0.0
    throttled: int = 0
    retry_after: float | None = None
    crawl_delay: float | None = None
    proxied: int = 0

    def plus(self, other: "Answers") -> "Answers":
        """Both together."""
        return Answers(
            self.good + other.good,
            self.good_seconds + other.good_seconds,
            self.bad + other.bad,
            self.bad_seconds + other.bad_seconds,
            self.throttled + other.throttled,
            max((wait for wait in (self.retry_after, other.retry_after) if wait is not None), default=None),
            self.crawl_delay if other.crawl_delay is None else other.crawl_delay,
            self.proxied + other.proxied,
        )


NO_ANSWERS = Answers()


class WorkerReport(msgspec.Struct, frozen=True):
    """What a worker says of itself. `number` rises with every report; `answers` is how sites answered since the last.

    Per site: `demand` is how many requests wait for leave, `ahead` how many more will soon, as it looks, and `unspent`
    how many permits have lapsed since the last report. `lag` is by how many seconds the worker or a child of it was
    late with what was due since then: so busy is its machine. `troubles` counts the failures since then that were our
    own machinery's, by kind, and `kept` what was made durable; of one commit neither counts more than a few.

    `catalogue` holds the digests of the scrapers that the worker can run; None means unchanged. `host` and `pid` say
    where it is.
    """

    worker: str
    number: int
    lane: str
    slots: int
    free: int
    catalogue: frozenset[str] | None = None
    outcomes: tuple[OutcomeNote, ...] = ()
    running: tuple[RunningNote, ...] = ()
    demand: dict[str, int] = {}
    ahead: dict[str, int] = {}
    unspent: dict[str, int] = {}
    answers: dict[str, Answers] = {}
    draining: bool = False
    refusing: str | None = None
    rss: int = 0
    host: str = ""
    pid: int = 0
    lag: float = 0.0
    troubles: dict[str, int] = {}
    kept: int = 0


class Permit(msgspec.Struct, frozen=True, array_like=True):
    """Leave for `count` requests to a site within `seconds` of arrival. `count` −1 means as many as wanted."""

    site: str
    count: int
    seconds: float


class Orders(msgspec.Struct, frozen=True):
    """The answer to a worker: permits, jobs whose running items must stop, whether to end (by `drain` within its grace,
    by `retire` when what it runs has ended, however long that takes), and sentinels to ask for, of which nothing is
    recorded."""

    permits: tuple[Permit, ...] = ()
    cancel: frozenset[str] = frozenset()
    drain: bool = False
    retire: bool = False
    sentinels: tuple[Offer, ...] = ()


class WorkerBeat(msgspec.Struct, frozen=True):
    """A worker's sign of life in the ledger. Who watches judges by `version`, never by another machine's clock."""

    worker: str
    version: int
    started: float
    host: str = ""
    pid: int = 0
    fenced: bool = False
