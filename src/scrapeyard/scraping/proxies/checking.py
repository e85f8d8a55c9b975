"""Do these proxies work, now, from here? Each is asked for one small page, which many sites give that tell an address.

A connection that opens proves little: only an answer of somebody beyond shows that our credentials are good, that the
balance is not spent, and where one comes out.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import msgspec

from scrapeyard.decisions.classify import diagnose, observe
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.secret import Redaction
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.http.client import Client, Request

PATIENCE: Final = 15.0
AT_ONCE: Final = 16
SHOWN: Final = 60
LONGEST: Final = 400
_LARGEST: Final = 4 << 10


class Checked(msgspec.Struct, frozen=True):
    """What came of one proxy. `said` is the start of the page, which tells the exit, or what went wrong."""

    proxy: str
    kind: Kind | None
    ms: int
    said: str

    @property
    def works(self) -> bool:
        """Whether a page came through it."""
        return self.kind is None


async def check(proxies: Sequence[Proxy], client: Client, url: str, redaction: Redaction) -> AsyncGenerator[Checked]:
    """Ask for the page through each of them, a few at once, and tell as the answers come."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(proxy: Proxy) -> Checked:
        async with places:
            begun = time.monotonic()
            kind, said = await _asked(proxy, client, url)
            clean = redaction.text(" ".join(said.split()))
            return Checked(
                proxy.id, kind, round((time.monotonic() - begun) * 1000), clean[:SHOWN] if not kind else clean
            )

    for answer in asyncio.as_completed([one(proxy) for proxy in proxies]):
        yield await answer


async def _asked(proxy: Proxy, client: Client, url: str) -> tuple[Kind | None, str]:
    try:
        async with asyncio.timeout(PATIENCE):
            reply = await client.send(Request("GET", url, {"accept": "*/*"}, None, proxy, PATIENCE, PATIENCE))
            body = b""
            async for piece in reply.chunks():
                body += piece
                if len(body) > _LARGEST:
                    await reply.close()
                    break
    except VisitError as error:
        return error.failure, str(error)
    except TimeoutError:
        return Kind.TIMEOUT_READ, f"No answer within {PATIENCE:g} s."
    found = diagnose(observe(None, status=reply.status, headers=dict(reply.headers), proxied=True))
    said = body[:_LARGEST].decode("utf-8", "replace")
    return (found.kind, f"It answered {reply.status}. {said}") if found else (None, said)
