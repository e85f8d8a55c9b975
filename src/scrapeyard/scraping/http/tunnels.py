"""Why would a proxy not open a tunnel?

A client that is refused a tunnel tells only that; what the provider said stands in an answer that it throws away. It
makes all the difference: wrong credentials are for a person to mend, a spent balance is to be waited for, a target
that the provider forbids must not be tried by other exits, and a lost exit only wants another one. So the proxy is
asked once more, by hand, for the answer alone.
"""

import asyncio
import base64
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from urllib.parse import unquote, urlsplit

from scrapeyard.decisions.proxied import refusal
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.http.client import Request
from scrapeyard.scraping.http.troubles import trouble

MOST: Final = 16 << 10
"""Bytes of an answer's head that are read."""
PATIENCE: Final = 5.0
_WORDS: Final = ("x-brd-err-msg", "x-brd-error", "x-luminati-error", "proxy-status")


def refused(request: Request, status: int, headers: Mapping[str, str]) -> VisitError:
    """The error that a proxy's answer to a request for a tunnel stands for. Names of headers are in lower case."""
    kind = refusal(status, headers)
    error = proxy_trouble(kind, request)
    said = next((headers[name] for name in _WORDS if name in headers), "")
    if not said:
        return error
    return VisitError(f"{error} It says: {' '.join(said.split())}", kind=kind)


def proxy_trouble(kind: Kind, request: Request) -> VisitError:
    """The error of that kind, about a request through a proxy."""
    of_proxy = kind is Kind.PROXY_AUTH and request.proxy is not None
    return trouble(kind, request.proxy.id if of_proxy and request.proxy else request.url)


async def asked_again(request: Request, proxy: Proxy, tls: ssl.SSLContext | None = None) -> VisitError:
    """Ask for the tunnel once more, and give the error that the answer stands for."""
    try:
        async with asyncio.timeout(min(PATIENCE, request.total)):
            status, headers = await _answer(request.url, proxy.url, tls)
    except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):  # a time-out is an OSError
        return trouble(Kind.PROXY_ERROR, request.url)
    return refused(request, status, headers)


async def _answer(url: str, proxy: str, tls: ssl.SSLContext | None) -> tuple[int, dict[str, str]]:
    door, target = urlsplit(proxy), urlsplit(url)
    secure = (tls or ssl.create_default_context()) if door.scheme == "https" else None
    port = door.port or (443 if secure else 80)
    reader, writer = await asyncio.open_connection(door.hostname, port, limit=MOST, ssl=secure)
    try:
        host = f"[{target.hostname}]" if ":" in (target.hostname or "") else target.hostname
        where = f"{host}:{target.port or 443}"
        lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}"]
        if door.username is not None:
            who = f"{unquote(door.username)}:{unquote(door.password or '')}"
            lines.append(f"Proxy-Authorization: Basic {base64.b64encode(who.encode()).decode()}")
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        return _read(await reader.readuntil(b"\r\n\r\n"))
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def _read(head: bytes) -> tuple[int, dict[str, str]]:
    first, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ", 2)
    if not words[0].startswith("HTTP/") or len(words) < 2:
        raise ValueError("That is no answer.")
    pairs = (line.partition(":") for line in rest)
    return int(words[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}
