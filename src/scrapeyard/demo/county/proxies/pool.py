"""All proxies of one provider, and the mood they are in.

The datacenter provider sells a list: each proxy has an address of its own. The residential provider has one gateway,
whose user name says what is wanted, in the words that Bright Data uses.
"""

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from scrapeyard.demo.county.proxies.mood import Mood
from scrapeyard.demo.county.proxies.proxy import HOST, Line, Proxy
from scrapeyard.demo.county.setting import Setting
from scrapeyard.demo.county.visitors import Origin, Visitors

USER = "demo"
CUSTOMER, ZONE = "demo", "residential"
_GATEWAY_USER = re.compile(rf"brd-customer-{CUSTOMER}-zone-{ZONE}(-[a-z_]+-[A-Za-z0-9._]+)*")
_LOOK_EVERY = 0.05

Pools = Mapping[Origin, "Pool"]


class Pool:
    """One provider. Whoever opens it must close it."""

    def __init__(self, origin: Origin, count: int, password: str, visitors: Visitors) -> None:
        self.origin = origin
        self._mood = Setting(Mood(), asyncio.get_running_loop().time)
        admits = _admission(origin, password)
        lines = [Line(f"{origin}-{place + 1}", origin, admits) for place in range(count)]
        self.proxies = tuple(Proxy(line, visitors, lambda: self.mood) for line in lines)
        self._tending: asyncio.Task[None] | None = None

    @property
    def mood(self) -> Mood:
        """How it behaves now."""
        return self._mood.value

    @property
    def addresses(self) -> list[str]:
        """Host and port of each proxy, dead or alive."""
        return [f"{HOST}:{proxy.port}" for proxy in self.proxies]

    def turn(self, mood: Mood, seconds: float | None = None) -> None:
        """Behave like this from now on, or only for so many seconds."""
        self._mood.turn(mood, seconds)

    async def open(self) -> None:
        """Take connections."""
        for proxy in self.proxies:
            await proxy.open()
        self._tending = asyncio.create_task(self._tend())

    async def close(self) -> None:
        """Drop all connections and let go of the ports."""
        if self._tending is not None:
            self._tending.cancel()
            await asyncio.gather(self._tending, return_exceptions=True)
        for proxy in self.proxies:
            await proxy.close()

    def told(self) -> dict[str, Any]:
        """How it stands, as JSON."""
        return {
            "mood": self.mood.model_dump(mode="json"),
            "proxies": [
                {"name": one.line.name, "address": address, "alive": one.alive, "requests": one.requests,
                 "failed": one.failed, "wire_bytes": one.wire_bytes}
                for one, address in zip(self.proxies, self.addresses, strict=True)
            ],
        }  # fmt: skip

    async def _tend(self) -> None:
        """Let as many be dead as the mood says, the first ones first; a mood may end by itself."""
        while True:
            dead = round(self.mood.dead * len(self.proxies))
            for place, proxy in enumerate(self.proxies):
                if proxy.alive and place < dead:
                    await proxy.die()
                elif not proxy.alive and place >= dead:
                    await proxy.open()
            await asyncio.sleep(_LOOK_EVERY)


@asynccontextmanager
async def opened(counts: Mapping[Origin, int], password: str, visitors: Visitors) -> AsyncGenerator[Pools]:
    """The pools of all providers for as long as the block lasts."""
    pools = {origin: Pool(origin, count, password, visitors) for origin, count in counts.items() if count}
    try:
        for pool in pools.values():
            await pool.open()
        yield pools
    finally:
        for pool in pools.values():
            await pool.close()


def _admission(origin: Origin, password: str) -> Callable[[str, str], bool]:
    def known(user: str) -> bool:
        return user == USER if origin is Origin.DATACENTER else _GATEWAY_USER.fullmatch(user) is not None

    return lambda user, said: secrets.compare_digest(said.encode(), password.encode()) and known(user)
