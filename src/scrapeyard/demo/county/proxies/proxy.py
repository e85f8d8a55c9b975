"""One small HTTP proxy with a password: plain requests and CONNECT, to this machine only.

Each request gets a connection of its own to the site, which is slow and simple, and lets the county know every one
of them by the port it leaves from. A proxy that is dead refuses connections but keeps its port, so that it can come
back on it: a socket that is bound and does not listen does just that.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import NamedTuple

from scrapeyard.demo.county.dice import share
from scrapeyard.demo.county.hanging_up import reset
from scrapeyard.demo.county.proxies.asked import MOST_HEAD, Asked, Malformed, parsed
from scrapeyard.demo.county.proxies.mood import TOLD, Mood, ProviderError
from scrapeyard.demo.county.visitors import Origin, Visitors

HOST = "127.0.0.1"
_HERE = frozenset({HOST, "localhost"})
_PATIENCE = 60.0
_PIECE = 64 * 1024
_WANTED = 'Proxy-Authenticate: Basic realm="proxy"'


class Line(NamedTuple):
    """What a proxy is: its name, what its address is known as, and who may use it, by user and password."""

    name: str
    origin: Origin
    admits: Callable[[str, str], bool]


class Proxy:
    """One proxy. `mood` is asked anew for each request."""

    def __init__(self, line: Line, visitors: Visitors, mood: Callable[[], Mood]) -> None:
        self.line = line
        self.port = 0
        self.requests = 0
        self.failed = 0
        self.wire_bytes = 0
        self._visitors = visitors
        self._mood = mood
        self._held: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def alive(self) -> bool:
        """Whether it takes connections."""
        return self._server is not None

    async def open(self) -> None:
        """Take connections, on the same port as before."""
        if self._held is None:
            self._held = self._bound()
        self._server = await asyncio.start_server(self._serve, sock=self._held, limit=MOST_HEAD, backlog=1024)
        self._held = None

    async def die(self) -> None:
        """Drop all connections and refuse new ones."""
        self._held = self._bound()
        self._end()

    async def close(self) -> None:
        """Let go of the port, too."""
        self._end()
        if self._held is not None:
            self._held.close()
            self._held = None

    def _bound(self) -> socket.socket:
        sock = socket.socket()
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):  # the next socket is bound before this one is closed
            sock.setsockopt(socket.SOL_SOCKET, option, 1)
        sock.bind((HOST, self.port))
        self.port = int(sock.getsockname()[1])
        return sock

    def _end(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for task in self._serving:
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._answer(reader, writer)
        except (OSError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError):  # a time-out is an OSError
            writer.transport.abort()  # cancelled is who dies, and nobody waits for this task
        finally:
            self._serving.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._pass_on(parsed(await reader.readuntil(b"\r\n\r\n")), reader, writer)
        except Malformed as why:
            _say(writer, 400, "Bad Request", str(why))

    async def _pass_on(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.line.admits(*asked.credentials):
            _say(
                writer, 407, "Proxy Authentication Required", "Who are you?", 'Proxy-Authenticate: Basic realm="proxy"'
            )
            return
        self.requests += 1
        mood = self._mood()
        if mood.latency:
            await asyncio.sleep(mood.latency)
        if self._fails(writer, mood):
            self.failed += 1
        elif asked.host not in _HERE:
            _provider_error(writer, ProviderError.POLICY)
        else:
            await self._forward(asked, reader, writer)

    def _fails(self, writer: asyncio.StreamWriter, mood: Mood) -> bool:
        """Whether this request ends here. Drawn by its number, so that as many end in every run."""
        point = share(self.line.name, self.requests)
        for error, rate in mood.errors.items():
            point -= rate
            if point < 0:
                _provider_error(writer, error)
                return True
        if point >= mood.flaky:
            return False
        if share(self.line.name, "how", self.requests) < 0.5:
            reset(writer.transport)
        else:
            _say(writer, 502, "Bad Gateway", "The proxy lost its way.")
        return True

    async def _forward(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, away = await asyncio.open_connection(asked.host, asked.port, limit=_PIECE)
        except OSError:
            _say(writer, 502, "Bad Gateway", "Nobody there.", "Proxy-Status: proxy.example; error=connection_refused")
            return
        try:
            with self._visitors.leaving(away.get_extra_info("sockname")[:2], self.line.origin):
                if asked.path:
                    _send(away, asked.rewritten() + await reader.readexactly(asked.length))
                    await self._carry(there, writer)
                else:
                    _send(writer, b"HTTP/1.1 200 Connection established\r\n\r\n")
                    await self._tunnel((reader, away), (there, writer))
        finally:
            away.close()

    async def _tunnel(self, *ways: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        """Carry both ways until one side hangs up."""
        carrying = [asyncio.create_task(self._carry(*way)) for way in ways]
        try:
            await asyncio.wait(carrying, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in carrying:
                task.cancel()
            await asyncio.gather(*carrying, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(_PIECE):
            self.wire_bytes += len(piece)
            _send(writer, piece)
            await writer.drain()


def _provider_error(writer: asyncio.StreamWriter, error: ProviderError) -> None:
    told = TOLD[error]
    _say(
        writer, told.status, told.reason, told.message,
        f'Proxy-Status: gateway.example; error={told.standard}; details="{told.code}: {told.message}"',
        f"x-brd-err-code: {told.code}",
        f"x-brd-err-msg: {told.message}",
    )  # fmt: skip


def _say(writer: asyncio.StreamWriter, status: int, reason: str, text: str, *headers: str) -> None:
    lines = [f"HTTP/1.1 {status} {reason}", *headers, f"Content-Length: {len(text)}", "Connection: close"]
    _send(writer, ("\r\n".join(lines) + "\r\n\r\n" + text).encode())


def _send(writer: asyncio.StreamWriter, piece: bytes) -> None:
    if writer.is_closing():  # one event loop takes no notice of that, the other raises an error of its own
        raise ConnectionResetError
    writer.write(piece)
