"""The live channel to whoever leads. Its place stands in the ledger, so nobody has to be told of it.

The leading dispatcher is the one that collects; so whoever collects is the host. When another one takes the lead, it
writes its own place down, and workers find it as soon as the old one is silent or sends them on.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import aiohttp
import msgspec
import structlog

from scrapeyard.backends.direct.host import Host, Order, pack
from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView
from scrapeyard.ports.fleet import Fleet
from scrapeyard.ports.memos import MemoBook

log = structlog.get_logger(__name__)

MEMO = "fleet/host"
_TIMEOUT = aiohttp.ClientTimeout(total=5, sock_connect=2)
_LOOK = 2.0
"""Seconds between two looks into the ledger for the host."""


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where the host is, and the word that it asks for."""

    address: str
    word: str


_decode = msgspec.msgpack.Decoder(Place).decode


class RemoteFleet:
    """Fulfils `scrapeyard.ports.fleet.Fleet` by asking the host. As long as there is none, nobody listens: what is said
    is lost, which the channel may."""

    def __init__(self, memos: MemoBook) -> None:
        self._memos = memos
        self._place: Place | None = None
        self._looked: float | None = None
        self._session: aiohttp.ClientSession | None = None

    async def report(self, report: WorkerReport) -> Orders:
        """Report, and collect the orders."""
        return await self._ask("report", pack(report), Orders, Orders())

    async def collect(self) -> list[WorkerReport]:
        """What was reported since the last time."""
        return await self._ask("collect", b"", list[WorkerReport], [])

    async def order(self, worker: str, orders: Orders) -> None:
        """Leave orders."""
        await self._ask("order", pack(Order(worker, orders)), None, None)

    async def show(self, views: Sequence[JobView]) -> None:
        """Publish."""
        await self._ask("show", pack(list(views)), None, None)

    async def views(self) -> list[JobView]:
        """What was published."""
        return await self._ask("views", b"", list[JobView], [])

    async def roster(self) -> list[WorkerReport]:
        """The last report of each worker."""
        return await self._ask("roster", b"", list[WorkerReport], [])

    async def close(self) -> None:
        """Let go of the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _ask(self, verb: str, body: bytes, kind: Any, nothing: Any) -> Any:
        place = await self._found()
        if place is None:
            return nothing
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=_TIMEOUT)
        headers = {"Authorization": f"Bearer {place.word}"}
        try:
            async with self._session.post(f"{place.address}/{verb}", data=body, headers=headers) as answer:
                text = await answer.read()
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            log.debug("the leading dispatcher does not answer", address=place.address, error=repr(error))
            self._place = None  # it may be another one by now
            return nothing
        if status == 200:
            return msgspec.msgpack.decode(text, type=kind)
        self._place = None
        if status == 401:
            return nothing
        raise StorageError(f"The live channel at {place.address} refuses ({status}): are all of one version?")

    async def _found(self) -> Place | None:
        """Where the host is, as the ledger says; asked now and then while there is none."""
        now = time.monotonic()
        if self._place is None and (self._looked is None or now - self._looked >= _LOOK):
            self._looked = now
            memo = await self._memos.recall(MEMO)
            self._place = _decode(memo.body) if memo is not None else None
        return self._place


class DirectFleet:
    """Fulfils `scrapeyard.ports.fleet.Fleet` for every role: the one that collects is the host, all others ask it."""

    def __init__(self, memos: MemoBook, hosting: Callable[[], Host]) -> None:
        self._memos = memos
        self._hosting = hosting
        self._host: Host | None = None
        self._remote = RemoteFleet(memos)

    async def report(self, report: WorkerReport) -> Orders:
        """Report, and collect the orders."""
        return await self._nearest().report(report)

    async def collect(self) -> list[WorkerReport]:
        """Who collects, hosts."""
        return await (await self._here()).collect()

    async def order(self, worker: str, orders: Orders) -> None:
        """Leave orders."""
        await (await self._here()).order(worker, orders)

    async def show(self, views: Sequence[JobView]) -> None:
        """Publish."""
        await (await self._here()).show(views)

    async def views(self) -> list[JobView]:
        """What was published."""
        return await self._nearest().views()

    async def roster(self) -> list[WorkerReport]:
        """The last report of each worker."""
        return await self._nearest().roster()

    async def close(self) -> None:
        """Let go; workers look for another host then."""
        host, self._host = self._host, None
        if host is not None:
            await host.close()
        await self._remote.close()

    def _nearest(self) -> Fleet:
        return self._host.inner if self._host is not None else self._remote

    async def _here(self) -> Fleet:
        """Be the host, and write down where."""
        if self._host is None:
            host = self._hosting()
            await host.open()
            self._host = host
            place = pack(Place(host.address, host.word))
            while await self._memos.keep(MEMO, place, seen=await self._memos.recall(MEMO)) is None:
                pass  # somebody else wrote at the same moment
            log.info("the live channel is here", address=host.address)
        return self._host.inner
