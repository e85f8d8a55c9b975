"""One Redis or Valkey, met through a few connections that all tasks of this process share.

A connection may have been broken off long ago and tell so only when it is used; so what may harmlessly be done twice
is asked once more on another one. Everything here may be lost, but leave for requests must not be doubled.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from redis import exceptions as said
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from scrapeyard.backends.redis.trouble import FOREIGN, in_our_words
from scrapeyard.model.address import shown
from scrapeyard.model.errors import Refused, StorageError

_OLDEST_SERVER = (6, 2)
"""The first with XAUTOCLAIM and with LPOP of several."""

_ANSWER = 5.0
"""Seconds after which an answer counts as lost: all of ours take milliseconds."""

_CONNECTIONS = 8
_PREFIX = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_OPTIONS = frozenset({"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"})
"""What else an address may ask for; it goes to the driver."""


class Address(NamedTuple):
    """Where a server is. `target` is what the driver is told; `where` may be shown."""

    target: str
    where: str
    prefix: str = "scrapeyard"


def address_of(text: str) -> Address:
    """`redis://user:password@host:port/number?prefix=…`, or `rediss://` for TLS."""
    parts = urlsplit(text)
    options = dict(parse_qsl(parts.query))
    prefix = options.pop("prefix", Address._field_defaults["prefix"])
    if not _PREFIX.fullmatch(prefix):
        raise Refused(f"{prefix[:80]!r} cannot be a prefix: use letters, digits and _ . -, at most 100.")
    if strange := sorted(options.keys() - _OPTIONS):
        known = ", ".join(("prefix", *sorted(_OPTIONS)))
        raise Refused(f"{strange[0][:80]!r} is no option of {shown(text)}: there are {known}.")
    number = parts.path.strip("/")
    if not parts.hostname or (number and not (number.isascii() and number.isdigit())):
        raise Refused(f"{shown(text)!r} is no address of a Redis: write redis://host:port/0.")
    return Address(urlunsplit(parts._replace(query=urlencode(options))), shown(text), prefix)


class Server:
    """Words go in, answers come out. Every key begins with the prefix, in braces: a cluster keeps them together."""

    def __init__(self, driver: Any, address: Address) -> None:
        self._driver = driver  # Any: the driver's types are those of its two halves at once, waiting and blocking
        self.where = address.where
        self._prefix = f"{{{address.prefix}}}:"
        self._scripts: dict[str, Any] = {}
        self._closed = False

    def key(self, name: str) -> str:
        """A key of ours."""
        return self._prefix + name

    async def ask(self, *words: str | bytes | float, harmless: bool = True) -> Any:
        """One command. `harmless` says that it may be done twice."""
        return await self._translated(lambda: self._driver.execute_command(*words), harmless)

    async def run(
        self, script: str, keys: Sequence[str], words: Sequence[str | bytes | float], *, harmless: bool = True
    ) -> Any:
        """A script, which the server runs as one step."""
        if script not in self._scripts:
            self._scripts[script] = self._driver.register_script(script)
        return await self._translated(lambda: self._scripts[script](keys=keys, args=words), harmless)

    async def close(self) -> None:
        """Let go of the connections. Closing twice is no error."""
        if not self._closed:
            self._closed = True
            await self._driver.aclose()

    async def _translated(self, asking: Callable[[], Awaitable[Any]], harmless: bool) -> Any:
        if self._closed:
            raise StorageError(f"{self.where} is closed already: open it again.", final=True)
        try:
            try:
                return await asking()
            except said.ConnectionError:
                if not harmless:
                    raise
                return await asking()
        except FOREIGN as error:
            raise in_our_words(error, self.where) from error


async def open_server(text: str) -> Server:
    """Connect. Open it after a fork, never before."""
    address = address_of(text)
    try:
        pools: Any = BlockingConnectionPool  # its options have no types
        pool = pools.from_url(
            address.target,
            max_connections=_CONNECTIONS,
            timeout=_ANSWER,
            socket_timeout=_ANSWER,
            socket_connect_timeout=_ANSWER,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=30,
        )
    except ValueError as error:
        raise Refused(f"{address.where!r} is no address of a Redis: write redis://host:port/0.") from error
    server = Server(Redis(connection_pool=pool), address)
    try:
        found: dict[str, Any] = await server.ask("INFO", "server")
        version = str(found.get("redis_version", "0"))
        if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < _OLDEST_SERVER:
            raise Refused(f"This is Redis {version}: use {'.'.join(map(str, _OLDEST_SERVER))} or newer, or a Valkey.")
    except BaseException:
        await server.close()
        raise
    return server
