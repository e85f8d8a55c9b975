"""Everything that a demo finds outside of Scrapeyard: the county and its proxies, in a process of their own.

A script turns them over the county's back door while the job runs, as the weather turns, and Scrapeyard is not told.
"""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import aiohttp

from scrapeyard.demo.county.__main__ import VARIABLE
from scrapeyard.model.errors import Refused

_PATIENCE = 30.0


class Ground(NamedTuple):
    """What the county is like at first, and how many proxies of each provider it brings."""

    parcels: int = 2_000
    seed: int = 7
    faults: str = "calm"
    datacenter: int = 0
    residential: int = 0


class Outside:
    """The county as one can speak to it from a script."""

    def __init__(self, address: str, password: str, web: aiohttp.ClientSession) -> None:
        self.address = address
        self.password = password
        self._web = web

    async def turn(self, seconds: float | None = None, **change: Any) -> None:
        """Change how the site behaves, for good or for so many seconds."""
        await self._told("faults", change | _for(seconds))

    async def upset(self, seconds: float | None = None, **moods: Any) -> None:
        """Change the mood of the providers that are named, for good or for so many seconds."""
        await self._told("proxies", moods | _for(seconds))

    async def stats(self) -> dict[str, dict[str, int]]:
        """What the site itself counted: `requests` by route, `faults` served, `visitors` by origin."""
        return await self._told("stats")

    async def proxies(self, provider: str) -> list[dict[str, Any]]:
        """The proxies of a provider: name, address, traffic, whether alive."""
        return (await self._told("proxies")).get(provider, {"proxies": []})["proxies"]

    async def _told(self, what: str, change: dict[str, Any] | None = None) -> dict[str, Any]:
        method = "GET" if change is None else "POST"
        async with self._web.request(method, f"{self.address}/_county/{what}", json=change) as answer:
            told: dict[str, Any] = await answer.json()
        if answer.status != 200:
            raise Refused(f"The make-believe county refuses that: {told.get('error')}")
        return told


@asynccontextmanager
async def outside(ground: Ground) -> AsyncGenerator[Outside]:
    """The county for as long as the block lasts; its process ends with this one, whatever ends this one."""
    password = os.environ.get(VARIABLE) or secrets.token_hex(8)
    flags = [word for name, value in ground._asdict().items() for word in (f"--{name}", str(value))]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "scrapeyard.demo.county", "--until-eof", *flags,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={**os.environ, VARIABLE: password},
        start_new_session=True,  # Ctrl-C is for us: the county must stay for the items that may still end
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_PATIENCE):
            address = (await process.stdout.readline()).decode().strip()
        if not address:
            raise Refused("The make-believe county did not start; run `python -m scrapeyard.demo.county` to see why.")
        async with aiohttp.ClientSession() as web:
            yield Outside(address, password, web)
    except TimeoutError as error:
        raise Refused(f"The make-believe county did not start within {_PATIENCE:g} s; try again.") from error
    finally:
        process.stdin.close()
        try:
            async with asyncio.timeout(_PATIENCE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def _for(seconds: float | None) -> dict[str, float]:
    return {} if seconds is None else {"seconds": seconds}
