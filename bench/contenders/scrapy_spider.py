"""Scrapy, tuned as its own guide advises; the words after the folder choose parser, JOBDIR and page cache."""

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
import turbohtml
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from bench.contenders.stopwatch import Stopwatch
from bench.target import AMOUNTS, FIELDS, PAGES

BASE, COUNT, OUT, WORDS = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), set(sys.argv[4:])


class Parcels(scrapy.Spider):
    name = "parcels"
    seen = 0

    async def start(self) -> AsyncIterator[Any]:
        for place in range(COUNT):
            yield scrapy.Request(f"{BASE}/parcel/{place % PAGES}.html?n={place}")

    def parse(self, response: Response, **_: Any) -> Iterator[dict[str, object]]:
        Parcels.seen += 1
        yield self.with_turbo(response) if "turbo" in WORDS else self.with_parsel(response)

    def with_parsel(self, response: Response) -> dict[str, object]:
        row: dict[str, object] = {field: response.css(f"#{field}::text").get() for field in FIELDS}
        return row | {"amounts": response.css(f"{AMOUNTS}::text").getall()}

    def with_turbo(self, response: Response) -> dict[str, object]:
        tree = turbohtml.parse(response.body)
        row: dict[str, object] = {}
        for field in FIELDS:
            found = tree.select_one(f"#{field}")
            row[field] = found.text if found is not None else None
        return row | {"amounts": [cell.text for cell in tree.select(AMOUNTS)]}


SETTINGS: dict[str, Any] = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "FEEDS": {str(OUT / "rows.jsonl"): {"format": "jsonlines"}},
}
if "jobdir" in WORDS:
    SETTINGS["JOBDIR"] = str(OUT / "job")
if "pages" in WORDS:
    SETTINGS |= {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(OUT / "cache"), "HTTPCACHE_GZIP": True}

if __name__ == "__main__":
    process = AsyncCrawlerProcess(SETTINGS)
    watch = Stopwatch()
    process.crawl(Parcels)
    process.start()
    watch.stop(Parcels.seen)
