"""The two shapes of a provider: a list of proxies, each a machine of its own, or one door with many exits behind it."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.model.place import Place
from scrapeyard.scraping.proxies.address import Endpoint

ANY = "*"
"""Proxies under this word serve every place."""
UNPLACED = ""
"""Proxies under this word are nobody knows where: they serve whoever demands no place."""


class NoProxy(VisitError):
    """Nothing in the settings serves what was demanded. A request of its own accord is never the answer to that."""

    kind = Kind.NO_PROXY


Roll = Mapping[str, Sequence[Endpoint]]
"""Proxies by place."""


class Source(Protocol):
    """A list of proxies."""

    async def roll(self) -> Roll:
        """All of them, now. `VisitError` with a kind of the proxy's own if they cannot be had."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Gateway(Protocol):
    """One address behind which a provider keeps many exits, told apart by a word that we choose."""

    def exit(self, place: Place, word: str) -> str:
        """The address for this word, credentials and all: the same word, the same exit. `NoProxy` if the place cannot
        be served."""
        ...
