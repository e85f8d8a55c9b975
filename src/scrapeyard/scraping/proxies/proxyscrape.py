"""ProxyScrape: free proxies of strangers, each tried before it is lent to anybody.

Whoever runs such a proxy can read and change what passes through it. So the set is off until its settings say
otherwise, and a proxy is used only if a page that everybody can see comes through it exactly as it comes directly.
"""

import asyncio
import random
import re
from collections import defaultdict
from typing import Annotated, Final
from urllib.parse import urlencode

import msgspec

from scrapeyard.model.errors import BadInput, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.egress import Egress
from scrapeyard.scraping.proxies.address import Endpoint, endpoint
from scrapeyard.scraping.proxies.asking import Asking, Opening
from scrapeyard.scraping.proxies.options import ProxyScrapeList
from scrapeyard.scraping.proxies.provider import UNPLACED, NoProxy, Roll
from scrapeyard.scraping.reach import Reach, number_of, reach_of

TRYING: Final = 8.0
"""Seconds that a proxy has to prove itself."""
AT_ONCE: Final = 32
_LINE = re.compile(r"(?:(?:http|https|socks5)://)?[0-9]{1,3}(?:\.[0-9]{1,3}){3}:[0-9]{1,5}")
_COUNTRY = re.compile(r"[a-z]{2}")


class _Somewhere(msgspec.Struct):
    country: Annotated[str, msgspec.Meta(max_length=8)] | None = msgspec.field(default=None, name="countryCode")


class _Given(msgspec.Struct):
    proxy: str
    alive: bool = True
    where: _Somewhere | None = msgspec.field(default=None, name="ip_data")


class _Answer(msgspec.Struct):
    proxies: list[_Given]


class ProxyScrape:
    """Fills Source."""

    def __init__(self, options: ProxyScrapeList, opening: Opening, egress: Egress) -> None:
        """`egress` says where beside public addresses a list may lead us: nobody's list may lead us home."""
        self._options = options
        self._egress = egress
        self._asking = Asking("ProxyScrape", opening)

    async def roll(self) -> Roll:
        """See Source."""
        if not self._options.enabled:
            raise NoProxy("Free proxies of strangers are off; `enabled = true` in their section turns them on.")
        query = {"request": "display_proxies", "proxy_format": "protocolipport", "format": "json"}
        if self._options.countries:
            query["country"] = ",".join(self._options.countries)
        given = _read(await self._asking.text(f"{self._options.endpoint}?{urlencode(query)}"))
        given = [one for one in given if self._may_be(one[1])]
        random.shuffle(given)
        return await self._tried(given[: self._options.most])

    async def close(self) -> None:
        """See Source."""
        await self._asking.close()

    def _may_be(self, one: Endpoint) -> bool:
        try:
            number = number_of(one.host)
        except ValueError:  # 999.1.1.1
            return False
        return number is not None and (reach_of(number) is Reach.PUBLIC or self._egress.admits(number, one.port))

    async def _tried(self, given: list[tuple[str, Endpoint]]) -> Roll:
        """Those through which the page comes as it should."""
        right = await self._asking.text(self._options.check_url)
        places = asyncio.Semaphore(AT_ONCE)

        async def proves(one: Endpoint) -> bool:
            async with places:
                try:
                    seen = await self._asking.text(
                        self._options.check_url, proxy=Proxy(one.place, one.url), total=TRYING
                    )
                except VisitError:
                    return False
            return seen == right

        proven = await asyncio.gather(*(proves(one) for _, one in given))
        found: defaultdict[str, list[Endpoint]] = defaultdict(list)
        for (place, one), good in zip(given, proven, strict=True):
            if good:
                found[place].append(one)
        if not found:
            tried = f"none of {len(given)} free proxies passed its trial" if given else "the list is empty"
            raise VisitError(f"ProxyScrape has nothing for us: {tried}.", kind=Kind.PROXY_EXHAUSTED)
        return found


def _read(text: str) -> list[tuple[str, Endpoint]]:
    """Place and address of each proxy, whether they come as JSON or as lines. What is neither is left out: an error
    page comes with a 200 too."""
    try:
        given = [one for one in msgspec.json.decode(text, type=_Answer).proxies if one.alive]
    except msgspec.DecodeError:
        given = [_Given(line.strip()) for line in text.splitlines()]
    found: list[tuple[str, Endpoint]] = []
    for one in given:
        if not _LINE.fullmatch(one.proxy):
            continue
        country = (one.where.country or "").lower() if one.where else ""
        try:
            found.append((country if _COUNTRY.fullmatch(country) else UNPLACED, endpoint(one.proxy)))
        except BadInput:
            continue
    return found
