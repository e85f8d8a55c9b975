"""Everything that a controller would answer about a job: every address that can be read, and every page that a link
leads to."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from html import unescape
from urllib.parse import quote, urljoin

import aiohttp

from scrapeyard.wiring import Yard
from scrapeyard.wiring.serving import Controller

MOST = 600
_LINK = re.compile(r'(?:href|src)="([^"#]+)')
_ELSEWHERE = ("{upload}", "{schedule}", "{alert}", "stream", "/v1/linked")
"""What is no part of a job, or does not end."""


async def answers(yard: Yard, job: str, scraper: str, site: str) -> list[tuple[str, bytes]]:
    """Each answer of the REST API and the dashboard under its address, headers and all."""
    async with _served(yard) as base, aiohttp.ClientSession() as http:
        paths = (await (await http.get(f"{base}/openapi.json")).json())["paths"]
        given = {"{job}": job, "{scraper}": scraper, "{site}": site}
        todo = ["/", f"/jobs/{job}", f"/jobs/{job}/items"]
        readable = [path for path, verbs in paths.items() if "get" in verbs]
        readable = [path for path in readable if not any(part in path for part in _ELSEWHERE)]
        todo += [re.sub(r"\{\w+\}", lambda part: given[part[0]], path) for path in readable]
        items = await (await http.get(f"{base}/v1/jobs/{job}/items?limit=100")).json()
        for key in [quote(item["key"], safe="") for item in items["items"]]:
            todo.append(f"/v1/jobs/{job}/item?key={key}")
            todo += [f"/v1/jobs/{job}/capture?key={key}&name={name}" for name in ("last", "page")]
        found: dict[str, bytes] = {}
        while todo and len(found) < MOST:
            path = todo.pop(0)
            if path in found:
                continue
            async with http.get(base + path) as answer:
                body = await answer.read()
                found[path] = repr(dict(answer.headers)).encode() + body
                if answer.content_type == "text/html":
                    links = (urljoin(path, unescape(link)) for link in _LINK.findall(body.decode()))
                    todo += [link for link in links if link.startswith("/") and "export" not in link]
        return list(found.items())


@asynccontextmanager
async def _served(yard: Yard) -> AsyncGenerator[str]:
    server = Controller(yard)
    await server.open()
    running = asyncio.create_task(server.run())
    try:
        yield server.address
    finally:
        server.stop()
        await running
