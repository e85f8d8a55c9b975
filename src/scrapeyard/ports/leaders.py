"""Who may act alone: one active dispatcher per deployment, by a lease that needs no clock of the store."""

from typing import Protocol

import msgspec


class Leader(msgspec.Struct, frozen=True):
    """The present holder of a role. `version` changes with every renewal; an observer judges by that alone."""

    role: str
    holder: str
    version: int


class LeaderBook(Protocol):
    """Compare-and-set on a named role."""

    async def leader(self, role: str) -> Leader | None:
        """Who holds the role, if anybody."""
        ...

    async def claim(self, role: str, holder: str, *, seen: Leader | None) -> Leader | None:
        """Take or renew the role, if it still is as `seen`; None when it has changed meanwhile."""
        ...

    async def resign(self, role: str, holder: str) -> None:
        """Give the role up, if `holder` has it."""
        ...
