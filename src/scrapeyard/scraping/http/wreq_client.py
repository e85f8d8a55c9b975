"""The default client: wreq, a Rust client with HTTP/2 and a proxy per request.

It tells what went wrong in a debug string, so its translation into kinds reads that string, most specific words
first; the behaviour suite provokes every one of them, to notice when a new release words them differently.
"""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import wreq
from wreq import exceptions as wrong

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.egress import PUBLIC_ONLY, Egress
from scrapeyard.scraping.http.client import STANDARD_LIMITS, STANDARD_TIMEOUTS, Headers, Limits, Request, Timeouts
from scrapeyard.scraping.http.names import Lookup, Names, place_of
from scrapeyard.scraping.http.troubles import trouble
from scrapeyard.scraping.http.trusting import certificates, trusting
from scrapeyard.scraping.http.tunnels import asked_again, proxy_trouble
from scrapeyard.scraping.reach import Number, is_number

_MOST_HOSTS: Final = 256
_METHODS = {name: getattr(wreq.Method, name) for name in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")}
_ADDRESS = re.compile(r"uri: [^ ]*")
_PROFILES = {
    "chrome": wreq.Emulation(wreq.Profile.Chrome152, wreq.Platform.Windows),
    "edge": wreq.Emulation(wreq.Profile.Edge148, wreq.Platform.Windows),
    "firefox": wreq.Emulation(wreq.Profile.Firefox152, wreq.Platform.Windows),
    "safari": wreq.Emulation(wreq.Profile.Safari26_4, wreq.Platform.MacOS),
}
"""The newest of each that this release of wreq knows."""
_READINGS = (
    ("ProxyAuthRequired", Kind.PROXY_AUTH),
    ("Socks(PasswordAuthFailure", Kind.PROXY_AUTH),
    ("Socks(NoAcceptableAuthMethods", Kind.PROXY_AUTH),
    ("Socks(ConnectionNotAllowedByRuleset", Kind.DENIED),
    ("Socks(HostUnreachable", Kind.CONN_RESET),
    ("Socks(ConnectionRefused", Kind.CONN_RESET),
    ("ProxyConnect", Kind.PROXY_ERROR),
    ("DnsError", Kind.DNS),
    ("SSL routines", Kind.TLS_ERROR),
    ("Ssl(", Kind.TLS_ERROR),
    ("is_tls", Kind.TLS_ERROR),
    ("is_builder", Kind.SCRAPER_BUG),
    ("kind: Connect, source: Some(TimedOut)", Kind.TIMEOUT_CONNECT),
    ("connect timeout", Kind.TIMEOUT_CONNECT),
    ("TimedOut", Kind.TIMEOUT_READ),
    ("Parse(TooLarge)", Kind.TOO_LARGE),
    ("Parse(", Kind.BAD_BODY),
    ("InvalidInput", Kind.BAD_BODY),
)
"""Words in wreq's debug text, the most specific first. Whatever has none of them is a broken connection."""
_NO_TUNNEL: Final = "TunnelUnsuccessful"

_FAILURES = (
    wrong.TlsError,
    wrong.ProxyConnectionError,
    wrong.ConnectionResetError,
    wrong.ConnectionError,
    wrong.TimeoutError,
    wrong.BodyError,
    wrong.DecodingError,
    wrong.BuilderError,
    wrong.RequestError,
)


class WreqReply:
    """One answer of wreq."""

    __slots__ = ("_response", "headers", "length", "status", "where")

    def __init__(self, response: wreq.Response, where: str) -> None:
        self._response = response
        self.where = where
        self.status = response.status.as_int()
        self.length = response.content_length
        self.headers: Headers = tuple(
            [(str(name, "latin-1"), str(value, "latin-1")) for name, value in response.headers]
        )

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async with self._response.stream() as stream:
                async for piece in stream:
                    if not isinstance(piece, wreq.HeaderMap):
                        yield bytes(piece)
        except _FAILURES as error:
            raise trouble(kind_of(error), self.where) from error

    async def whole(self) -> bytes:
        try:
            return bytes(await self._response.bytes())
        except _FAILURES as error:
            raise trouble(kind_of(error), self.where) from error

    async def close(self) -> None:
        await self._response.close()


class _Pinned(NamedTuple):
    """A client that knows one host, by the addresses that passed for one of its ports."""

    client: wreq.Client
    numbers: tuple[Number, ...]


class WreqClient:
    """The wreq clients of a whole process: one for each host, because addresses are pinned per client.

    A client costs 0.2 ms and 0.2 MB. What needs no pin, hosts given as numbers and everything that a proxy looks
    up, shares one; but proxies that sign what they pass on have a client for each authority. `trust` names a PEM file
    of authorities instead of the built-in ones.
    """

    def __init__(
        self,
        timeouts: Timeouts = STANDARD_TIMEOUTS,
        limits: Limits = STANDARD_LIMITS,
        *,
        egress: Egress = PUBLIC_ONLY,
        trust: Path | None = None,
        lookup: Lookup | None = None,
    ) -> None:
        self._timeouts = timeouts
        self._limits = limits
        self._trust = trust
        self._certificates = wreq.CertStore.from_pem_stack(trust.read_bytes()) if trust else True
        self._names = Names(egress, timeouts.connect, lookup)
        self._pinned: dict[tuple[str, int], _Pinned] = {}
        self._client = self._made(None)
        self._trusting: dict[str, wreq.Client] = {}

    def _made(self, dns: wreq.DnsOptions | None, certificates: wreq.CertStore | None = None) -> wreq.Client:
        timeouts, limits = self._timeouts, self._limits
        return wreq.Client(
            dns_options=dns or wreq.DnsOptions(),
            # compression off at the client: bodies arrive as sent, and our bounded decoder decodes them
            gzip=False,
            brotli=False,
            deflate=False,
            zstd=False,
            redirect=wreq.redirect.Policy.none(),
            cookie_store=False,
            referer=False,
            no_proxy=True,
            # wreq's idle time-out runs while it connects, too: to be told apart, connecting must end a little sooner
            connect_timeout=_seconds(min(timeouts.connect, 0.9 * timeouts.idle)),
            http1_options=wreq.Http1Options(max_headers=limits.header_lines, max_buf_size=limits.headers),
            # above our own cap, which gives the better message; this one bounds what is held before we see it
            http2_options=wreq.Http2Options(max_header_list_size=4 * limits.headers),
            tls_verify=certificates or self._certificates,
        )

    async def send(self, request: Request) -> WreqReply:
        options: wreq.Request = {
            "headers": request.headers,
            "timeout": _seconds(request.total),
            "read_timeout": _seconds(request.idle),
        }
        if request.profile:
            options["emulation"] = _PROFILES[request.profile]
        if request.body is not None:
            options["body"] = request.body
        if request.proxy is not None:
            options["proxy"] = _proxy(request.proxy.url)
        try:
            client = await self._client_for(request)
            response = await client.request(_METHODS[request.method], request.url, **options)
        except _FAILURES as error:
            if request.proxy is not None and _NO_TUNNEL in str(error):
                raise await asked_again(request, request.proxy, trusting(self._trust)) from error
            raise proxy_trouble(kind_of(error), request) from error
        return WreqReply(response, request.url)

    async def close(self) -> None:
        self._client.close()
        for client in (*self._trusting.values(), *(pinned.client for pinned in self._pinned.values())):
            client.close()
        self._pinned.clear()
        self._trusting.clear()

    async def _client_for(self, request: Request) -> wreq.Client:
        if request.proxy is None:
            return await self._client_to(request.url)
        trust = request.proxy.trust
        if not trust:
            return self._client
        client = self._trusting.get(trust)
        if client is None:
            store = wreq.CertStore(pem_certs=certificates(trust, self._trust), default_paths=True)
            client = self._trusting[trust] = self._made(None, store)
        return client

    async def _client_to(self, url: str) -> wreq.Client:
        place = host, port = place_of(url)
        if is_number(host):
            return self._client
        pinned = self._pinned.get(place)
        numbers = self._names.known(host, port)
        if pinned is not None and pinned.numbers is numbers:
            return pinned.client
        numbers = await self._names.addresses(host, port)
        pinned = self._pinned.pop(place, None)
        if pinned is None or set(pinned.numbers) != set(numbers):
            dns = wreq.DnsOptions()
            dns.add_resolve(host, numbers)
            # an old client is let go of, not closed: requests may be under way with it
            client = self._made(dns)
            if len(self._pinned) >= _MOST_HOSTS:
                del self._pinned[next(iter(self._pinned))]
        else:
            client = pinned.client
        self._pinned[place] = _Pinned(client, numbers)
        return client


def kind_of(error: Exception) -> Kind:
    """What wreq complains about. The address is left out: a stranger may have chosen its words."""
    words = _ADDRESS.sub("", str(error))
    return next((kind for word, kind in _READINGS if word in words), Kind.CONN_RESET)


@lru_cache(maxsize=64)
def _seconds(seconds: float) -> timedelta:
    return timedelta(seconds=max(seconds, 0.001))


@lru_cache(maxsize=256)
def _proxy(address: str) -> wreq.Proxy:
    try:
        return wreq.Proxy.all(address)
    except wrong.BuilderError as error:
        raise VisitError("The proxy's address is not well formed.", kind=Kind.PROXY_ERROR) from error
