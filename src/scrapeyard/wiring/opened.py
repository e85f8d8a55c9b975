"""What one process has opened so far, so that a server that keeps two things is opened once: connections are scarce."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Protocol, TypeVar, cast

from scrapeyard.ports.ledger import Ledger


class Closable(Protocol):
    """A connection, or several."""

    async def close(self) -> None: ...


Server = TypeVar("Server", bound=Closable)


class Opened:
    """Closed in reverse order by `closing`."""

    def __init__(self, closing: AsyncExitStack) -> None:
        self._closing = closing
        self._servers: dict[str, Closable] = {}
        self._ledger: Ledger | None = None

    @property
    def ledger(self) -> Ledger:
        """The ledger, which is opened first, for what keeps a note in it."""
        assert self._ledger is not None
        return self._ledger

    @ledger.setter
    def ledger(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def kept(self, thing: Server) -> Server:
        """The thing itself, which will be closed too."""
        self._closing.push_async_callback(thing.close)
        return thing

    async def once(self, address: str, opening: Callable[[str], Awaitable[Server]]) -> Server:
        """What is at this address; `opening` is always the same for one address."""
        if address not in self._servers:
            self._servers[address] = self.kept(await opening(address))
        return cast("Server", self._servers[address])
