"""The proxies of one list at work: lent in turn, kept for their session, put out of use when they fail.

A proxy that stops answering would otherwise cost a whole connect time-out with every visit. So whoever has not been
heard of for a few seconds is knocked at in the background when it is lent, and after each fault of its own. What puts a
proxy out, and for how long, is `decisions.ejection`.
"""

import asyncio
import logging
import math
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Final

from scrapeyard.decisions.ejection import NEW, Standing, judged, knocked
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.place import ANYWHERE, Place
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.proxies.address import Endpoint
from scrapeyard.scraping.proxies.provider import ANY, NoProxy, Roll, Source

log = logging.getLogger(__name__)

Knock = Callable[[Endpoint], Awaitable[bool]]

REFRESH: Final = 3600.0
"""Seconds for which a list is used before it is asked for again."""
ANEW: Final = 30.0
"""The same where it could not be had."""
SESSIONS: Final = 10_000
"""Sessions whose proxy is remembered."""
_KNOCKING = 3.0
_LIST = ""
"""The name of the task that renews the list; no proxy has it."""
_DOUBTFUL = frozenset({Kind.TIMEOUT_CONNECT, Kind.TIMEOUT_READ, Kind.CONN_RESET, Kind.DEADLINE})
"""What may be the proxy's fault or the site's: it is knocked at to see."""


class Peers:
    """One set of proxies, each a machine of its own."""

    def __init__(self, name: str, source: Source, clock: Clock, knock: Knock | None = None) -> None:
        self._name = name
        self._source = source
        self._clock = clock
        self._knock = knock or opens
        self._lock = asyncio.Lock()
        self._next_look = -math.inf
        self._failure: VisitError | None = None
        self._doors: dict[str, Endpoint] = {}
        self._standing: dict[str, Standing] = {}
        self._out = 0
        self._places: dict[str, tuple[Proxy, ...]] = {}
        self._fitting: dict[Place, tuple[Proxy, ...]] = {}
        self._turn: dict[Place, int] = {}
        self._lent: OrderedDict[tuple[Place, str], Proxy] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def lend(self, place: Place, session: str) -> Proxy:
        """The session's own proxy while it is in use, else the next one that is."""
        await self._have_list()
        now = self._clock.monotonic()
        fitting = self._fitting.get(place)
        if fitting is None:
            fitting = self._fitting[place] = serving(self._places, place)
        if not fitting:
            where = f"is known to be in {place}" if place != ANYWHERE else "is there at all"
            raise NoProxy(f"No proxy of {self._name!r} {where}.")
        proxy = self._lent.get((place, session))
        if proxy is None or proxy.id not in self._standing or self._standing[proxy.id].out:
            proxy = self._next(place, fitting, now)
            self._lent[place, session] = proxy
            if len(self._lent) > SESSIONS:
                self._lent.popitem(last=False)
        if self._standing[proxy.id].silent(now):
            self._see(proxy.id)
        return proxy

    def judged(self, proxy: str, kind: Kind | None) -> None:
        """What became of a visit through that proxy."""
        standing = self._standing.get(proxy)
        if standing is None:
            return
        spare = 2 * (self._out + 1) <= len(self._standing)
        self._stand(proxy, judged(standing, kind, self._clock.monotonic(), spare=spare))
        doubtful = kind is not None and (kind in _DOUBTFUL or VERDICTS[kind].fault is Fault.PROXY)
        if doubtful and not self._standing[proxy].out:
            self._see(proxy)

    async def sample(self, place: Place, most: int) -> list[Proxy]:
        """Those that serve a place, in use or not, to be looked at."""
        await self._have_list()
        return list(serving(self._places, place)[:most])

    async def close(self) -> None:
        """Stop knocking."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._source.close()

    def _next(self, place: Place, fitting: Sequence[Proxy], now: float) -> Proxy:
        start = self._turn.get(place, 0)
        suspected: int | None = None
        for step in range(len(fitting)):
            at = (start + step) % len(fitting)
            standing = self._standing[fitting[at].id]
            if not standing.out:
                self._turn[place] = at + 1
                return fitting[at]
            if not standing.proven and suspected is None:
                suspected = at
            if standing.due(now):
                self._see(fitting[at].id)
        if suspected is not None:  # all the others are known to be dead, and of this one it is only feared
            self._turn[place] = suspected + 1
            return fitting[suspected]
        raise self._none_left(fitting, now)

    def _none_left(self, fitting: Sequence[Proxy], now: float) -> VisitError:
        records = [self._standing[proxy.id] for proxy in fitting]
        refused = all(record.cause is Kind.PROXY_AUTH for record in records)
        wait = max(1.0, min(record.until for record in records) - now)
        which = "The only proxy" if len(records) == 1 else f"All {len(records)} proxies"
        why = "refused our credentials" if refused else "failed"
        return VisitError(
            f"{which} of {self._name!r} {why} and will be tried again in {wait:.0f} s at the earliest.",
            kind=Kind.PROXY_AUTH if refused else Kind.PROXY_EXHAUSTED,
            retry_after=wait,
        )

    async def _have_list(self) -> None:
        """A list that has grown old is renewed in the background; only who has none waits for it."""
        if self._clock.monotonic() < self._next_look:
            if not self._places and self._failure is not None:
                raise self._failure.with_traceback(None)
            return
        if self._places:
            self._begin(_LIST, self._renew)
            return
        async with self._lock:
            if self._clock.monotonic() >= self._next_look:
                await self._renew()
        if self._failure is not None:
            raise self._failure

    async def _renew(self) -> None:
        self._next_look = self._clock.monotonic() + ANEW
        try:
            self._enrol(await self._source.roll())
            self._failure = None
        except VisitError as error:
            self._failure = error
            log.warning("the list of the proxies %s cannot be had: %s", self._name, error)
        else:
            self._next_look = self._clock.monotonic() + REFRESH

    def _enrol(self, roll: Roll) -> None:
        """Take over a list. Who was there before keeps its record."""
        doors: dict[str, Endpoint] = {}
        places: dict[str, tuple[Proxy, ...]] = {}
        for place, endpoints in roll.items():
            proxies: list[Proxy] = []
            for endpoint in dict.fromkeys(endpoints):
                proxy = f"{self._name}/{endpoint.place}"
                twin = 2
                while proxy in doors and doors[proxy] != endpoint:
                    proxy = f"{self._name}/{endpoint.place}#{twin}"
                    twin += 1
                doors[proxy] = endpoint
                proxies.append(Proxy(proxy, endpoint.url))
            random.shuffle(proxies)  # so that processes do not begin with the same one
            places[place.lower()] = tuple(proxies)
        self._doors, self._places, self._fitting = doors, places, {}
        self._standing = {proxy: self._standing.get(proxy, NEW) for proxy in doors}
        self._out = sum(standing.out for standing in self._standing.values())

    def _see(self, proxy: str) -> None:
        """Knock at its door in the background."""
        self._begin(proxy, lambda: self._knocking(proxy))

    def _begin(self, name: str, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """In the background, and not twice at once."""
        if name not in self._tasks:
            task = asyncio.create_task(work())
            self._tasks[name] = task
            task.add_done_callback(lambda _: self._tasks.pop(name, None))

    async def _knocking(self, proxy: str) -> None:
        opened = await self._knock(self._doors[proxy])
        standing = self._standing.get(proxy)
        if standing is not None:
            self._stand(proxy, knocked(standing, self._clock.monotonic(), opened=opened))

    def _stand(self, proxy: str, now: Standing) -> None:
        """Note how a proxy stands, and tell of it if that changed."""
        before, self._standing[proxy] = self._standing[proxy], now
        self._out += now.out - before.out
        if now.out and (not before.out or now.until > before.until):
            seconds = round(now.until - self._clock.monotonic())
            kind = now.cause.value if now.cause else ""
            proof = "proven" if now.proven else "suspected"
            log.warning("proxy %s is out of use for %.0f s: %s, %s", proxy, seconds, kind, proof)
        elif before.out and not now.out:
            log.info("proxy %s is back in use", proxy)


def serving(places: dict[str, tuple[Proxy, ...]], place: Place) -> tuple[Proxy, ...]:
    """The proxies that serve a place: those in it, or else those that serve any; whoever is nowhere known serves only
    those that demand nothing."""
    if place == ANYWHERE:
        return tuple(dict.fromkeys(proxy for proxies in places.values() for proxy in proxies))
    wanted = str(place)
    there = [proxies for key, proxies in places.items() if key == wanted or key.startswith(f"{wanted}-")]
    return tuple(proxy for proxies in there for proxy in proxies) or places.get(ANY, ())


async def opens(endpoint: Endpoint) -> bool:
    """Whether anybody opens."""
    try:
        async with asyncio.timeout(_KNOCKING):
            _, writer = await asyncio.open_connection(endpoint.host, endpoint.port)
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
