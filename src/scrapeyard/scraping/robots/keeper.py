"""Keeps to what sites ask in their robots.txt: fetched once for each host and day, through the guard and the permits,
by one process for all that can share it.

What cannot be read is not taken for leave. A site whose robots.txt breaks (a 5xx, no answer) is left alone for now and
asked again; only when that lasts for an hour it counts as a site that has none.
"""

import asyncio
import time
from contextlib import aclosing
from http import HTTPStatus
from typing import NamedTuple

from scrapeyard.model.errors import Disallowed, VisitError
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.ports.scrapers import Permits
from scrapeyard.ports.sessions import Shelf
from scrapeyard.scraping.egress import Address
from scrapeyard.scraping.http.client import Request
from scrapeyard.scraping.http.exchange import Arrival, Common, Exchange
from scrapeyard.scraping.robots.rules import EVERYTHING, LARGEST, Rules, read_rules, token_of
from scrapeyard.scraping.robots.shared import Place, SharedTexts

LASTS = 86_400.0
"""Seconds for which a robots.txt, or its absence, is believed."""
AGAIN = 60.0
"""Seconds after which one that could not be read is asked for again."""
PATIENCE = 3_600.0
"""Seconds after which one that could never be read counts as none."""
MOST = 10_000

_NONE = frozenset({Kind.HTTP_STATUS, Kind.DENIED})
"""It leads in circles, or to where nobody may go: there is none."""
_ENDLESS = 1 << 40


class Known(NamedTuple):
    """What is known of one host until some time: its rules, or the trouble that there was with them."""

    until: float
    rules: Rules = EVERYTHING
    trouble: VisitError | None = None


class Robots:
    """The rules of all hosts that one process visits."""

    def __init__(self, common: Common, shelf: Shelf | None = None) -> None:
        self._common = common
        self._others = SharedTexts(shelf, common.now, LASTS) if shelf is not None else None
        self._token = token_of(common.headers.get("user-agent", ""))
        self._known: dict[Place, Known] = {}
        self._failing: dict[Place, float] = {}
        self._turns: dict[Place, asyncio.Lock] = {}
        self._delays: dict[str, dict[Place, float]] = {}

    async def admit(self, address: Address, site: str, permits: Permits, proxy: Proxy | None) -> None:
        """Return if the address may be visited; `Disallowed` if not, a `VisitError` if nobody can say now."""
        place = (address.scheme, address.host, address.port)
        known = self._known.get(place)
        if known is None or known.until <= time.monotonic():
            known = await self._learned(place, address, site, permits, proxy)
        if known.trouble is not None:
            raise _again(known.trouble)
        url = address.url
        line = known.rules.refusal(url[url.find("/", 8) :])
        if line is not None:
            raise Disallowed(
                f"The robots.txt of {address.host} asks not to visit {address.path[:160]} ({line}). If you may do so "
                f'all the same, declare robots=False in the scraper or set robots = false under [sites."{site}"].'
            )

    async def _learned(self, place: Place, address: Address, site: str, permits: Permits, proxy: Proxy | None) -> Known:
        """Ask the host, one visit at a time for all."""
        async with self._turns.setdefault(place, asyncio.Lock()):
            known = self._known.get(place)
            if known is not None and known.until > time.monotonic():
                return known
            known = await self._heard(place)
            if known is None:
                known = await self._asked(place, Exchange(self._common, permits, site, proxy), address.origin)
            if len(self._known) >= MOST:
                self._known.clear()
                self._turns.clear()
            self._known[place] = known
        delays = self._delays.setdefault(site, {})
        delays[place] = known.rules.crawl_delay or 0.0
        permits.paced(site, max(delays.values()))
        return known

    async def _heard(self, place: Place) -> Known | None:
        """What another process has fetched."""
        told = await self._others.heard(place) if self._others is not None else None
        if told is None:
            return None
        text, age = told
        return Known(time.monotonic() + max(AGAIN, LASTS - age), read_rules(text, self._token))

    async def _asked(self, place: Place, exchange: Exchange, origin: str) -> Known:
        text: bytes | None = None
        try:
            known, text = await self._fetched(place, exchange, origin)
        finally:
            if self._others is not None:
                await self._others.tell(place, text)
        return known

    async def _fetched(self, place: Place, exchange: Exchange, origin: str) -> tuple[Known, bytes | None]:
        """The rules, and the text that says them; None if it could not be read."""
        common = self._common
        url = f"{origin}/robots.txt"
        request = Request("GET", url, common.headers, None, exchange.proxy, common.timeouts.total, common.timeouts.idle)
        try:
            arrival = await exchange.send(request)
            if arrival.status == HTTPStatus.TOO_MANY_REQUESTS or arrival.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                await arrival.close()
                kind = Kind.RATE_LIMITED if arrival.status == HTTPStatus.TOO_MANY_REQUESTS else Kind.SITE_5XX
                said = VisitError(f"{url} answered {arrival.status}.", kind=kind, status=arrival.status)
                return self._unreadable(place, said), None
            body = await _beginning(arrival) if arrival.status < HTTPStatus.MULTIPLE_CHOICES else b""
        except VisitError as error:
            if VERDICTS[error.failure].fault is Fault.PROXY:
                raise
            if error.failure not in _NONE:
                return self._unreadable(place, error), None
            body = b""
        self._failing.pop(place, None)
        return Known(time.monotonic() + LASTS, read_rules(body, self._token)), body

    def _unreadable(self, place: Place, error: VisitError) -> Known:
        now = time.monotonic()
        if now - self._failing.setdefault(place, now) >= PATIENCE:
            return Known(now + PATIENCE)
        return Known(now + AGAIN, trouble=error)


def _again(trouble: VisitError) -> VisitError:
    """The same trouble for another visit: an error that is raised twice would hold both visits' frames."""
    said = f"The robots.txt cannot be read, so nothing else there is visited for now: {trouble}"
    return VisitError(said, kind=trouble.failure, status=trouble.status, retry_after=trouble.retry_after)


async def _beginning(arrival: Arrival) -> bytes:
    """As much of the file as is read."""
    body = b""
    async with aclosing(arrival.pieces(_ENDLESS)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) >= LARGEST:
                break
    return body[:LARGEST]
