"""What can be asked of the record of deeds. Nobody can change it through any door."""

from typing import Protocol

from scrapeyard.model.audit import Deed


class AuditDesk(Protocol):
    """Deeds in the order in which they were written down."""

    async def find(self, *, after: str = "", since: float = 0.0, limit: int = 100) -> list[Deed]:
        """The deeds after that id, or since that time, oldest first."""
        ...
