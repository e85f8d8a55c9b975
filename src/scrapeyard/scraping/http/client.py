"""The seam under `Http`: one request out, one answer in, its body still encoded.

HTTP libraries come and go and differ in what they follow, keep and unpack by themselves. Behind this seam they
do none of that: redirects, cookies, decompression and limits are ours, so both clients behave the same.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Literal, Protocol

import msgspec

from scrapeyard.ports.proxies import Proxy

Headers = tuple[tuple[str, str], ...]
"""Header lines as they came: names in lower case, values as latin-1, which loses no byte."""


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds: to connect, between two pieces of an answer, and for the whole request with its redirects."""

    connect: float = 10.0
    idle: float = 10.0
    total: float = 60.0


class Limits(msgspec.Struct, frozen=True):
    """What a stranger's answer may cost. `ratio` counts once `ratio_from` bytes have been decoded; `requests` and
    `kept` bytes are those of one whole visit."""

    wire: int = 10 << 20
    decoded: int = 50 << 20
    ratio: int = 200
    ratio_from: int = 1 << 20
    headers: int = 64 << 10
    header_lines: int = 256
    download: int = 256 << 20
    redirects: int = 5
    requests: int = 500
    kept: int = 256 << 20


STANDARD_TIMEOUTS = Timeouts()
STANDARD_LIMITS = Limits()


Profile = Literal["", "chrome", "edge", "firefox", "safari"]
"""A browser that a client can look like: in its TLS and HTTP/2 handshakes, and in the headers that it adds."""


class Request(msgspec.Struct, frozen=True, gc=False):
    """One request, complete: the client adds no header of its own beyond what the protocol needs, and the profile."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    proxy: Proxy | None = None
    total: float = 60.0
    idle: float = 10.0
    profile: Profile = ""


class Reply(Protocol):
    """An answer whose head has arrived. Reading raises VisitError; close it unless it was read to its end."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Headers: ...

    @property
    def length(self) -> int | None:
        """The length on the wire that the head promises."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives, still encoded. An answer that breaks off raises CONN_RESET or BAD_BODY."""
        ...

    async def whole(self) -> bytes:
        """The body at once: only for a promised length that is small enough to hold."""
        ...

    async def close(self) -> None:
        """Let go of the connection without reading on."""
        ...


class Client(Protocol):
    """Shared by all visits of a process: connections are pooled, cookies and redirects are not its business."""

    async def send(self, request: Request) -> Reply:
        """Send, and wait for the head of the answer. VisitError with the most specific kind."""
        ...

    async def close(self) -> None:
        """Let go of all connections."""
        ...
