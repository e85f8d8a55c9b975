"""What a visit cost on the wire, and a line for each request to whoever wants to watch."""

from collections.abc import Callable

import msgspec


class Sent(msgspec.Struct, frozen=True):
    """One request as it went. `kind` is set if no answer came of it."""

    method: str
    url: str
    status: int | None
    ms: int
    wire_bytes: int
    body_bytes: int
    kind: str | None = None


Trace = Callable[[Sent], None]
"""Called after each request, redirects each on their own."""


class Meter:
    """Counts one visit's requests and bytes. `wire_bytes` is what came in: heads, and bodies as encoded."""

    __slots__ = ("body_bytes", "last_status", "requests", "wire_bytes")

    def __init__(self) -> None:
        self.requests = 0
        self.wire_bytes = 0
        self.body_bytes = 0
        self.last_status: int | None = None
