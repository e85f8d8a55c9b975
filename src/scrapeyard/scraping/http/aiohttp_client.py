"""The second client: aiohttp, pure of Rust and long proven; HTTP/1.1 and HTTP proxies only.

It exists so that the seam is real: where the default client misbehaves on some machine or site, this one takes
its place without a change to any scraper.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from functools import lru_cache
from pathlib import Path

import aiohttp
from aiohttp import http_exceptions as malformed
from aiohttp.abc import AbstractResolver, ResolveResult

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.egress import PUBLIC_ONLY, Egress
from scrapeyard.scraping.http.client import STANDARD_LIMITS, STANDARD_TIMEOUTS, Headers, Limits, Request, Timeouts
from scrapeyard.scraping.http.names import Lookup, Names
from scrapeyard.scraping.http.troubles import trouble
from scrapeyard.scraping.http.trusting import trusting
from scrapeyard.scraping.http.tunnels import refused

_READINGS: tuple[tuple[type[Exception], Kind], ...] = (
    (aiohttp.ClientProxyConnectionError, Kind.PROXY_ERROR),
    (aiohttp.ConnectionTimeoutError, Kind.TIMEOUT_CONNECT),
    (TimeoutError, Kind.TIMEOUT_READ),
    (aiohttp.ClientConnectorDNSError, Kind.DNS),
    (aiohttp.ClientSSLError, Kind.TLS_ERROR),
    (ssl.SSLError, Kind.TLS_ERROR),
    (aiohttp.InvalidURL, Kind.SCRAPER_BUG),
    (malformed.LineTooLong, Kind.TOO_LARGE),
    (malformed.PayloadEncodingError, Kind.CONN_RESET),
    (malformed.HttpProcessingError, Kind.BAD_BODY),
    (aiohttp.ClientResponseError, Kind.BAD_BODY),
    (aiohttp.ClientPayloadError, Kind.CONN_RESET),
    (aiohttp.ClientError, Kind.CONN_RESET),
    (OSError, Kind.CONN_RESET),
)
"""The most specific first: several of these are parents of others."""
_FAILURES = (aiohttp.ClientError, malformed.HttpProcessingError, OSError, TimeoutError)


class AiohttpReply:
    """One answer of aiohttp."""

    __slots__ = ("_response", "headers", "length", "status", "where")

    def __init__(self, response: aiohttp.ClientResponse, where: str) -> None:
        self._response = response
        self.where = where
        self.status = response.status
        self.length = response.content_length
        self.headers: Headers = tuple(
            [(str(name, "latin-1").lower(), str(value, "latin-1")) for name, value in response.raw_headers]
        )

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._response.content.iter_any():
                yield piece
        except _FAILURES as error:
            raise trouble(kind_of(error), self.where) from error

    async def whole(self) -> bytes:
        try:
            return await self._response.read()
        except _FAILURES as error:
            raise trouble(kind_of(error), self.where) from error

    async def close(self) -> None:
        self._response.close()


class AiohttpClient:
    """One aiohttp session for a whole process, made at the first request because it belongs to an event loop."""

    def __init__(
        self,
        timeouts: Timeouts = STANDARD_TIMEOUTS,
        limits: Limits = STANDARD_LIMITS,
        *,
        egress: Egress = PUBLIC_ONLY,
        trust: Path | None = None,
        lookup: Lookup | None = None,
    ) -> None:
        self._connect = timeouts.connect
        self._limits = limits
        self._trust = trust
        self._names = Names(egress, timeouts.connect, lookup)
        self._direct: aiohttp.ClientSession | None = None
        self._proxied: dict[str, aiohttp.ClientSession] = {}

    async def send(self, request: Request) -> AiohttpReply:
        if request.profile:
            raise VisitError(
                f"This client cannot look like {request.profile}; use wreq for that.", kind=Kind.SCRAPER_BUG
            )
        if request.proxy is not None and not request.proxy.url.startswith(("http://", "https://")):
            socks = request.proxy.url.startswith("socks")
            kind = Kind.NO_PROXY if socks else Kind.PROXY_ERROR
            raise VisitError("This client speaks to HTTP proxies only; use wreq for SOCKS.", kind=kind)
        try:
            session = self._open_direct() if request.proxy is None else self._open_proxied(request.proxy.trust)
            response = await session.request(
                request.method,
                request.url,
                headers=request.headers,
                data=request.body,
                proxy=request.proxy.url if request.proxy else None,
                allow_redirects=False,
                timeout=_timeout(request.total, self._connect, request.idle),
            )
        except aiohttp.ClientHttpProxyError as error:
            headers = {name.lower(): value for name, value in (error.headers or {}).items()}
            raise refused(request, error.status, headers) from error
        except _FAILURES as error:
            raise trouble(kind_of(error), request.url) from error
        except ValueError as error:
            raise trouble(Kind.SCRAPER_BUG, request.url) from error
        return AiohttpReply(response, request.url)

    async def close(self) -> None:
        for session in (self._direct, *self._proxied.values()):
            if session is not None:
                await session.close()
        self._direct = None
        self._proxied.clear()
        await asyncio.sleep(0)  # lets transports close before the loop does

    def _open_direct(self) -> aiohttp.ClientSession:
        if self._direct is None:
            self._direct = self._made(_Judged(self._names))
        return self._direct

    def _open_proxied(self, trust: str) -> aiohttp.ClientSession:
        """Through a proxy the only name looked up here is the proxy's own, which the settings chose. A proxy that signs
        what it passes on is believed by a session that trusts its authority."""
        session = self._proxied.get(trust)
        if session is None:
            session = self._proxied[trust] = self._made(None, trust)
        return session

    def _made(self, resolver: AbstractResolver | None, trust: str = "") -> aiohttp.ClientSession:
        context = trusting(self._trust, trust)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=context, resolver=resolver, use_dns_cache=False),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            trust_env=False,
            max_line_size=self._limits.headers,
            max_field_size=self._limits.headers,
            max_headers=self._limits.header_lines,
        )


class _Judged(AbstractResolver):
    """Gives aiohttp the addresses that passed, and no others."""

    def __init__(self, names: Names) -> None:
        self._names = names

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        wanted = {socket.AF_INET: 4, socket.AF_INET6: 6}.get(family)
        return [
            ResolveResult(
                hostname=host,
                host=str(number),
                port=port,
                family=socket.AF_INET if number.version == 4 else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for number in await self._names.addresses(host.lower(), port)
            if wanted in (None, number.version)
        ]

    async def close(self) -> None:
        """Nothing is held."""


def kind_of(error: Exception) -> Kind:
    """What aiohttp complains about. What is wrong with a head hides behind general errors as their cause."""
    cause = error.__cause__
    while isinstance(cause, (malformed.HttpProcessingError, ssl.SSLError)):
        error, cause = cause, cause.__cause__
    if isinstance(error, malformed.BadHttpMessage) and error.message.startswith("Too many headers"):
        return Kind.TOO_LARGE
    return next((kind for foreign, kind in _READINGS if isinstance(error, foreign)), Kind.CONN_RESET)


@lru_cache(maxsize=256)
def _timeout(total: float, connect: float, idle: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=total, sock_connect=connect, sock_read=idle)
