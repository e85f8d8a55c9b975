"""Names looked up by us, judged, and pinned: a request connects to an address that was judged, or to none.

A name that is harmless in the text of an address may resolve to a cloud's credential service, and to something else
a moment later. So the client never looks up a name by itself: it is told the addresses that passed.
"""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.egress import Egress, how_to_open
from scrapeyard.scraping.http.troubles import trouble
from scrapeyard.scraping.reach import Number, Reach, reach_of

Lookup = Callable[[str], Awaitable[Sequence[str]]]

LASTS: Final = 60.0
"""Seconds that an answer is used. The resolver's own cache knows better; this spares a thread per request."""
STALE: Final = 600.0
"""Seconds that an old answer stands in for a failed lookup."""
MOST: Final = 4_096


class Names:
    """The addresses of hosts, as far as they may be reached from here."""

    def __init__(self, egress: Egress, timeout: float, lookup: Lookup | None = None) -> None:
        self._egress = egress
        self._timeout = timeout
        self._lookup = lookup or look_up
        self._known: dict[tuple[str, int], tuple[float, tuple[Number, ...]]] = {}

    def known(self, host: str, port: int) -> tuple[Number, ...] | None:
        """The addresses of a host that was looked up lately."""
        known = self._known.get((host, port))
        return known[1] if known is not None and known[0] > time.monotonic() else None

    async def addresses(self, host: str, port: int) -> tuple[Number, ...]:
        """Every address of a host that may be reached at that port; DNS if there is none, DENIED if none is allowed."""
        known = self.known(host, port)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(self._timeout):
                found = await self._lookup(host)
        except TimeoutError as error:
            raise trouble(Kind.TIMEOUT_CONNECT, host) from error
        except (OSError, UnicodeError) as error:
            old = self._known.get((host, port))
            if old is not None and old[0] + STALE > time.monotonic():
                return old[1]  # a resolver's hiccup; these addresses were judged before
            raise trouble(Kind.DNS, host) from error
        numbers = tuple(dict.fromkeys(ip_address(text) for text in found))
        if not numbers:
            raise trouble(Kind.DNS, host)
        allowed = tuple(number for number in numbers if self._egress.admits(number, port))
        if not allowed:
            raise VisitError(f"{host} resolves to {numbers[0]}, which {_why_not(numbers[0], port)}.", kind=Kind.DENIED)
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[host, port] = (time.monotonic() + LASTS, allowed)
        return allowed


def _why_not(number: Number, port: int) -> str:
    reach = reach_of(number)
    if reach is Reach.PUBLIC:
        return f"may not be visited at port {port}: add it to `ports` under [http] in the settings"
    if reach is Reach.NEVER:
        return "is reserved or a cloud's own service, which no scraper may reach"
    return how_to_open(reach, str(number), port)


async def look_up(host: str) -> list[str]:
    """What the machine's own resolver says, hosts file included."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(address[4][0]) for address in found]


@lru_cache(maxsize=4_096)
def _place_of_start(start: str) -> tuple[str, int]:
    parts = urlsplit(start)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def place_of(url: str) -> tuple[str, int]:
    """Host and port of an address in normal form."""
    return _place_of_start(url[: url.find("/", 8)])
