"""The desk of keeping, at a controller."""

from scrapeyard.client.line import Line
from scrapeyard.model.retention import Pruned, PruneRequest


class RestRetention:
    """Fulfils `scrapeyard.ports.retention.RetentionDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def prune(self, *, dry_run: bool = True) -> Pruned:
        """Remove what is too old, or say what that would free."""
        return await self._line.post("/v1/prune", Pruned, PruneRequest(dry_run))
