"""Asking a provider's own interface for its list: bounded in bytes, pages and time, and its failures told as such.

Whatever goes wrong here is between the provider and us. It must never pass for a fault of the site that is to be
visited, which has not been asked yet.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.http.body import Reading
from scrapeyard.scraping.http.client import Client, Limits, Reply, Request

Opening = Callable[[], Client]
"""Makes a client when one is first needed."""

MOST: Final = Limits(wire=8 << 20, decoded=16 << 20)
_TOTAL, _IDLE = 20.0, 10.0
_KINDS: Final = {401: Kind.PROXY_AUTH, 403: Kind.PROXY_AUTH, 402: Kind.PROXY_EXHAUSTED, 429: Kind.PROXY_EXHAUSTED}


class Asking:
    """One provider's interface. The client is opened at the first question, and closed with this."""

    def __init__(self, provider: str, opening: Opening) -> None:
        self._provider = provider
        self._opening = opening
        self._client: Client | None = None

    async def text(
        self, url: str, headers: Mapping[str, str] | None = None, proxy: Proxy | None = None, total: float = _TOTAL
    ) -> str:
        """What it answers. `VisitError` of a kind of the proxy's own if that is no 200."""
        if self._client is None:
            self._client = self._opening()
        wanted = {"accept": "application/json, text/plain, */*", "accept-encoding": "gzip", **(headers or {})}
        try:
            reply = await self._client.send(Request("GET", url, wanted, None, proxy, total, min(total, _IDLE)))
            body = await _whole(reply, url)
        except VisitError as error:
            raise self._trouble(Kind.PROXY_ERROR, f"cannot be asked: {error}") from error
        if reply.status != 200:
            kind = _KINDS.get(reply.status, Kind.PROXY_ERROR)
            why = "refuses our key" if kind is Kind.PROXY_AUTH else f"answers {reply.status}"
            raise self._trouble(kind, f"{why}; check the key, the plan and its balance")
        return body.decode("utf-8", "replace")

    async def json(self, url: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """What it answers, as an object."""
        try:
            return msgspec.json.decode(await self.text(url, headers), type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise self._trouble(Kind.PROXY_ERROR, "answers what is no JSON object") from error

    async def pages(self, url: str, headers: Mapping[str, str], most: int) -> AsyncGenerator[dict[str, Any]]:
        """One answer after the other, as `next` leads, but never to another host: the key goes along."""
        origin = urlsplit(url)[:2]
        for _ in range(most):
            page = await self.json(url, headers)
            yield page
            following = page.get("next")
            if not following:
                return
            if not isinstance(following, str) or urlsplit(following)[:2] != origin:
                raise self._trouble(Kind.PROXY_ERROR, "sends us to another host for the next page")
            url = following
        raise self._trouble(Kind.PROXY_ERROR, f"has more than {most} pages")

    async def close(self) -> None:
        """Let go of connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _trouble(self, kind: Kind, what: str) -> VisitError:
        return VisitError(f"The list of proxies of {self._provider} {what}.", kind=kind)


async def _whole(reply: Reply, url: str) -> bytes:
    encoding = next((value for name, value in reply.headers if name == "content-encoding"), "")
    try:
        return await Reading(reply, encoding, url, MOST).whole()
    except VisitError:
        await reply.close()
        raise
