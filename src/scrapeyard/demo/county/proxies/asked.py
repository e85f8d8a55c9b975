"""What a client asks of a proxy: an address to fetch, or a tunnel. Strangers write it, so all of it is bounded."""

import base64
import binascii
from typing import NamedTuple
from urllib.parse import urlsplit

MOST_HEAD = 32 * 1024
MOST_BODY = 1024 * 1024
_HOP_BY_HOP = frozenset({"proxy-authorization", "proxy-connection", "connection", "keep-alive"})


class Malformed(Exception):
    """No request that a proxy could do anything with; the message says why."""


class Asked(NamedTuple):
    """One request as a client sent it. `path` is empty for a tunnel."""

    host: str
    port: int
    path: str
    method: str
    headers: tuple[tuple[str, str], ...]

    def value(self, name: str) -> str:
        """The value of a header, whose name is given in lower case."""
        return next((value for known, value in self.headers if known.lower() == name), "")

    @property
    def credentials(self) -> tuple[str, str]:
        """User and password; empty if there are none to be read."""
        scheme, _, token = self.value("proxy-authorization").partition(" ")
        try:
            user, _, password = base64.b64decode(token, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return "", ""
        return (user, password) if scheme.lower() == "basic" else ("", "")

    @property
    def length(self) -> int:
        """How long its body is."""
        length = self.value("content-length") or "0"
        if self.value("transfer-encoding") or not (length.isascii() and length.isdigit() and int(length) <= MOST_BODY):
            raise Malformed(f"Say how long the body is; at most {MOST_BODY} bytes.")
        return int(length)

    def rewritten(self) -> bytes:
        """The head as the site gets it: nothing in it tells of the proxy."""
        kept = [f"{name}: {value}" for name, value in self.headers if name.lower() not in _HOP_BY_HOP]
        lines = [f"{self.method} {self.path} HTTP/1.1", *kept, "Connection: close"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def parsed(head: bytes) -> Asked:
    """The request whose head this is."""
    first, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3:
        raise Malformed("That is no request.")
    method, target, _ = words
    tunnel = method == "CONNECT"
    try:
        where = urlsplit(f"//{target}" if tunnel else target)
        port = where.port or 80
    except ValueError as error:
        raise Malformed("That is no address.") from error
    if not where.hostname or not (tunnel or where.scheme == "http"):
        raise Malformed("This is a proxy: ask for a whole http:// address, or for a tunnel with CONNECT.")
    path = "" if tunnel else (where.path or "/") + (f"?{where.query}" if where.query else "")
    headers = tuple((name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in rest))
    return Asked(where.hostname, port, path, method, headers)
