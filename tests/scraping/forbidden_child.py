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


async def reached(common: Common, url: str) -> str:
    """What came of asking for this address."""
    exchange = Exchange(common, Free(), "site.example")
    try:
        arrival = await exchange.send(Request("GET", url, common.headers, None, None, TIMES.total, TIMES.idle))
        return f"answered {arrival.status}: {(await arrival.whole())[:20]!r}"
    except VisitError as error:
        return error.failure.value


async def main(name: str, folder: Path, site: str, port: str) -> None:
    egress = Egress(frozenset({80, 443, int(port)}), (site,))
    names.time = Jump  # pyright: ignore[reportAttributeAccessIssue] - the answer of a name lasts a minute
    client = (AiohttpClient if name == "aiohttp" else WreqClient)(TIMES, egress=egress, lookup=Resolver())
    options = HttpOptions(folder)
    common = Common(client, TIMES, options.limits, egress, options.headers())
    own = site.rpartition(":")[2]
    cases: list[tuple[str, str]] = []
    for spelled in SPELLED:
        url = spelled.replace("\\t", "\t").replace("\\n", "\n").replace("\\u00ad", "\u00ad").replace("PORT", port)
        cases += [("plain", url), ("redirect", f"http://{site}/?to={quote(url)}")]
    for place in range(len(RESOLVED)):
        now = f"http://now-{place}.example:{port}/"
        cases += [("name", now), ("redirect to a name", f"http://{site}/?to={quote(now)}")]
        cases += [("turning name, first", f"http://later-{place}.example:{own}/?close=1")]
    for case, url in cases:
        print(json.dumps({"case": case, "url": url, "came": await reached(common, url)}), flush=True)
    Jump.by = names.LASTS + 1
    for place in range(len(RESOLVED)):
        url = f"http://later-{place}.example:{own}/?close=1"
        print(json.dumps({"case": "turning name, then", "url": url, "came": await reached(common, url)}), flush=True)
    await client.close()


asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]))
