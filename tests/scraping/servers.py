"""Real servers on loopback, as well or as badly behaved as a test needs them."""

import asyncio
import base64
import contextlib
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trustme
from hypercorn.asyncio import serve as hypercorn_serve
from hypercorn.config import Config

Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter
Handler = Callable[["Asked", Writer], Awaitable[None]]


class Asked:
    """One request as it came over the wire."""

    def __init__(self, head: bytes, body: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = first.split(" ", 2)
        self.lines = [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines if line)]
        self.headers = dict(self.lines)
        self.body = body


class Server:
    """A running server and what it was asked."""

    def __init__(self, scheme: str, host: str = "127.0.0.1") -> None:
        self.scheme = scheme
        self.host = host
        self.port = 0
        self.asked: list[Asked] = []
        self.connections = 0

    def url(self, path: str = "/", host: str | None = None) -> str:
        return f"{self.scheme}://{host or self.host}:{self.port}{path}"


@asynccontextmanager
async def serving(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncGenerator[Server]:
    """A server that hands each request to `handler`, which writes the raw answer; connections stay open."""
    server = Server("https" if tls else "http")
    writers: set[Writer] = set()

    async def connected(reader: Reader, writer: Writer) -> None:
        server.connections += 1
        writers.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked = Asked(head[:-4], b"")
                asked.body = await reader.readexactly(int(asked.headers.get("content-length", "0")))
                server.asked.append(asked)
                await handler(asked, writer)
                await writer.drain()
                if writer.is_closing():
                    break
        writer.close()

    running = await asyncio.start_server(connected, server.host, 0, ssl=tls, limit=1 << 20)
    server.port = running.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        running.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0)


def answer(body: bytes = b"hello", status: str = "200 OK", **headers: str) -> bytes:
    """A whole answer with its length."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n{lines}\r\n".encode("latin-1") + body


def chunked(*pieces: bytes, **headers: str) -> bytes:
    """A whole answer without a length."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n{lines}\r\n".encode("latin-1")
    return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def always(raw: bytes, *, then_close: bool = False) -> Handler:
    """Answer everything with these bytes."""

    async def handle(asked: Asked, writer: Writer) -> None:
        writer.write(raw)
        if then_close:
            await writer.drain()
            writer.close()

    return handle


class Certificates:
    """An authority of our own and a certificate for loopback."""

    def __init__(self, folder: Path) -> None:
        authority = trustme.CA()
        self._leaf = authority.issue_cert("127.0.0.1", "localhost", "site.example")
        self.trust = folder / "authority.pem"
        self.chain, self.key = folder / "chain.pem", folder / "key.pem"
        authority.cert_pem.write_to_path(self.trust)
        self._leaf.private_key_pem.write_to_path(self.key)
        self.chain.write_bytes(b"".join(blob.bytes() for blob in self._leaf.cert_chain_pems))

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._leaf.configure_cert(context)
        return context


@asynccontextmanager
async def http2(certificates: Certificates, body: bytes) -> AsyncGenerator[Server]:
    """A server that speaks HTTP/2 over TLS and tells in a header which version it was asked in."""
    server = Server("https")

    async def app(scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        if scope["type"] == "http":
            version = scope["http_version"].encode()
            headers = [(b"content-length", b"%d" % len(body)), (b"spoken", version), (b"content-type", b"text/html")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})

    stop = asyncio.Event()
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.certfile, config.keyfile = str(certificates.chain), str(certificates.key)
    config.accesslog = config.errorlog = None
    config.graceful_timeout = 0.1
    sockets = config.create_sockets()
    sockets.secure_sockets[0].listen()  # from now on nobody is refused, though nobody answers yet
    server.port = sockets.secure_sockets[0].getsockname()[1]
    config.bind = [f"fd://{sockets.secure_sockets[0].fileno()}"]
    task = asyncio.create_task(hypercorn_serve(app, config, shutdown_trigger=stop.wait))  # pyright: ignore[reportArgumentType] - its protocol for apps is untyped
    try:
        yield server
    finally:
        stop.set()
        await task
        for one in sockets.secure_sockets:
            one.detach()  # closed by the server, which was given its number


@asynccontextmanager
async def proxy(user: str = "", password: str = "", tls: ssl.SSLContext | None = None) -> AsyncGenerator[Server]:
    """A forward proxy: plain requests and CONNECT, with credentials if any. It resolves names as 127.0.0.1."""
    server = Server("https" if tls else "http")
    wanted = base64.b64encode(f"{user}:{password}".encode()).decode()
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: Reader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task
        tasks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked = Asked(head[:-4], b"")
                server.asked.append(asked)
                if user and asked.headers.get("proxy-authorization") != f"Basic {wanted}":
                    writer.write(answer(b"who?", "407 Proxy Authentication Required", proxy_authenticate="Basic"))
                    await writer.drain()
                    continue
                if asked.method == "CONNECT":
                    there = await asyncio.open_connection("127.0.0.1", int(asked.target.rpartition(":")[2]))
                    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                    await joined((reader, writer), there)
                    break
                authority, slash, path = asked.target.removeprefix("http://").partition("/")
                there = await asyncio.open_connection("127.0.0.1", int(authority.rpartition(":")[2]))
                kept = [line for line in asked.lines if not line[0].startswith("proxy-")]
                lines = "".join(f"{name}: {value}\r\n" for name, value in kept)
                there[1].write(f"{asked.method} {slash}{path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
                await joined((reader, writer), there)
                break
        writer.close()

    running = await asyncio.start_server(connected, server.host, 0, ssl=tls)
    server.port = running.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        running.close()
        await ended(tasks)


@asynccontextmanager
async def socks5(user: str, password: str) -> AsyncGenerator[Server]:
    """A SOCKS5 server with user and password. It resolves every name as 127.0.0.1."""
    server = Server("socks5")
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: Reader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task
        tasks.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            _, count = await reader.readexactly(2)
            methods = await reader.readexactly(count)
            if 2 not in methods:
                writer.write(b"\x05\xff")
                return
            writer.write(b"\x05\x02")
            await reader.readexactly(1)
            names = [(await reader.readexactly((await reader.readexactly(1))[0])).decode() for _ in range(2)]
            writer.write(b"\x01\x00" if names == [user, password] else b"\x01\x01")
            if names != [user, password]:
                await writer.drain()
                writer.close()
                return
            _, _, _, kind = await reader.readexactly(4)
            length = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
            target = await reader.readexactly(length)
            port = int.from_bytes(await reader.readexactly(2), "big")
            server.asked.append(Asked(b"CONNECT x SOCKS\r\n", target))
            there = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
            await joined((reader, writer), there)
        writer.close()

    running = await asyncio.start_server(connected, server.host, 0)
    server.port = running.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        running.close()
        await ended(tasks)


async def joined(here: tuple[Reader, Writer], there: tuple[Reader, Writer]) -> None:
    """Carry bytes both ways until either end closes."""

    async def carry(reader: Reader, writer: Writer) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()

    ways = [asyncio.create_task(carry(here[0], there[1])), asyncio.create_task(carry(there[0], here[1]))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await ended(set(ways))
        there[1].close()


async def ended(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
