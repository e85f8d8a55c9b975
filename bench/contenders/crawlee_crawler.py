"""Crawlee for Python, its ParselCrawler with default client; the words choose file or SQLite storage, and kept pages."""

import asyncio
import os
import sys
from datetime import timedelta

BASE, COUNT, OUT, WORDS = sys.argv[1], int(sys.argv[2]), sys.argv[3], set(sys.argv[4:])
os.environ["CRAWLEE_STORAGE_DIR"] = OUT
os.environ["CRAWLEE_LOG_LEVEL"] = "ERROR"

from crawlee import ConcurrencySettings, service_locator  # noqa: E402 - its settings are read at import
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext  # noqa: E402
from crawlee.storage_clients import FileSystemStorageClient, SqlStorageClient  # noqa: E402

from bench.contenders.stopwatch import Stopwatch  # noqa: E402
from bench.target import AMOUNTS, FIELDS, PAGES  # noqa: E402


async def main() -> None:
    if "sqlite" in WORDS:
        storage = SqlStorageClient(connection_string=f"sqlite+aiosqlite:///{OUT}/crawlee.db")
    else:
        storage = FileSystemStorageClient()
    service_locator.set_storage_client(storage)
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(min_concurrency=64, desired_concurrency=64, max_concurrency=64),
        request_handler_timeout=timedelta(seconds=120),
        configure_logging=False,
    )
    seen = 0

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        nonlocal seen
        seen += 1
        row: dict[str, object] = {field: context.selector.css(f"#{field}::text").get() for field in FIELDS}
        row["amounts"] = context.selector.css(f"{AMOUNTS}::text").getall()
        await context.push_data(row)
        if "pages" in WORDS:
            pages = await context.get_key_value_store()
            page = await context.http_response.read()
            await pages.set_value(f"page-{seen}", page, content_type="text/html")

    requests = [f"{BASE}/parcel/{place % PAGES}.html?n={place}" for place in range(COUNT)]
    await crawler.add_requests(requests)
    watch = Stopwatch()
    await crawler.run()
    watch.stop(seen)


if __name__ == "__main__":
    asyncio.run(main())
