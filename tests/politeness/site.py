"""A small site that keeps a log of its own: what it was asked, and when. Beside it, processes that visit it."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

COMMAND = str(Path(sys.executable).with_name("scrapeyard"))
ROBOTS = "/robots.txt"


class Entry(NamedTuple):
    """One line of the site's log."""

    at: float
    path: str
    agent: str


class LoggedSite:
    """A site whose pages are all alike."""

    def __init__(self) -> None:
        self.log: list[Entry] = []
        self.base = ""
        self.answer: Callable[[web.Request], web.Response] = lambda request: web.Response(
            text=f"<h1>{request.path}</h1>", content_type="text/html"
        )

    @property
    def visits(self) -> list[Entry]:
        """What was asked for beside robots.txt."""
        return [entry for entry in self.log if entry.path != ROBOTS]

    async def handle(self, request: web.Request) -> web.Response:
        self.log.append(Entry(time.monotonic(), request.path, request.headers.get("user-agent", "")))
        return self.answer(request)


@asynccontextmanager
async def logged_site() -> AsyncGenerator[LoggedSite]:
    """A site on loopback."""
    site = LoggedSite()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    site.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield site
    finally:
        await runner.cleanup()


@contextmanager
def roles(folder: Path, names: Mapping[str, int], **env: str) -> Generator[None]:
    """So many processes of each role, working in `folder`/data; ended the hard way."""
    running: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "SCRAPEYARD_DATA": str(folder / "data"), **env}
    for role, count in names.items():
        for number in range(count):
            with (folder / f"{role}-{number}.log").open("ab") as log:
                running.append(
                    subprocess.Popen(
                        [COMMAND, role], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                        cwd=folder, start_new_session=True,
                    )
                )  # fmt: skip
    try:
        yield
    finally:
        for process in running:
            process.kill()  # a worker's scraping processes end by themselves when it is gone
            process.wait()


async def until(holds: Callable[[], bool], seconds: float) -> None:
    """Wait for what other processes do."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - other processes set no event here
            await asyncio.sleep(0.05)


def as_setting(*places: Path) -> str:
    """A list of paths as an environment variable has it."""
    return json.dumps([str(place) for place in places])


def most_in(seconds: float, times: list[float]) -> int:
    """The largest number of moments within any such length of time."""
    most = start = 0
    for end, moment in enumerate(times):
        while moment - times[start] >= seconds:
            start += 1
        most = max(most, end - start + 1)
    return most


def fewest_in(seconds: float, times: list[float], first: float, last: float) -> int:
    """The smallest number of moments within any such length of time between two moments."""
    marks = [first, *(moment + 1e-6 for moment in times if first <= moment <= last - seconds)]
    return min(sum(mark <= moment < mark + seconds for moment in times) for mark in marks)
