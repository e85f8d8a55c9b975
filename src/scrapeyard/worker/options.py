"""How one worker is set up, taken apart from the settings at the edge."""

from pathlib import Path

import msgspec


class WorkerOptions(msgspec.Struct, frozen=True):
    """Sizes and times of one worker.

    A worker without a successful sign of life for `fence_share` of `ttl` stops recording by itself, before
    anybody else can have given its items away. `commit_every` and `commit_items` are those of its children. Between two
    takings there are `tick` seconds, and children hold `ahead` seconds of work beyond their slots, so that they never
    wait for the next.
    """

    child_command: tuple[str, ...]
    child_env: dict[str, str]
    log: Path
    lane: str = "http"
    processes: int = 1
    concurrency: int = 16
    quarantine: int = 2
    ttl: float = 20.0
    fence_share: float = 0.8
    tick: float = 0.05
    settle_every: float = 0.2
    report_every: float = 0.1
    batch: int = 400
    ahead: float = 0.5
    stall_limit: float = 30.0
    grace: float = 25.0
    child_memory: int = 2 << 30
    memory_share: float = 0.85
    files_share: float = 0.85
    commit_every: float = 0.2
    commit_items: int = 200


class ChildOptions(msgspec.Struct, frozen=True):
    """Sizes and times of one child. `commit_every` is the longest that an ended visit waits to become durable."""

    worker: str
    slots: int = 16
    commit_every: float = 0.2
    commit_items: int = 200
    pulse_every: float = 0.1
    stuck_grace: float = 5.0
    stall_limit: float = 30.0
