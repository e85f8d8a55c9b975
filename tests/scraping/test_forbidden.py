"""No connection to a forbidden address, however it is spelled or resolved: a listener and the system itself say so.

The listener takes every connection that reaches this machine at its port. What is elsewhere has no listener here; so
each call of `connect` is written down too, and only the allowed site may stand there.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from scraping.forbidden import RESOLVED, SPELLED
from scraping.servers import Asked, Writer, answer, serving

HERE = Path(__file__).parent
_TREE = os.pathsep.join([str(HERE.parents[1] / "src"), str(HERE.parent)])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorder, compiled."""
    made = tmp_path_factory.mktemp("connects") / "connects.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", made, HERE / "connects.c", "-ldl"], check=True)
    return made


@asynccontextmanager
async def canary() -> AsyncGenerator[tuple[int, list[object]]]:
    """A listener at all addresses of this machine, old and new; its port and who came."""
    came: list[object] = []

    async def sings(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(writer.get_extra_info("sockname"))
        writer.write(answer(b"secret"))
        writer.close()

    servers = [await asyncio.start_server(sings, "0.0.0.0", 0)]
    port = servers[0].sockets[0].getsockname()[1]
    with contextlib.suppress(OSError):  # this machine may have no IPv6
        servers.append(await asyncio.start_server(sings, "::1", port))
    try:
        yield port, came
    finally:
        for server in servers:
            server.close()


async def redirects(asked: Asked, writer: Writer) -> None:
    """Send everybody where they ask for."""
    query = parse_qs(urlsplit(asked.target).query)
    if "to" in query:
        raw = query["to"][0].encode().decode("latin-1").replace("\n", "").replace("\r", "")
        writer.write(answer(b"", "302 Found", location=raw))
        return
    writer.write(answer(b"welcome", connection="close"))
    await writer.drain()
    writer.close()


@pytest.mark.parametrize("client", ["wreq", "aiohttp"])
async def test_nothing_forbidden_is_ever_connected_to(tmp_path: Path, library: Path, client: str) -> None:
    record = tmp_path / "record"
    async with serving(redirects) as server, canary() as (port, came):
        site = f"127.0.0.1:{server.port}"
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(HERE / "forbidden_child.py"), client, str(tmp_path), site, str(port),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "LD_PRELOAD": str(library), "CONNECTS": str(record), "PYTHONPATH": _TREE},
        )  # fmt: skip
        async with asyncio.timeout(120):
            printed, _ = await process.communicate()
    assert process.returncode == 0
    told = [json.loads(line) for line in printed.splitlines()]
    kinds = Counter(one["case"] for one in told)
    assert kinds["plain"] == kinds["redirect"] == len(SPELLED) >= 120
    assert kinds["name"] == kinds["turning name, then"] == kinds["turning proxy, then"] == len(RESOLVED)
    assert kinds["proxy"] == len(SPELLED)
    assert came == []
    connected = Counter(line.removeprefix("::ffff:") for line in record.read_text().splitlines())
    assert set(connected) == {f"127.0.0.1 {server.port}"}
    assert sum(connected.values()) >= len(RESOLVED), "the recorder sees what is allowed"
    for one in told:
        assert one["came"] in _expected(one["case"], one["url"]), one


def _expected(case: str, url: str) -> set[str]:
    """Nothing but a refusal, unless it is the allowed site after all."""
    welcome = {"answered 200: b'welcome'"}
    if case.endswith(", first"):
        return welcome
    if case.endswith(", then"):
        number = RESOLVED[int(url.partition("-")[2].partition(".")[0])]
        return welcome if number.removeprefix("::ffff:") == "127.0.0.1" else {"denied"}
    if case == "proxy":
        return {"denied", "scraper_bug"}  # some of these are no address of a proxy at all
    # a Location that is no address by itself is one of the same site
    return welcome | {"denied"} if case == "redirect" else {"denied"}
