"""What the chaos runs scrape: nothing outside; items that take a while, and a few that harm their process.

Every start and end is written to a file with the process id, one short append each, so that the tool can count
what was really executed, whatever the ledger says.
"""

import asyncio
import os
import time
from pathlib import Path

from scrapeyard import Inputs, Page, Record, scraper

LOG = Path(os.environ["CHAOS_LOG"])


class Task(Inputs):
    key: str
    seconds: float
    deed: str = ""


class Note(Record):
    key: str
    deed: str


def tell(what: str, key: str) -> None:
    line = f"{what} {key} {os.getpid()}\n".encode()
    descriptor = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


@scraper("chaos.task", site="nowhere", key=["key"], rate=None, concurrency=None)
async def task(item: Task) -> Page:
    tell("start", item.key)
    match item.deed:
        case "block":
            time.sleep(3600)  # noqa: ASYNC251 - that is the deed
        case "die":
            os._exit(7)
        case "eat":
            hoard: list[bytes] = []
            while True:
                hoard.append(os.urandom(1 << 20) * 16)
                await asyncio.sleep(0.005)
        case _:
            await asyncio.sleep(item.seconds)
    tell("end", item.key)
    return Page(f"<p id=key>{item.key}</p>".encode(), url=f"http://nowhere.example/{item.key}")


@task.extractor
def read(item: Task, page: Page) -> Note:
    return Note(key=page.text("#key", must_equal=item.key), deed=item.deed)
