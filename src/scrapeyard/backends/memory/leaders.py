"""Who may act alone, in memory."""

import msgspec

from scrapeyard.ports.leaders import Leader


class MemoryLeaders:
    """Fulfils `scrapeyard.ports.leaders.LeaderBook`. A role given up keeps its version, so no old sight of it fits."""

    def __init__(self) -> None:
        self._roles: dict[str, Leader] = {}

    async def leader(self, role: str) -> Leader | None:
        """Who holds the role."""
        known = self._roles.get(role)
        return known if known and known.holder else None

    async def claim(self, role: str, holder: str, *, seen: Leader | None) -> Leader | None:
        """Take or renew the role."""
        if await self.leader(role) != seen:
            return None
        known = self._roles.get(role)
        claimed = Leader(role, holder, known.version + 1 if known else 1)
        self._roles[role] = claimed
        return claimed

    async def resign(self, role: str, holder: str) -> None:
        """Give the role up."""
        known = self._roles.get(role)
        if known is not None and known.holder == holder:
            self._roles[role] = msgspec.structs.replace(known, holder="", version=known.version + 1)
