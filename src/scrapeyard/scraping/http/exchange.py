"""One visit's conversation with its sites: what every request needs, whichever verb the author used.

Each hop of a redirect is a request like any other. It passes the egress guard, waits for its permit, takes the
cookies that belong there and no credential that does not, and is counted.
"""

import time
from collections.abc import AsyncGenerator, Callable
from typing import Protocol

import msgspec

from scrapeyard.decisions.observation import Observation
from scrapeyard.decisions.proxied import blamed
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.ports.scrapers import Answer, Permits
from scrapeyard.scraping.egress import Address, Egress, permitted
from scrapeyard.scraping.http.answers import REDIRECTS, asked_wait, next_url, redirected
from scrapeyard.scraping.http.body import Reading
from scrapeyard.scraping.http.client import Client, Headers, Limits, Profile, Reply, Request, Timeouts
from scrapeyard.scraping.http.cookies import Jar
from scrapeyard.scraping.http.meter import Meter, Sent, Trace
from scrapeyard.scraping.http.troubles import shown, trouble

_PROXY_REFUSES, _SERVERS_FAULT = 407, 500
_TOO_MANY, _UNAVAILABLE = 429, 503
_HARMLESS = frozenset({"GET", "HEAD"})
_LOST_EXITS = 2
"""Exits that a visit may lose on its way before it begins anew."""
_DRAINED = 64 << 10
"""A redirect's body up to this length is read, so that its connection can be used again."""


class Doorkeeper(Protocol):
    """Knows what a site asks of its visitors."""

    async def admit(self, address: Address, site: str, permits: Permits, proxy: Proxy | None) -> None:
        """Return if the address may be visited; `Disallowed` if not."""
        ...


class NamedProxies(Protocol):
    """Judges the proxies that authors name for one request."""

    async def taken(self, address: str) -> Proxy:
        """The proxy at that address; `VisitError` of kind DENIED if it may not be reached."""
        ...


class Common(msgspec.Struct, frozen=True):
    """What all visits of a process share."""

    client: Client
    timeouts: Timeouts
    limits: Limits
    egress: Egress
    headers: dict[str, str]
    now: Callable[[], float] = time.time
    trace: Trace | None = None
    doorkeeper: Doorkeeper | None = None
    own_proxies: NamedProxies | None = None


class Head:
    """What the header lines of an answer say that matters here."""

    __slots__ = ("content_type", "encoding", "location", "retry_after", "size")

    def __init__(self, lines: Headers, jar: Jar, address: Address, now: float) -> None:
        self.content_type = self.encoding = self.location = self.retry_after = ""
        size = 0
        for name, value in lines:
            size += len(name) + len(value) + 4
            if name == "content-type":
                self.content_type = value
            elif name == "set-cookie":
                jar.store(value, address, now)
            elif name == "content-encoding":
                self.encoding = f"{self.encoding}, {value}" if self.encoding else value
            elif name == "location":
                self.location = value
            elif name == "retry-after":
                self.retry_after = value
        self.size = size


class Arrival:
    """An answer that is no redirect, its body still to come. It is read to its end or to an error, or closed."""

    __slots__ = ("_began", "_exchange", "_reading", "_reply", "head", "headers", "method", "status", "url")

    def __init__(self, exchange: "Exchange", request: Request, reply: Reply, head: Head, began: float) -> None:
        self._exchange = exchange
        self._began = began
        self._reply = reply
        self._reading: Reading | None = None
        self.head = head
        self.headers = reply.headers
        self.status = reply.status
        self.method = request.method
        self.url = request.url

    async def whole(self) -> bytes:
        """The decoded body, within the limits of a page."""
        try:
            reading = self._read(None)
            body = await reading.whole()
        except BaseException as error:
            await self.close(error)
            raise
        self._tell(None)
        return body

    async def pieces(self, largest: int) -> AsyncGenerator[bytes]:
        """The decoded body in pieces, up to `largest` bytes."""
        try:
            async for piece in self._read(largest).pieces():
                yield piece
        except BaseException as error:
            await self.close(error)
            raise
        self._tell(None)

    async def close(self, error: BaseException | None = None) -> None:
        """Let go of what was not read."""
        self._tell(error)
        await self._reply.close()

    def _read(self, largest: int | None) -> Reading:
        self._reading = Reading(self._reply, self.head.encoding, self.url, self._exchange.common.limits, largest)
        return self._reading

    def _tell(self, error: BaseException | None) -> None:
        wire, size = (self._reading.wire, self._reading.size) if self._reading else (0, 0)
        sent = (self.method, self.url, self.status, self._began)
        self._exchange.count(sent, self.head.size + wire, size, error)


class Exchange:
    """Sends one visit's requests. Its jar, meter and proxy are the visit's own; everything else is shared."""

    __slots__ = ("_again", "_labels", "_permits", "_site", "common", "doorkeeper", "jar", "meter", "profile", "proxy")

    def __init__(
        self, common: Common, permits: Permits, site: str, proxy: Proxy | None = None, jar: Jar | None = None
    ) -> None:
        self.common = common
        self.proxy = proxy
        self.jar = Jar() if jar is None else jar
        self.meter = Meter()
        self.doorkeeper: Doorkeeper | None = None
        self.profile: Profile = ""
        self._permits = permits
        self._site = site
        self._labels: dict[str, str] = {}
        self._again = _LOST_EXITS

    async def send(self, request: Request) -> Arrival:
        """Send, and follow redirects to the answer. Waiting for permits does not count against the time-out."""
        common = self.common
        left = request.total
        here = permitted(request.url, common.egress)
        for _ in range(common.limits.redirects + 1):
            label = self._label(here.host)
            if self.doorkeeper is not None:
                await self.doorkeeper.admit(here, label, self._permits, self.proxy)
            reply, began = await self._sent(request, here, label, left)
            took = time.monotonic() - began
            if reply.status == _PROXY_REFUSES and request.proxy is not None:
                await reply.close()
                raise trouble(Kind.PROXY_AUTH, request.proxy.id)
            head = self._head(reply, here)
            self._answered(label, request, reply.status, head.retry_after, took)
            if reply.status not in REDIRECTS or not head.location:
                return Arrival(self, request, reply, head, began)
            there = permitted(next_url(head.location, here.url), common.egress)
            wire = await _drain(reply)
            self.count((request.method, here.url, reply.status, began), head.size + wire, wire, None)
            request = redirected(request, reply.status, here, there)
            left -= time.monotonic() - began
            if left <= 0:
                raise trouble(Kind.TIMEOUT_READ, here.url)
            here = there
        raise VisitError(
            f"More than {common.limits.redirects} redirects lead to {shown(here.url)}; the site sends us in circles.",
            kind=Kind.HTTP_STATUS,
        )

    def count(
        self, sent: tuple[str, str, int | None, float], wire: int, size: int, error: BaseException | None
    ) -> None:
        """Add up one request that is over, and tell whoever watches."""
        meter = self.meter
        meter.wire_bytes += wire
        meter.body_bytes += size
        if self.common.trace is not None:
            method, url, status, began = sent
            kind = error.failure.value if isinstance(error, VisitError) else None
            ms = round((time.monotonic() - began) * 1000)
            self.common.trace(Sent(method, url, status, ms, wire, size, kind))

    async def _sent(self, request: Request, here: Address, label: str, left: float) -> tuple[Reply, float]:
        """The answer, and when it was asked for. An exit that is lost in the middle of a visit is no reason to fetch
        again, at a dear price, what the visit has already: what does no harm is asked once more."""
        while True:
            await self._permits.request(label)
            self._take_one()
            began = time.monotonic()
            spare = self._again and request.proxy is not None and request.method in _HARMLESS and self.meter.body_bytes
            try:
                reply = await self._hop(request, here, left, began)
            except VisitError as error:
                if not spare or error.failure is not Kind.PROXY_ERROR:
                    raise
            else:
                if not spare or not _lost_exit(reply):
                    return reply, began
                wire = await _drain(reply)
                self.count((request.method, here.url, reply.status, began), wire, wire, None)
            self._again -= 1
            left -= time.monotonic() - began
            if left <= 0:
                raise trouble(Kind.TIMEOUT_READ, here.url)

    async def _hop(self, request: Request, here: Address, left: float, began: float) -> Reply:
        headers = request.headers
        cookies = self.jar.header(here, self.common.now())
        if cookies:
            own = headers.get("cookie")
            headers = {**headers, "cookie": f"{own}; {cookies}" if own else cookies}
        hop = request
        if cookies or left != request.total or here.url != request.url:
            idle = min(request.idle, left)
            hop = Request(request.method, here.url, headers, request.body, request.proxy, left, idle, request.profile)
        try:
            reply = await self.common.client.send(hop)
        except VisitError as error:
            self.count((request.method, here.url, None, began), 0, 0, error)
            if request.proxy is None and VERDICTS[error.failure].fault is Fault.SITE:
                self._permits.answered(Answer(self._label(here.host), time.monotonic() - began, good=False))
            raise
        self.meter.last_status = reply.status
        return reply

    def _answered(self, site: str, request: Request, status: int, retry_after: str, took: float) -> None:
        """Tell who gives permits how it went. What a proxy adds to the time, and a wait that was asked of it alone,
        say nothing of the site."""
        proxied = request.proxy is not None
        if status < 400:
            self._permits.answered(Answer(site, took, proxied=proxied))
            return
        wait = asked_wait(retry_after, self.common.now()) if retry_after else None
        throttled = status == _TOO_MANY or (status == _UNAVAILABLE and wait is not None)
        if throttled or not proxied:
            wait = None if proxied else wait
            self._permits.answered(
                Answer(site, took, good=False, throttled=throttled, retry_after=wait, proxied=proxied)
            )

    def _head(self, reply: Reply, here: Address) -> Head:
        head = Head(reply.headers, self.jar, here, self.common.now())
        limits = self.common.limits
        if head.size > limits.headers or len(reply.headers) > limits.header_lines:
            raise trouble(Kind.TOO_LARGE, here.url)
        return head

    def _take_one(self) -> None:
        self.meter.requests += 1
        if self.meter.requests > self.common.limits.requests:
            raise VisitError(
                f"The visit made more than {self.common.limits.requests} requests; its scraper may go in circles.",
                kind=Kind.TOO_LARGE,
            )

    def _label(self, host: str) -> str:
        """Under which site's limits a request falls: the scraper's own site is where its visit begins, and all hosts
        below its name; any other host is a site of its own."""
        label = self._labels.get(host)
        if label is None:
            own = not self._labels or host == self._site or host.endswith(f".{self._site}")
            label = self._labels[host] = self._site if own else host
        return label


def _lost_exit(reply: Reply) -> bool:
    """Whether this answer to a plain request is the proxy's own, which says that it has lost its way."""
    return (
        reply.status >= _SERVERS_FAULT
        and blamed(Observation(status=reply.status, headers=dict(reply.headers), proxied=True)) is Kind.PROXY_ERROR
    )


async def _drain(reply: Reply) -> int:
    """Read a redirect's short body away; drop a connection that has a long one. Gives the bytes that came."""
    if reply.length is not None and reply.length <= _DRAINED:
        return len(await reply.whole()) if reply.length else 0
    wire = 0
    if reply.length is None:
        async for chunk in reply.chunks():
            wire += len(chunk)
            if wire > _DRAINED:
                break
        else:
            return wire
    await reply.close()
    return wire
