"""What all portals of the county share: the roll, the dial, and one way in which a visit to a parcel goes wrong.

A portal says what its page looks like when all is well and when there is no such parcel; everything else happens here,
so that a fault looks the same at each of them and is counted once.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from aiohttp import web

from scrapeyard.demo.county.dial import Dial, Verdict
from scrapeyard.demo.county.dice import fingerprint
from scrapeyard.demo.county.faults import Fault, Faults
from scrapeyard.demo.county.hanging_up import reset
from scrapeyard.demo.county.html import trouble
from scrapeyard.demo.county.html.chrome import page
from scrapeyard.demo.county.numbers import MOST_PARCELS, index_of
from scrapeyard.demo.county.parcels import Parcel, parcel
from scrapeyard.demo.county.visitors import Address, Origin, Visitors

HTML = "text/html; charset=utf-8"
PASSWORD = "demo"  # noqa: S105 - nobody's secret: whoever wants one gives another
REASONS = {500: "Internal server error.", 502: "Bad gateway.", 503: "Service unavailable.", 504: "Gateway time-out."}


@dataclass(frozen=True, slots=True)
class CountyOptions:
    """Which county this is: the same seed and size is the same roll, whatever else is set.

    It brings so many proxies of each provider, who want that password.
    """

    seed: int = 7
    parcels: int = 2_000
    faults: Faults = field(default_factory=Faults)
    host: str = "127.0.0.1"
    port: int = 0
    session_requests: int = 40
    session_seconds: float = 1_200.0
    datacenter: int = 0
    residential: int = 0
    password: str = PASSWORD

    def __post_init__(self) -> None:
        if not 1 <= self.parcels <= MOST_PARCELS:
            raise ValueError(f"parcels: take a number from 1 to {MOST_PARCELS}, not {self.parcels}")


class Ask(NamedTuple):
    """A request that names a parcel: which number, and at which of the steps of a flow."""

    number: str
    step: str = "record"
    steps: tuple[str, ...] = ("record",)


class Site:
    """The county behind its portals."""

    def __init__(self, options: CountyOptions, now: Callable[[], float]) -> None:
        self.options = options
        self.now = now
        self.dial = Dial(options.seed, options.faults, now)
        self.visitors = Visitors()
        self.requests: Counter[str] = Counter()
        self._notice = page("Briar County", "", "Notice", trouble.MAINTENANCE).encode()

    def find(self, number: str) -> Parcel | None:
        """The parcel with this number, whatever the dial says."""
        index = index_of(number, self.options.parcels)
        return None if index is None else parcel(self.options.seed, index)

    def turned_away(self, request: web.Request) -> web.Response | None:
        """The answer to visitors whom the site does not want at all, or not so fast."""
        self.visitors.requests[self._origin(request).value] += 1
        if not self.dial.bears():
            return self._refused(request, Fault.THROTTLED, "")
        return self._wall(request)

    def _origin(self, request: web.Request) -> Origin:
        transport = request.transport
        peer: Address | None = transport.get_extra_info("peername") if transport is not None else None
        return Origin.DIRECT if peer is None else self.visitors.origin(peer)

    def _wall(self, request: web.Request, number: str | None = None) -> web.Response | None:
        if not self.dial.faults.walls or not self.dial.walled(self._origin(request), number):
            return None
        return self._blocked(number or request.path, self.dial.faults.wall_status)

    async def answer(
        self,
        request: web.Request,
        ask: Ask,
        found: Callable[[Parcel, bool], web.Response],
        missing: Callable[[], web.Response],
    ) -> web.StreamResponse:
        """The answer to this request, or what the dial makes of it."""
        index = index_of(ask.number, self.options.parcels)
        if index is not None and (wall := self._wall(request, _plain(ask.number))) is not None:
            return wall
        verdict = Verdict() if index is None else self.dial.verdict(_plain(ask.number), ask.step, ask.steps)
        fault = verdict.fault
        settings = self.dial.faults
        if wait := settings.latency + (settings.slow_seconds if fault is Fault.SLOW else 0):
            await asyncio.sleep(wait)
        if fault is not None and (refusal := self._refused(request, fault, ask.number)) is not None:
            return refusal
        if index is None or verdict.absent:
            return missing()
        if fault is Fault.WRONG_PARCEL:
            index = (index + 1) % self.options.parcels
        answer = found(parcel(self.options.seed, index), verdict.redesigned)
        return await _cut(request, answer) if fault is Fault.TRUNCATED else answer

    def _blocked(self, number: str, status: int = 200) -> web.Response:
        mark = fingerprint(self.options.seed, "mark", number)
        return html(trouble.BLOCKED[mark % len(trouble.BLOCKED)].format(mark=f"{mark:016x}"), status)

    def _refused(self, request: web.Request, fault: Fault, number: str) -> web.Response | None:
        settings = self.dial.faults
        match fault:
            case Fault.RESET:
                return _gone(request)
            case Fault.ERROR_5XX:
                status = (500, 502, 503, 504)[fingerprint(self.options.seed, "mark", number) % 4]
                return html(trouble.SERVER_ERROR.format(status=status, reason=REASONS[status]), status)
            case Fault.THROTTLED:
                return html(trouble.THROTTLED, 429, {"Retry-After": str(settings.retry_after)})
            case Fault.BLOCKED:
                return self._blocked(number)
            case Fault.MAINTENANCE:
                return html(self._notice, settings.maintenance_status)
            case _:
                return None


def _plain(number: str) -> str:
    return number.strip().replace("-", "").replace(" ", "")


def html(text: str | bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A page as an answer."""
    body = text if isinstance(text, bytes) else text.encode()
    return web.Response(body=body, status=status, headers={"Content-Type": HTML, **(headers or {})})


def moved(to: str) -> web.Response:
    """A redirect with a short body, as servers send it; the address must be safe to show."""
    return html(f'<html><body>Object moved to <a href="{to}">here</a>.</body></html>', 302, {"Location": to})


def _gone(request: web.Request) -> web.Response:
    """No answer at all, only a reset."""
    assert request.transport is not None
    reset(request.transport)
    return web.Response()


async def _cut(request: web.Request, whole: web.Response) -> web.StreamResponse:
    """Announce the whole body, send half of it, hang up."""
    body = whole.body
    if not isinstance(body, bytes) or len(body) < 2:
        return _gone(request)
    part = web.StreamResponse(status=whole.status, headers=whole.headers)
    part.content_length = len(body)
    part.force_close()
    await part.prepare(request)
    await part.write(body[: len(body) // 2])
    if request.transport is not None:
        request.transport.close()
    return part
