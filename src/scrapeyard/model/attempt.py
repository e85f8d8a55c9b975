"""One try at a visit: by whom, how long, how many bytes and cents, and what came of it."""

import msgspec


class Step(msgspec.Struct, frozen=True, array_like=True):
    """One named step of a visit, as its author marked it."""

    name: str
    started: float
    ms: int
    failed: bool = False


class Attempt(msgspec.Struct, frozen=True, array_like=True):
    """One try, as the ledger keeps it. `outcome` is a visit state, or `released` and `lost` for a try that was cut off.

    `number` is the item's attempt number at that try; `detail` is the failure in one redacted sentence; `proxy` names
    the proxy that was used, never its address, and `session` the session, where visits share them.
    """

    number: int
    epoch: int
    worker: str
    tier: str
    started: float
    ms: int
    outcome: str
    kind: str | None = None
    status: int | None = None
    detail: str = ""
    rule: str = ""
    requests: int = 0
    wire_bytes: int = 0
    body_bytes: int = 0
    cost_micros: int = 0
    steps: tuple[Step, ...] = ()
    proxy: str = ""
    probe: bool = False
    session: str = ""
