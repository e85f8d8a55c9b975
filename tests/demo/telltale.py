"""A proxy that tells everybody what it knows of us, in every place and spelling; and the search for what it told."""

import base64
import gzip
import zlib
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote, quote_plus

import pyarrow.parquet

from scraping.servers import Asked, Server, Writer, answer, serving


@asynccontextmanager
async def telltale() -> AsyncGenerator[Server]:
    """Answers whoever asks with their own credentials: as an error of the proxy, as a wall, as a page of the site."""
    told = 0

    async def handle(asked: Asked, writer: Writer) -> None:
        nonlocal told
        told += 1
        token = asked.headers.get("proxy-authorization", "").partition(" ")[2]
        user, _, word = base64.b64decode(token).decode().partition(":")
        spelled = f"{word} {quote(word, safe='')} {quote_plus(word)} {token} {base64.b64encode(word.encode()).decode()}"
        body = (
            f"<html><body><h1>Hello {user}</h1><p>{spelled}</p>http://{user}:{quote(word)}@gate.example</body></html>"
        )
        line = spelled.encode("ascii", "backslashreplace").decode()
        known = {"x_hello": line, "set_cookie": f"who={quote(word)}"}
        if user.startswith("wall"):
            writer.write(answer(body.encode(), "403 Forbidden", **known))
        elif told % 6:
            blame = {
                "x_brd_err_code": "peer_30010",
                "x_brd_err_msg": line,
                "proxy_status": f'x; error=proxy_internal_error; details="{line}"',
            }
            writer.write(answer(body.encode(), "502 Bad Gateway", **known, **blame))
        else:
            writer.write(answer(body.encode(), content_type="text/html", **known))

    async with serving(handle) as server:
        yield server


def spellings(word: str) -> set[bytes]:
    """What to look for: the word, as in addresses and forms, and in base64 wherever it begins there."""
    plain = {word, quote(word, safe=""), quote(word), quote_plus(word)}
    packed = set[str]()
    for lead in range(3):
        code = base64.b64encode(b"x" * lead + word.encode() + b"x" * ((-lead - len(word.encode())) % 3)).decode()
        packed.add(code[4 if lead else 0 : len(code) - 4])
    return {one.encode() for one in plain | packed | {one.replace("+", "-").replace("/", "_") for one in packed}}


def everything(folder: Path) -> Iterable[tuple[str, bytes]]:
    """Each file of a folder, byte for byte, and unpacked where it is packed."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        raw = path.read_bytes()
        yield path.name, raw
        if raw.startswith(b"\x1f\x8b"):
            yield f"{path.name}, unpacked", unpacked(raw)
        elif raw.startswith(b"PAR1"):
            yield f"{path.name}, as rows", repr(pyarrow.parquet.read_table(path).to_pylist()).encode()


def unpacked(raw: bytes) -> bytes:
    """All members one after the other."""
    try:
        return gzip.decompress(raw)
    except (EOFError, zlib.error):  # the last one is torn; what can be had of it is had
        out = b""
        while raw:
            reader = zlib.decompressobj(31)
            out += reader.decompress(raw)
            raw = reader.unused_data
        return out
