"""The operation that removes what is too old."""

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.operation import Operation
from scrapeyard.model.access import Scope
from scrapeyard.model.retention import Pruned, PruneRequest


class RetentionRoutes:
    """The operation, over one office."""

    def __init__(self, office: Office) -> None:
        self._desk = office.service.retention

    def add_to(self, door: Door) -> None:
        """Add it."""
        door.add(Operation("POST /v1/prune", Scope.ADMIN, takes=PruneRequest, gives=Pruned), self.prune)

    async def prune(self, call: Call) -> Pruned:
        """Remove captures, deeds and entries of the alerts' log that are too old, or say what that would free.

        Without `dry_run: false` nothing is removed."""
        return await self._desk.prune(dry_run=(await call.body(PruneRequest)).dry_run)
