"""A process of its own that tries to reach forbidden addresses; a line of JSON for each: the case, and what came of it.

Run as `python forbidden_child.py CLIENT FOLDER SITE PORT`. SITE is the one place of this machine that is allowed, a
server that redirects to whatever its query names; at PORT listens the one that nobody may reach.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from scrapeyard.model.errors import VisitError
from scrapeyard.scraping.egress import Egress
from scrapeyard.scraping.http import names
from scrapeyard.scraping.http.aiohttp_client import AiohttpClient
from scrapeyard.scraping.http.client import Request, Timeouts
from scrapeyard.scraping.http.exchange import Common, Exchange
from scrapeyard.scraping.http.options import HttpOptions
from scrapeyard.scraping.http.wreq_client import WreqClient
from scrapeyard.scraping.proxies.own import OwnProxies
from scraping.forbidden import RESOLVED, SPELLED
from scraping.visiting import Free

TIMES = Timeouts(connect=1.0, idle=1.0, total=2.0)


class Resolver:
    """Names as the test has them: `now-X.example` is X; `later-X.example` is the allowed site first, then X."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    async def __call__(self, host: str) -> Sequence[str]:
        when, _, rest = host.partition("-")
        if when not in ("now", "later"):
            return ["127.0.0.1"]
        number = RESOLVED[int(rest.partition(".")[0])]
        first = host not in self.asked
        self.asked.add(host)
        return ["127.0.0.1"] if when == "later" and first else [number]


class Jump:
    """A clock that a test moves on."""

    by = 0.0

    @classmethod
    def monotonic(cls) -> float:
        return time.monotonic() + cls.by


async def reached(common: Common, url: str, proxy: str = "") -> str:
    """What came of asking for this address, through the proxy that an author names."""
    exchange = Exchange(common, Free(), "site.example")
    try:
        assert common.own_proxies
        way = await common.own_proxies.taken(proxy) if proxy else None
        arrival = await exchange.send(Request("GET", url, common.headers, None, way, TIMES.total, TIMES.idle))
        return f"answered {arrival.status}: {(await arrival.whole())[:20]!r}"
    except VisitError as error:
        return error.failure.value


async def told(common: Common, case: str, url: str, site: str) -> None:
    """Print what came of one case; one of a proxy asks it for the allowed site."""
    came = await (reached(common, f"http://{site}/", url) if "proxy" in case else reached(common, url))
    print(json.dumps({"case": case, "url": url, "came": came}), flush=True)


async def main(name: str, folder: Path, site: str, port: str) -> None:
    egress = Egress(frozenset({80, 443, int(port)}), (site,))
    names.time = Jump  # pyright: ignore[reportAttributeAccessIssue] - the answer of a name lasts a minute
    client = (AiohttpClient if name == "aiohttp" else WreqClient)(TIMES, egress=egress, lookup=Resolver())
    options = HttpOptions(folder)
    proxies = OwnProxies(egress, TIMES.connect, Resolver())
    common = Common(client, TIMES, options.limits, egress, options.headers(), own_proxies=proxies)
    own = site.rpartition(":")[2]
    cases: list[tuple[str, str]] = []
    for spelled in SPELLED:
        url = spelled.replace("\\t", "\t").replace("\\n", "\n").replace("\\u00ad", "\u00ad").replace("PORT", port)
        cases += [("plain", url), ("redirect", f"http://{site}/?to={quote(url)}"), ("proxy", url)]
    for place in range(len(RESOLVED)):
        now = f"http://now-{place}.example:{port}/"
        cases += [("name", now), ("redirect to a name", f"http://{site}/?to={quote(now)}")]
        turning = f"later-{place}.example:{own}"
        cases += [("turning name, first", f"http://{turning}/?close=1"), ("turning proxy, first", f"http://{turning}")]
        cases += [("proxy by name", f"socks5://now-{place}.example:{port}"), ("proxy by name", now.rstrip("/"))]
    for case, url in cases:
        await told(common, case, url, site)
    Jump.by = names.LASTS + 1
    for place in range(len(RESOLVED)):
        turning = f"http://later-{place}.example:{own}"
        await told(common, "turning name, then", f"{turning}/?close=1", site)
        await told(common, "turning proxy, then", turning, site)
    await client.close()


asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]))
