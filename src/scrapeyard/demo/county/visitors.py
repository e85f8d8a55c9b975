"""Where a visitor comes from, which is what a bot defence looks at first.

Real sites look an address up in lists of data centres and of providers' lines. On one machine every visitor has the
same address, so the proxies here write each connection that they open into this register, by the port it leaves from;
whoever is not in it came directly. Nothing in the request says so, and no visitor can pretend.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum

Address = tuple[str, int]


class Origin(StrEnum):
    """What a visitor's address is known as."""

    DIRECT = "direct"
    DATACENTER = "datacenter"
    RESIDENTIAL = "residential"


class Visitors:
    """The connections that proxies hold open to the county, and how many requests came from where."""

    def __init__(self) -> None:
        self._known: dict[Address, Origin] = {}
        self.requests: Counter[str] = Counter()

    @contextmanager
    def leaving(self, address: Address, origin: Origin) -> Generator[None]:
        """A proxy's connection leaves from this address for as long as the block lasts."""
        self._known[address] = origin
        try:
            yield
        finally:
            del self._known[address]

    def origin(self, address: Address) -> Origin:
        """Where the visitor at the other end of a connection comes from."""
        return self._known.get(address[:2], Origin.DIRECT)
