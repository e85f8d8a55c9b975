"""A robots.txt is asked for once by a whole deployment, and what one process has read holds for all."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from scrapeyard.backends.memory.ledger import MemoryLedger
from scrapeyard.backends.system.clock import SystemClock
from scrapeyard.model.errors import Disallowed
from scrapeyard.scraping.robots import keeper
from scrapeyard.scraping.robots.shared import LARGEST
from scrapeyard.scraping.sessions.shelf import MemoShelf
from scraping.servers import Asked, Server, Writer, answer, serving
from scraping.visiting import Bench, bench

RULES = b"User-agent: *\nDisallow: /private\n"


class Moved(SystemClock):
    """The time of day, moved on."""

    by = 0.0

    def now(self) -> float:
        return super().now() + self.by


class Processes:
    """Several processes of one deployment, and a site that takes a moment to answer."""

    def __init__(self, server: Server, benches: list[Bench], clock: Moved) -> None:
        self.server = server
        self.benches = benches
        self.clock = clock

    async def visit(self, number: int, path: str = "/a") -> Exception | None:
        made = self.benches[number]
        return (await made.visit(lambda http, visit: http.get(self.server.url(path)))).error

    @property
    def asked(self) -> int:
        return sum(asked.target == "/robots.txt" for asked in self.server.asked)


@asynccontextmanager
async def processes(folder: Path, text: bytes, status: str = "200 OK") -> AsyncGenerator[Processes]:
    clock = Moved()
    memos = MemoryLedger().memos

    async def handle(asked: Asked, writer: Writer) -> None:
        if asked.target == "/robots.txt":
            await asyncio.sleep(0.05)
            writer.write(answer(text, status))
        else:
            writer.write(answer())

    ways = [bench(folder / str(one), shelf=MemoShelf(memos, clock), robots={}) for one in range(3)]
    async with serving(handle) as server, ways[0] as first, ways[1] as second, ways[2] as third:
        yield Processes(server, [first, second, third], clock)


async def test_processes_that_begin_together_ask_once(tmp_path: Path) -> None:
    async with processes(tmp_path, RULES) as many:
        assert await asyncio.gather(*(many.visit(one) for one in range(3))) == [None] * 3
        assert isinstance(await many.visit(2, "/private/x"), Disallowed)
        assert many.asked == 1


@pytest.mark.parametrize("status", ["404 Not Found", "200 OK"])
async def test_a_process_that_comes_later_believes_it_for_what_is_left_of_the_day(tmp_path: Path, status: str) -> None:
    async with processes(tmp_path, b"", status) as many:
        await many.visit(0)
        many.clock.by = keeper.LASTS - 100
        await many.visit(1)
        assert many.asked == 1
        many.clock.by = keeper.LASTS + 1
        await many.visit(2)
        assert many.asked == 2


async def test_one_that_could_not_be_read_is_for_the_next_one_to_try(tmp_path: Path) -> None:
    async with processes(tmp_path, b"", "503 Busy") as many:
        assert await many.visit(0) is not None
        assert await many.visit(1) is not None
        assert many.asked == 2


async def test_one_that_is_too_large_to_be_shared_is_read_by_everybody(tmp_path: Path) -> None:
    async with processes(tmp_path, RULES + b"#" * LARGEST) as many:
        for one in range(2):
            assert isinstance(await many.visit(one, "/private/x"), Disallowed)
        assert many.asked == 2
