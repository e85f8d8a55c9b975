"""Operations on schedules: jobs that begin by themselves."""

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.once import once
from scrapeyard.controller.api.operation import Operation
from scrapeyard.controller.service.schedules import LARGEST_LIST
from scrapeyard.model.access import Scope
from scrapeyard.model.schedule import KeptList, Schedule, ScheduleView


class ScheduleRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._desk = office.service.schedules

    def add_to(self, door: Door) -> None:
        """Add them all."""
        one = "/v1/schedules/{schedule}"
        kept = Operation(
            "POST /v1/lists", Scope.OPERATE, gives=KeptList, status=201, media=("application/octet-stream",)
        )
        door.add(kept, self.keep_list)
        made = Operation("POST /v1/schedules", Scope.OPERATE, takes=Schedule, gives=ScheduleView, status=201, once=True)
        door.add(made, self.create_schedule)
        door.add(Operation("GET /v1/schedules", Scope.READ, gives=list[ScheduleView]), self.list_schedules)
        door.add(Operation(f"GET {one}", Scope.READ, gives=ScheduleView), self.show_schedule)
        door.add(Operation(f"POST {one}/pause", Scope.OPERATE, gives=ScheduleView), self.pause_schedule)
        door.add(Operation(f"POST {one}/resume", Scope.OPERATE, gives=ScheduleView), self.resume_schedule)
        door.add(Operation(f"POST {one}/run", Scope.OPERATE, gives=ScheduleView), self.run_schedule)
        door.add(Operation(f"DELETE {one}", Scope.OPERATE, gives=ScheduleView), self.delete_schedule)

    async def keep_list(self, call: Call) -> KeptList:
        """Hand in a list for schedules as the body: CSV, JSON lines, Parquet or a workbook, at most 64 MiB."""
        return await self._desk.keep_list(await call.bytes(LARGEST_LIST))

    async def create_schedule(self, call: Call) -> ScheduleView:
        """Make a schedule. It says over what it runs by exactly one of `list`, `file` and `items`.

        With an `Idempotency-Key` header the same request again gives the same answer, for a day."""

        async def add(asked: Schedule, _: str) -> ScheduleView:
            return await self._desk.add(asked)

        return await once(self._office, call, Schedule, ScheduleView, add)

    async def list_schedules(self, call: Call) -> list[ScheduleView]:  # noqa: ARG002 - every handler takes its call
        """List all schedules by name."""
        return await self._desk.find()

    async def show_schedule(self, call: Call) -> ScheduleView:
        """Show one schedule: when it is due next, and what came of its latest due times."""
        return await self._desk.get(call.part("schedule"))

    async def pause_schedule(self, call: Call) -> ScheduleView:
        """Let nothing begin until it is resumed."""
        return await self._desk.pause(call.part("schedule"))

    async def resume_schedule(self, call: Call) -> ScheduleView:
        """Go on with the next due time; those that passed meanwhile are not made up for."""
        return await self._desk.resume(call.part("schedule"))

    async def run_schedule(self, call: Call) -> ScheduleView:
        """Be due now, once more, even while it is paused. The job begins within seconds, if a clerk is there."""
        return await self._desk.run(call.part("schedule"))

    async def delete_schedule(self, call: Call) -> ScheduleView:
        """Forget a schedule. Its jobs stay."""
        return await self._desk.delete(call.part("schedule"))
