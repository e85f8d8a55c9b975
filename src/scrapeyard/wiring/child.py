"""The scraping process, `python -m scrapeyard.wiring.child SOCKET PIPE OPTIONS`; a worker starts it, nobody else."""

import asyncio
import logging
import os
import signal
import socket
import sys
from typing import TextIO, cast

import msgspec
import uvloop

from scrapeyard.backends.system.clock import SystemClock
from scrapeyard.results.writer import SegmentWriter
from scrapeyard.scraping.proxies.pool import open_pool
from scrapeyard.scraping.secrets import Secrets, hide
from scrapeyard.scraping.sessions.pool import SessionPool
from scrapeyard.wiring.blobs import open_blobs
from scrapeyard.wiring.blotted import Blotted
from scrapeyard.wiring.garbage import seldom_searched
from scrapeyard.wiring.scraping import VARIABLE, ScrapingSetup, decoded
from scrapeyard.worker.attempt import Bench
from scrapeyard.worker.channel import Channel, child_end
from scrapeyard.worker.child import Child
from scrapeyard.worker.lines import Line
from scrapeyard.worker.messages import Down, Up
from scrapeyard.worker.options import ChildOptions
from scrapeyard.worker.shelving import AskingShelf
from scrapeyard.worker.watchdog import Watchdog


async def scrape(sock: socket.socket, pipe: int, options: ChildOptions, setup: ScrapingSetup) -> None:
    """Work until the parent says so, or is gone."""
    clock = SystemClock()
    blobs = open_blobs(setup.blobs)
    secrets = Secrets(setup.proxies.secrets, os.environ)
    proxies = open_pool(setup.proxies, secrets, clock, setup.http)
    hide(os.environ)
    sys.stdout, sys.stderr = Blotted(sys.stdout, secrets.redaction), Blotted(sys.stderr, secrets.redaction)
    channel: Channel[Up, Down] = await child_end(sock)
    shelf = AskingShelf(channel.send)
    bench = Bench(
        setup.registry(secrets.resolve, shelf),
        lambda job: SegmentWriter(blobs, job, options.worker, clock),
        clock,
        SessionPool(proxies, shelf, clock, setup.sessions),
        setup.prices,
        secrets.redaction,
    )
    watchdog = Watchdog(asyncio.get_running_loop(), pipe, options.stall_limit)
    child = Child(options, bench, clock, channel)
    child.taken = shelf.told
    child.beat = watchdog.beat
    watchdog.start()
    try:
        with seldom_searched():
            await child.run(os.getpid())
    finally:
        await blobs.close()


class _Now(logging.StreamHandler[TextIO]):
    """Writes to standard error as it is at the moment: secrets are blotted there once they are known."""

    def emit(self, record: logging.LogRecord) -> None:
        self.setStream(cast("TextIO", sys.stderr))
        super().emit(record)


def main(arguments: list[str]) -> None:
    """Take what the parent said out of the environment: it is not meant for author code."""
    setup = decoded(os.environ.pop(VARIABLE))
    options = msgspec.json.decode(arguments[2], type=ChildOptions)
    sock = socket.socket(fileno=int(arguments[0]))
    # both end by word of the parent, which hears of Ctrl-C and SIGTERM first and lets running items end
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    handler = _Now()
    handler.setFormatter(Line(setup.log_format))
    logging.basicConfig(level=setup.log_level.upper(), handlers=[handler])
    uvloop.run(scrape(sock, int(arguments[1]), options, setup))


if __name__ == "__main__":
    main(sys.argv[1:])
