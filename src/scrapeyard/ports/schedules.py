"""What can be asked of schedules: making them, looking at them, letting them rest."""

from typing import Protocol

from scrapeyard.model.schedule import KeptList, Schedule, ScheduleView


class ScheduleDesk(Protocol):
    """Schedules by their names. `NotFound` where there is none of a name."""

    async def keep_list(self, body: bytes) -> KeptList:
        """Hand a list in, over which schedules can run."""
        ...

    async def add(self, schedule: Schedule) -> ScheduleView:
        """A new schedule. `Conflict` if there is one of that name."""
        ...

    async def find(self) -> list[ScheduleView]:
        """All of them, by name."""
        ...

    async def get(self, name: str) -> ScheduleView:
        """One of them, with what came of its latest due times."""
        ...

    async def pause(self, name: str) -> ScheduleView:
        """Let nothing begin until it is resumed."""
        ...

    async def resume(self, name: str) -> ScheduleView:
        """Go on with the next due time; those that passed meanwhile are not made up for."""
        ...

    async def run(self, name: str) -> ScheduleView:
        """Be due now, once more, even while it is paused."""
        ...

    async def delete(self, name: str) -> ScheduleView:
        """Forget it. Its jobs stay."""
        ...
