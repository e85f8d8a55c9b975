"""The line to a controller: requests that say who asks, answers as values, problems as our own errors.

A controller may be restarted or replaced at any moment. What only reads, and what names itself so that doing it twice
is doing it once, is therefore asked again for a while; everything else is told to whoever asked.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any, TypeVar, cast

import aiohttp
import msgspec

from scrapeyard.model import wire
from scrapeyard.model.errors import BadInput, Conflict, NotFound, Refused, ScrapeyardError, StorageError

Value = TypeVar("Value")

_PATIENCE = 30.0
_LONGEST_PAUSE = 2.0
_ERRORS: dict[int, type[ScrapeyardError]] = {
    400: BadInput, 404: NotFound, 409: Conflict, 413: BadInput, 422: BadInput, 460: BadInput, 503: StorageError,
}  # fmt: skip


class _Problem(msgspec.Struct, frozen=True):
    """As much of a problem as is told."""

    detail: str = ""
    title: str = ""


class Line:
    """One controller, or several behind one address."""

    def __init__(self, server: str, key: str = "", *, patience: float = _PATIENCE) -> None:
        if not server.startswith(("http://", "https://")):
            raise Refused(f"{server!r} is no address of a controller; write http://host:8080.")
        self._base = server.rstrip("/")
        self._key = key
        self._patience = patience
        self._session: aiohttp.ClientSession | None = None

    async def get(self, path: str, kind: type[Value], /, **query: Any) -> Value:
        """Ask for a value."""
        return wire.read(await self.ask("GET", path, query=query, again=True), kind)

    async def post(self, path: str, kind: type[Value], body: object = None, *, once: bool = False) -> Value:
        """Send a value, and get one. With `once` the wish is named, so that it can be asked again."""
        headers = {"Idempotency-Key": secrets.token_hex(16)} if once else {}
        written = b"" if body is None else wire.written(body)
        return wire.read(await self.ask("POST", path, written, headers=headers, again=once), kind)

    async def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        again: bool = False,
    ) -> bytes:
        """One request with its whole answer."""
        ended = asyncio.get_running_loop().time() + self._patience
        pause = 0.1
        while True:
            try:
                async with self._request(method, path, body, query, headers) as answer:
                    found = await answer.read()
                    _check(answer, found)
                    return found
            except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError, StorageError) as error:
                if not again or asyncio.get_running_loop().time() > ended:
                    raise self._unreachable(error) from error
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def head(self, path: str, /, **query: Any) -> tuple[bytes, Mapping[str, str]]:
        """An answer with its headers."""
        try:
            async with self._request("GET", path, None, query, None) as answer:
                found = await answer.read()
                _check(answer, found)
                return found, answer.headers
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from error

    async def stream(self, path: str, /, **query: Any) -> AsyncIterator[bytes]:
        """A long answer in pieces."""
        try:
            async with self._request("GET", path, None, query, None) as answer:
                if answer.status >= 400:
                    _check(answer, await answer.read())
                async for piece in answer.content.iter_any():
                    yield piece
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from error

    async def follow(self, path: str, after: str | None) -> AsyncIterator[tuple[str, bytes]]:
        """The events of one stream, each with its id, until it breaks off; data of none is only a place to go on."""
        id_, data = "", b""
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": after} if after is not None else {})}
        try:
            async with self._request("GET", path, None, None, headers) as answer:
                if answer.status >= 400:
                    _check(answer, await answer.read())
                async for line in answer.content:
                    name, _, value = line.rstrip(b"\r\n").partition(b": ")
                    if name == b"id":
                        id_ = value.decode()
                    elif name == b"data":
                        data += value
                    elif not name and id_:
                        yield id_, data
                        id_, data = "", b""
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise self._unreachable(error) from error

    async def send(self, method: str, path: str, body: bytes, told: dict[str, int]) -> AsyncIterator[bytes]:
        """Send something and get a long answer in pieces; `told` takes up what its header says of its rows."""
        try:
            async with self._request(method, path, body, None, None) as answer:
                if answer.status >= 400:
                    _check(answer, await answer.read())
                told |= msgspec.json.decode(answer.headers.get("Scrapeyard-Rows", "{}"), type=dict[str, int])
                async for piece in answer.content.iter_any():
                    yield piece
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from error

    async def close(self) -> None:
        """Hang up."""
        if self._session is not None:
            await self._session.close()

    @property
    def patience(self) -> float:
        """Seconds for which a controller that does not answer is asked again."""
        return self._patience

    def _request(
        self,
        method: str,
        path: str,
        body: bytes | None,
        query: Mapping[str, Any] | None,
        headers: Mapping[str, str] | None,
    ) -> "aiohttp.client._RequestContextManager":  # pyright: ignore[reportPrivateUsage] - its only name
        if self._session is None:
            own = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            limit = aiohttp.ClientTimeout(total=None, connect=10, sock_read=60)
            self._session = aiohttp.ClientSession(headers=own, timeout=limit)
        return self._session.request(method, self._base + path, data=body, params=_pairs(query), headers=headers)

    def _unreachable(self, error: Exception) -> ScrapeyardError:
        if isinstance(error, StorageError):
            return error
        return StorageError(f"{self._base} does not answer ({type(error).__name__}): is a controller running there?")


def _pairs(query: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """A query as it is sent: what is None is left out, a list names itself several times."""
    found: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        if isinstance(value, list):
            found += [(name, str(each)) for each in cast("list[object]", value)]
        elif value is not None:
            found.append((name, str(value).lower() if isinstance(value, bool) else str(value)))
    return found


def _check(answer: aiohttp.ClientResponse, body: bytes) -> None:
    """Turn a problem into the error that it was."""
    if answer.status < 400:
        return
    try:
        told = msgspec.json.decode(body, type=_Problem)
    except msgspec.DecodeError:
        told = _Problem(f"The controller answered {answer.status}.")
    raise _ERRORS.get(answer.status, Refused)(told.detail or told.title)
