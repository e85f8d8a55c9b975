"""Bodies made to hurt: each gets its kind, none the memory or the time it wants (peak at most the cap and 64 MiB)."""

import asyncio
import gzip
import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import brotli
import pytest
import zstandard
from isal import isal_zlib

from scraping.servers import Asked, Handler, Server, Writer, answer, serving
from scraping.visiting import HOSTILE_LIMITS as LIMITS
from scraping.visiting import HOSTILE_TIMEOUTS as TIMEOUTS

HERE = Path(__file__).parent
MIB = 1 << 20
ZEROS = bytes(MIB)


WIDE = zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters.from_level(1, window_log=27))


def packed(compressor: Any, write: str, times: int) -> bytes:
    """So many MiB of nothing, compressed."""
    feed: Callable[[bytes], bytes] = getattr(compressor, write)
    return (
        b"".join([feed(ZEROS) for _ in range(times)])
        + (compressor.finish if write == "process" else compressor.flush)()
    )


BOMBS = {
    "gzip_bomb": ("gzip", lambda: packed(isal_zlib.compressobj(1, 8, 31), "compress", 1024)),
    "deflate_bomb": ("deflate", lambda: packed(isal_zlib.compressobj(1, 8, 15), "compress", 512)),
    "many_members": ("gzip", lambda: gzip.compress(ZEROS, 1) * 1024),
    "br_bomb": ("br", lambda: packed(brotli.Compressor(quality=3), "process", 96)),
    "zstd_bomb": ("zstd", lambda: packed(zstandard.ZstdCompressor(level=1).compressobj(), "compress", 512)),
    "zstd_window": ("zstd", lambda: packed(WIDE.compressobj(), "compress", 140)),
    "long_line_packed": ("gzip", lambda: isal_zlib.compress(b"x" * (100 * MIB), 1, 31)),
    "file_bomb": ("gzip", lambda: isal_zlib.compress(b"%PDF-1.4" + bytes(300 * MIB), 1, 31)),
}


def nested(times: int) -> bytes:
    body = b"hello"
    for _ in range(times):
        body = gzip.compress(body)
    return body


def full_page() -> bytes:
    """Just below the cap, and packed as a page is: about eleven to one."""
    return b"".join(os.urandom(4_000) + bytes(40_000) for _ in range(48 * MIB // 44_000))


async def endless(asked: Asked, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        await writer.drain()


async def promised(asked: Asked, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n")
    while not writer.is_closing():
        writer.write(ZEROS)
        await writer.drain()


async def until_close(asked: Asked, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for _ in range(100):
        if writer.is_closing():
            return
        writer.write(b"x" * MIB)
        await writer.drain()
    writer.close()


async def drip(asked: Asked, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(1)


async def dripping_head(asked: Asked, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nx: ")
    while not writer.is_closing():
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.2)


async def continuing(asked: Asked, writer: Writer) -> None:
    while not writer.is_closing():
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)
        await writer.drain()
        await asyncio.sleep(0.01)


def simply(raw: bytes) -> Handler:
    async def handle(asked: Asked, writer: Writer) -> None:
        writer.write(raw)
        await writer.drain()
        writer.close()

    return handle


def encoded(body: bytes, encoding: str) -> bytes:
    return answer(body, content_encoding=encoding, content_type="text/html")


CASES: dict[str, tuple[set[str | None], Handler]] = {
    "endless": ({"too_large"}, endless),
    "promised": ({"too_large"}, promised),
    "until_close": ({"too_large"}, until_close),
    "drip": ({"timeout_read"}, drip),
    "dripping_head": ({"timeout_read"}, dripping_head),
    "continuing": ({"timeout_read", "too_large", "bad_body"}, continuing),
    "header_flood": ({"too_large"}, simply(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1_000_000 + b"\r\n")),
    "long_header": ({"too_large"}, simply(b"HTTP/1.1 200 OK\r\na: " + b"x" * (20 * MIB) + b"\r\n\r\n")),
    "cookie_flood": ({"too_large"}, simply(b"HTTP/1.1 200 OK\r\n" + b"set-cookie: a=b\r\n" * 9_000 + b"\r\n")),
    "circle": ({"http_status"}, simply(answer(b"", "302 Found", location="/circle?again=1", connection="close"))),
    "fat_circle": (
        {"http_status"},
        simply(answer(b"x" * (5 * MIB), "302 Found", location="/fat_circle", connection="close")),
    ),
    "long_location": ({"too_large"}, simply(answer(b"", "302 Found", location="/" + "x" * 30_000))),
    "nested": ({"bad_body"}, simply(encoded(nested(10), ", ".join(["gzip"] * 10)))),
    "not_gzip": ({"bad_body"}, simply(encoded(b"<html>hello", "gzip"))),
    "not_br": ({"bad_body"}, simply(encoded(b"<html>hello", "br"))),
    "not_zstd": ({"bad_body"}, simply(encoded(b"<html>hello", "zstd"))),
    "cut_gzip": ({"bad_body"}, simply(encoded(gzip.compress(os.urandom(50_000))[:-5000], "gzip"))),
    "cut_deflate": ({"bad_body"}, simply(encoded(zlib.compress(os.urandom(50_000))[:-5000], "deflate"))),
    "wrong_charset": ({None}, simply(answer(os.urandom(MIB), content_type="text/html; charset=utf-16"))),
    "no_charset": ({None}, simply(answer(os.urandom(MIB), content_type="text/html; charset=nonsense"))),
    "deep": ({None}, simply(answer(b"<div>" * 200_000, content_type="text/html"))),
    "unread_full_page": ({None}, simply(encoded(isal_zlib.compress(full_page(), 1, 31), "gzip"))),
}


async def hostile(asked: Asked, writer: Writer) -> None:
    await HANDLERS[asked.target.partition("?")[0].strip("/")](asked, writer)


HANDLERS: dict[str, Handler] = {name: handler for name, (_, handler) in CASES.items()}


@pytest.mark.parametrize("client", ["wreq", "aiohttp"])
async def test_hostile_bodies_get_their_kind_and_nothing_else(client: str, tmp_path: Path) -> None:
    for name, (encoding, make) in BOMBS.items():
        if name not in HANDLERS:
            HANDLERS[name] = simply(encoded(make(), encoding))
    wanted: dict[str, set[str | None]] = {
        name: {"bad_body"} if name == "zstd_window" else {"too_large"} for name in BOMBS
    }
    wanted |= {name: kinds for name, (kinds, _) in CASES.items()}  # the honest page comes last
    async with serving(hostile) as server:
        for told in await fetched(client, server, tmp_path, list(wanted)):
            assert told["kind"] in wanted.pop(told["name"]), told
            assert told["seconds"] <= TIMEOUTS.total + 2, told
            caps = 2 if told["name"] == "unread_full_page" else 1  # an honest page near the cap is copied once
            assert told["peak"] <= caps * LIMITS.decoded / MIB + 64, told
    assert wanted == {}
    assert files_in(tmp_path) == []


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def fetched(client: str, server: Server, folder: Path, names: list[str]) -> Iterator[dict[str, Any]]:
    cases = [f"{name}={server.url('/' + name)}" for name in names]
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        str(HERE / "hostile_child.py"),
        client,
        str(folder),
        *cases,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )
    said, _ = await child.communicate()
    return map(json.loads, said.splitlines())
