"""The dispatcher's end: a small HTTP server over a channel in its own memory.

Whoever may read the ledger finds there where the server is and the word that it asks for; nobody else is let in.
"""

import asyncio
import secrets
import socket
from collections.abc import Awaitable, Callable

import msgspec
import structlog
from aiohttp import web

from scrapeyard.model.errors import StorageError
from scrapeyard.model.fleet import Orders, WorkerReport
from scrapeyard.model.gate import JobView
from scrapeyard.ports.fleet import Fleet

log = structlog.get_logger(__name__)

LARGEST = 16 << 20
"""Bytes of one message; a worker keeps 20,000 outcomes at most."""

pack = msgspec.msgpack.Encoder().encode


class Order(msgspec.Struct, frozen=True, array_like=True):
    """Orders on their way to a worker."""

    worker: str
    orders: Orders


class Host:
    """Serves `inner` at `host`; with port 0 the system chooses one. `word` has to be said by whoever calls."""

    def __init__(self, inner: Fleet, host: str, port: int) -> None:
        self.inner = inner
        self.word = secrets.token_urlsafe(24)
        self._host = host
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def address(self) -> str:
        """Where it listens, once it was opened."""
        assert self._runner is not None
        host, port = self._runner.addresses[0][:2]
        return f"http://{f'[{host}]' if ':' in str(host) else host}:{port}"

    async def open(self) -> None:
        """Begin to listen. A port that somebody has already is exchanged for another."""
        app = web.Application(client_max_size=LARGEST)
        app.router.add_post("/{verb}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        try:
            await self._listen(self._runner, self._port)
        except OSError:
            await self._listen_anywhere(self._runner)

    async def _listen_anywhere(self, runner: web.AppRunner) -> None:
        try:
            await self._listen(runner, 0)
        except OSError as error:
            await self.close()
            raise StorageError(
                f"The live channel cannot listen at {self._host} ({error.strerror}): name an address of this machine "
                "with host=… in the address of what is live."
            ) from error

    async def _listen(self, runner: web.AppRunner, port: int) -> None:
        await web.TCPSite(runner, self._host, port).start()

    async def close(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _answer(self, request: web.Request) -> web.Response:
        said = request.headers.get("Authorization", "")
        if not secrets.compare_digest(said.encode(), f"Bearer {self.word}".encode()):
            return web.Response(status=401)
        verb = self._verbs().get(request.match_info["verb"])
        if verb is None:
            return web.Response(status=404)
        try:
            return web.Response(body=pack(await verb(await request.read())))
        except msgspec.DecodeError as error:
            log.warning("a message on the live channel cannot be read", error=str(error))
            return web.Response(status=400)

    def _verbs(self) -> dict[str, Callable[[bytes], Awaitable[object]]]:
        inner = self.inner

        async def report(body: bytes) -> Orders:
            return await inner.report(msgspec.msgpack.decode(body, type=WorkerReport))

        async def order(body: bytes) -> None:
            said = msgspec.msgpack.decode(body, type=Order)
            await inner.order(said.worker, said.orders)

        async def show(body: bytes) -> None:
            await inner.show(msgspec.msgpack.decode(body, type=list[JobView]))

        return {
            "report": report,
            "order": order,
            "show": show,
            "collect": lambda _: inner.collect(),
            "views": lambda _: inner.views(),
            "roster": lambda _: inner.roster(),
        }


async def own_address(towards: str) -> str:
    """The address of this machine on the way to that one; nothing is sent."""

    def look() -> str:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((towards, 9))
            return str(probe.getsockname()[0])

    try:
        return await asyncio.to_thread(look)
    except OSError as error:
        raise StorageError(f"This machine has no way to {towards} ({error.strerror}): name host=… instead.") from error
