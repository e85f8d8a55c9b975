"""What can be asked about keeping: to remove what is too old, or to say what that would free."""

from typing import Protocol

from scrapeyard.model.retention import Pruned


class RetentionDesk(Protocol):
    """Removes nothing that a job under way, or one whose time has not come, refers to."""

    async def prune(self, *, dry_run: bool = True) -> Pruned:
        """Remove what is too old; a dry run says what that would free. One that was cut off is gone on with."""
        ...
