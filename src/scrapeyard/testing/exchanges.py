"""What a visit and its site said to each other, taken down at the seam of the HTTP client, and played back there.

A fixture of kept pages tests only the extractor. With the whole conversation the visit itself is tested offline: that
it asks for the same pages, sends the same fields, and stops where the site says that there is no such record.
"""

import hashlib
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlsplit

import msgspec

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.http.client import Client, Headers, Reply, Request
from scrapeyard.scraping.http.decoding import decoder_for

LARGEST_BODY = 32 << 20
"""A body longer than this is played back as nothing, so that a fixture stays small enough for a repository."""

_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection", "keep-alive"})
_SECRET = frozenset(
    {"authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info", "cookie"}
)


class Exchange(msgspec.Struct, frozen=True):
    """One request and its answer. `sent` is the digest of the request's body, or empty; bodies are decoded."""

    method: str
    url: str
    status: int
    headers: Headers = ()
    body: bytes = b""
    sent: str = ""


class Recorder:
    """A client that takes down what goes through it. Fills Client."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._heard: list[tuple[Request, _Heard]] = []

    async def send(self, request: Request) -> Reply:
        """See Client."""
        heard = _Heard(await self._client.send(request))
        self._heard.append((request, heard))
        return heard

    async def close(self) -> None:
        """See Client."""
        await self._client.close()

    def taken(self) -> tuple[Exchange, ...]:
        """Everything since the last time, secrets blotted out."""
        heard, self._heard = self._heard, []
        return tuple(
            Exchange(
                request.method,
                redacted_url(request.url),
                answer.status,
                redacted(answer.headers),
                answer.body(),
                mark(request.body),
            )
            for request, answer in heard
        )


class Replay:
    """A client that answers from a conversation and knows no network. Fills Client.

    Each answer is given once, for the same method, path and body; the host may be another one, since a test site has
    another port each time.
    """

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        self._left = list(exchanges)

    async def send(self, request: Request) -> Reply:
        """See Client."""
        url, sent = redacted_url(request.url), mark(request.body)
        alike = [one for one in self._left if one.method == request.method and _path(one.url) == _path(url)]
        found = next((one for one in alike if one.sent == sent), None)
        if found is None:
            raise NotRecorded(request.method, url, other_fields=bool(alike))
        self._left.remove(found)
        return _Said(found)

    async def close(self) -> None:
        """See Client."""


class NotRecorded(VisitError):
    """A replayed visit asked for something that its case has no answer for."""

    kind = Kind.SCRAPER_BUG

    def __init__(self, method: str, url: str, *, other_fields: bool) -> None:
        what = "with other fields than in the recorded visit" if other_fields else "which the recorded visit did not"
        super().__init__(
            f"The visit now asks for {method} {url[:200]} {what}; if that is meant, record the case again."
        )


class _Heard:
    """A reply that remembers its body."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._pieces: list[bytes] = []
        self.status = reply.status
        self.headers = reply.headers
        self.length = reply.length

    async def chunks(self) -> AsyncIterator[bytes]:
        async for piece in self._reply.chunks():
            self._pieces.append(piece)
            yield piece

    async def whole(self) -> bytes:
        body = await self._reply.whole()
        self._pieces.append(body)
        return body

    async def close(self) -> None:
        await self._reply.close()

    def body(self) -> bytes:
        """The decoded body as far as it was read; nothing if it is too long or damaged."""
        wire = b"".join(self._pieces)
        encoding = ", ".join(value for name, value in self.headers if name.lower() == "content-encoding")
        try:
            decoder = decoder_for(encoding, "a recorded page")
            if decoder is None:
                return wire if len(wire) <= LARGEST_BODY else b""
            body = bytearray()
            for piece in decoder.pieces(wire):
                body += piece
                if len(body) > LARGEST_BODY:
                    return b""
            return bytes(body)
        except VisitError:
            return b""  # the visit itself failed on it and says so


class _Said:
    """A reply from a recorded exchange."""

    def __init__(self, exchange: Exchange) -> None:
        self._body = exchange.body
        self.status = exchange.status
        self.headers = tuple((name, value) for name, value in exchange.headers if name.lower() not in _TRANSFER)
        self.length: int | None = len(exchange.body)

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._body

    async def whole(self) -> bytes:
        return self._body

    async def close(self) -> None:
        return


def mark(body: bytes | None) -> str:
    """What stands for a request's body, so that no password in it is written down."""
    return hashlib.sha256(body).hexdigest() if body else ""


def redacted(headers: Headers) -> Headers:
    """Headers without secrets: cookies keep their names, so that one sees a session begin."""
    return tuple((name, _blotted(name.lower(), value)) for name, value in headers)


def redacted_url(url: str) -> str:
    """An address without user and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if "@" in parts.netloc else url


def _blotted(name: str, value: str) -> str:
    if name == "set-cookie":
        pair, semicolon, rest = value.partition(";")
        return f"{pair.partition('=')[0]}=redacted{semicolon}{rest}"
    return "redacted" if name in _SECRET else value


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}"
