"""One AWS service that speaks JSON, met over a few connections that all tasks of this process share.

AWS answers "slow down" as a matter of course, and connections break. Both are met here with growing pauses, and never
reach an item: what does not pass within the patience becomes an error of our storage, and whoever asked tries again.
"""

import asyncio
import random
import time
from typing import Any

import aiohttp
import msgspec

from scrapeyard.backends.aws.credentials import Identity
from scrapeyard.backends.aws.signing import signed
from scrapeyard.backends.aws.trouble import Refusal, in_our_words, is_passing
from scrapeyard.model.errors import StorageError

Json = dict[str, Any]

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_PATIENCE = 12.0
"""Seconds for which passing trouble is met by trying again."""
_LONGEST_CALL = aiohttp.ClientTimeout(total=40, sock_connect=5, sock_read=35)
_CONNECTIONS = 64
_KIND = "application/x-amz-json-1.0"


class Service:
    """A service at an endpoint. `family` is the name of its API in requests, `place` its region and signing name."""

    def __init__(
        self, endpoint: str, family: str, place: tuple[str, str], *, patience: float = _PATIENCE, kind: str = _KIND
    ) -> None:
        self.endpoint = endpoint.rstrip("/") + "/"
        self.region = place[0]
        self._family = family
        self._place = place
        self._patience = patience
        self._identity = Identity()
        self._session: aiohttp.ClientSession | None = None
        self._kind = kind
        self._closed = False

    async def call(self, action: str, said: Json) -> Json:
        """Ask for something; gives the answer, or raises a `Refusal` that is the caller's to judge."""
        body = msgspec.json.encode(said)
        until = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            try:
                return await self._once(action, body)
            except Refusal as refusal:
                if not is_passing(refusal):
                    raise
                trouble: Exception = refusal
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                trouble = error
            if time.monotonic() + pause > until:
                raise in_our_words(trouble, self.endpoint) from trouble
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads those who try again
            pause = min(_LONGEST_PAUSE, pause * 2)

    async def _once(self, action: str, body: bytes) -> Json:
        session = self._opened()
        credentials = await self._identity.credentials(session)
        headers = {"content-type": self._kind, "x-amz-target": f"{self._family}.{action}"}
        headers = signed(credentials, self._place, self.endpoint, body, headers, time.time())
        async with session.post(self.endpoint, data=body, headers=headers) as answer:
            text = await answer.read()
            status = answer.status
        if status == 200:
            return msgspec.json.decode(text, type=Json) if text else {}
        raise Refusal.read(status, text)

    def _opened(self) -> aiohttp.ClientSession:
        if self._closed:
            raise StorageError(f"{self.endpoint} is closed already: open it again.", final=True)
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=_CONNECTIONS, keepalive_timeout=30)
            self._session = aiohttp.ClientSession(connector=connector, timeout=_LONGEST_CALL, trust_env=True)
        return self._session

    async def close(self) -> None:
        """Let go of the connections. Closing twice is no error."""
        self._closed = True
        session, self._session = self._session, None
        if session is not None:
            await session.close()
