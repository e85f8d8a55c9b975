"""A client that can also ask an unlocker for a page: around another client, and that client to everybody else.

The unlocker's own answer is always 200 once it has taken a request; the site's status stands in a header. What it
refuses to take (a wrong key, an unknown zone) is a failure of the proxy and never of the site.
"""

from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.scraping.http.client import Client, Headers, Reply, Request
from scrapeyard.scraping.http.troubles import trouble

SCHEME: Final = "unlocker+"
"""What an unlocker's address begins with: `unlocker+https://ZONE:KEY@host/path#country`."""
_STATUS: Final = "x-brd-status-code"
_REFUSED: Final = {400: Kind.PROXY_AUTH, 401: Kind.PROXY_AUTH, 403: Kind.PROXY_AUTH, 402: Kind.PROXY_EXHAUSTED}


class Unlocked:
    """The site's answer in the unlocker's."""

    __slots__ = ("_reply", "headers", "length", "status")

    def __init__(self, reply: Reply, status: int) -> None:
        self._reply = reply
        self.status = status
        self.length = reply.length
        self.headers: Headers = reply.headers

    def chunks(self) -> AsyncIterator[bytes]:
        return self._reply.chunks()

    async def whole(self) -> bytes:
        return await self._reply.whole()

    async def close(self) -> None:
        await self._reply.close()


class Unlocking:
    """Fills Client."""

    def __init__(self, inner: Client) -> None:
        self._inner = inner

    async def send(self, request: Request) -> Reply:
        proxy = request.proxy
        if proxy is None or not proxy.url.startswith(SCHEME):
            return await self._inner.send(request)
        try:
            reply = await self._inner.send(_asked(request, proxy.url.removeprefix(SCHEME)))
        except VisitError as error:
            # the site was not even asked: whatever went wrong is between the provider and us
            kind = error.failure if VERDICTS[error.failure].fault is Fault.PROXY else Kind.PROXY_ERROR
            raise trouble(kind, request.url) from error
        status = next((value for name, value in reply.headers if name == _STATUS), "")
        if reply.status == 200:
            return Unlocked(reply, int(status) if status.isdecimal() and len(status) == 3 else 200)
        await reply.close()
        kind = _REFUSED.get(reply.status, Kind.PROXY_EXHAUSTED if reply.status == 429 else Kind.PROXY_ERROR)
        raise trouble(kind, proxy.id if kind is Kind.PROXY_AUTH else request.url)

    async def close(self) -> None:
        await self._inner.close()


def _asked(request: Request, address: str) -> Request:
    parts = urlsplit(address)
    door = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    order: dict[str, str] = {"zone": unquote(parts.username or ""), "url": request.url, "format": "raw"}
    if parts.fragment:
        order["country"] = parts.fragment
    if request.method != "GET":
        order["method"] = request.method
    if request.body is not None:
        try:
            order["body"] = request.body.decode()
        except UnicodeDecodeError as error:
            raise VisitError("An unlocker takes text bodies only.", kind=Kind.SCRAPER_BUG) from error
    headers = {
        "authorization": f"Bearer {unquote(parts.password or '')}",
        "content-type": "application/json",
        "accept-encoding": request.headers.get("accept-encoding", "identity"),
    }
    return Request("POST", door, headers, msgspec.json.encode(order), None, request.total, request.idle)
