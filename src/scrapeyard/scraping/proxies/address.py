"""A proxy's address, in the spellings in which providers hand them out, and the one in which it is used."""

import re
from typing import Final
from urllib.parse import quote, unquote, urlsplit

import msgspec

from scrapeyard.model.errors import BadInput

SCHEMES: Final = frozenset({"http", "https", "socks5", "socks5h"})
_BARE = re.compile(r"(?P<host>[A-Za-z0-9.-]{1,253}):(?P<port>[0-9]{1,5})(?::(?P<user>[^:\s]*):(?P<word>.*))?")


class Endpoint(msgspec.Struct, frozen=True):
    """Where a proxy listens, and who we are to it."""

    scheme: str
    host: str
    port: int
    username: str = ""
    password: str = ""

    @property
    def place(self) -> str:
        """Host and port; may be shown."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address, credentials and all. Names are resolved by the proxy, never by us."""
        scheme = "socks5h" if self.scheme == "socks5" else self.scheme
        who = f"{quote(self.username, safe='')}:{quote(self.password, safe='')}@" if self.username else ""
        return f"{scheme}://{who}{self.place}"


def endpoint(text: str) -> Endpoint:
    """Read `scheme://user:pass@host:port`, `host:port`, or `host:port:user:pass`. `BadInput` does not repeat it."""
    text = text.strip()
    bare = _BARE.fullmatch(text)
    if bare is not None:
        return _checked(Endpoint("http", bare["host"], int(bare["port"]), bare["user"] or "", bare["word"] or ""))
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _unreadable() from error
    if parts.scheme not in SCHEMES or not parts.hostname or port is None:
        raise _unreadable()
    return _checked(
        Endpoint(parts.scheme, parts.hostname, port, unquote(parts.username or ""), unquote(parts.password or ""))
    )


def _checked(found: Endpoint) -> Endpoint:
    if not 0 < found.port < 65_536:
        raise _unreadable()
    return found


def _unreadable() -> BadInput:
    return BadInput(
        "A proxy's address cannot be read; write http://host:port (https, socks5), with user:password@ before the "
        "host if need be, or host:port:user:password."
    )
