"""On what evidence a breaker tripped: what it had just seen, three items to look at, and what going on would bring."""

import msgspec

from scrapeyard.model.breaker import Cause


class Witness(msgspec.Struct, frozen=True):
    """One outcome that was heard. `outcome` is the visit's state, or the kind of failure where it failed."""

    seq: int
    at: float
    outcome: str
    ms: int
    attempt: int
    worker: str
    failed: bool = False
    probe: bool = False


class Exhibit(msgspec.Struct, frozen=True):
    """An item that failed, with the names of the pages that its last visit kept."""

    key: str
    kind: str
    reason: str = ""
    pages: tuple[str, ...] = ()


class Evidence(msgspec.Struct, frozen=True):
    """What a trip rests on. `failed` of `size` outcomes failed in the run that led to it, by kind in `kinds`; a
    `sentinel` is named with what came of it."""

    cause: Cause
    way: str
    failed: int
    size: int
    kinds: dict[str, int]
    remaining: int
    forecast: str
    outcomes: tuple[Witness, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    until: float | None = None
    sentinel: str = ""
