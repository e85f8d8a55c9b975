"""The desk of schedules, at a controller."""

from urllib.parse import quote

from scrapeyard.client.line import Line
from scrapeyard.model import wire
from scrapeyard.model.schedule import KeptList, Schedule, ScheduleView


class RestSchedules:
    """Fulfils `scrapeyard.ports.schedules.ScheduleDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def keep_list(self, body: bytes) -> KeptList:
        """Hand a list in; the same one twice is kept once."""
        return wire.read(await self._line.ask("POST", "/v1/lists", body, again=True), KeptList)

    async def add(self, schedule: Schedule) -> ScheduleView:
        """A new schedule."""
        return await self._line.post("/v1/schedules", ScheduleView, schedule, once=True)

    async def find(self) -> list[ScheduleView]:
        """All of them."""
        return await self._line.get("/v1/schedules", list[ScheduleView])

    async def get(self, name: str) -> ScheduleView:
        """One of them."""
        return await self._line.get(_at(name), ScheduleView)

    async def pause(self, name: str) -> ScheduleView:
        """Let nothing begin."""
        return await self._line.post(f"{_at(name)}/pause", ScheduleView)

    async def resume(self, name: str) -> ScheduleView:
        """Go on with the next due time."""
        return await self._line.post(f"{_at(name)}/resume", ScheduleView)

    async def run(self, name: str) -> ScheduleView:
        """Be due now."""
        return await self._line.post(f"{_at(name)}/run", ScheduleView)

    async def delete(self, name: str) -> ScheduleView:
        """Forget it."""
        return wire.read(await self._line.ask("DELETE", _at(name)), ScheduleView)


def _at(name: str) -> str:
    return f"/v1/schedules/{quote(name, safe='')}"
