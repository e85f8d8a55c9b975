"""Operations on alerts: rules that tell people, and what they have told."""

import msgspec

from scrapeyard.controller.api.door import Call, Door, Operation
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.once import once
from scrapeyard.model.access import Scope
from scrapeyard.model.alert import Rule, RuleView, Tested, ToldPage


class ToldQuery(msgspec.Struct, frozen=True):
    """Which messages: those after the id `after`, or since a time, oldest first."""

    after: str = ""
    since: float = 0.0
    limit: int = 100


class AlertRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._desk = office.service.alerts

    def add_to(self, door: Door) -> None:
        """Add them all."""
        one = "/v1/alerts/{alert}"
        door.add(Operation("POST /v1/alerts", Scope.OPERATE, takes=Rule, gives=RuleView, status=201), self.create_alert)
        door.add(Operation("GET /v1/alerts", Scope.READ, gives=list[RuleView]), self.list_alerts)
        door.add(Operation(f"GET {one}", Scope.READ, gives=RuleView), self.show_alert)
        door.add(Operation(f"POST {one}/pause", Scope.OPERATE, gives=RuleView), self.pause_alert)
        door.add(Operation(f"POST {one}/resume", Scope.OPERATE, gives=RuleView), self.resume_alert)
        door.add(Operation(f"POST {one}/test", Scope.OPERATE, gives=list[Tested]), self.test_alert)
        door.add(Operation(f"DELETE {one}", Scope.OPERATE, gives=RuleView), self.delete_alert)
        door.add(Operation("GET /v1/alert-log", Scope.READ, asks=ToldQuery, gives=ToldPage), self.list_told)

    async def create_alert(self, call: Call) -> RuleView:
        """Make a rule: what to watch, of which jobs, and which channels of the settings to tell.

        With an `Idempotency-Key` header the same request again gives the same answer, for a day."""

        async def add(asked: Rule, _: str) -> RuleView:
            return await self._desk.add(asked)

        return await once(self._office, call, Rule, RuleView, add)

    async def list_alerts(self, call: Call) -> list[RuleView]:  # noqa: ARG002 - every handler takes its call
        """List all rules by name, with the alarms that stand."""
        return await self._desk.find()

    async def show_alert(self, call: Call) -> RuleView:
        """Show one rule, with the alarms that stand and the messages that are on their way."""
        return await self._desk.get(call.part("alert"))

    async def pause_alert(self, call: Call) -> RuleView:
        """Raise nothing and send nothing until it is resumed."""
        return await self._desk.pause(call.part("alert"))

    async def resume_alert(self, call: Call) -> RuleView:
        """Go on."""
        return await self._desk.resume(call.part("alert"))

    async def test_alert(self, call: Call) -> list[Tested]:
        """Send a test at once: through each channel of the rule, or through the channel of that name."""
        return await self._desk.test(call.part("alert"))

    async def delete_alert(self, call: Call) -> RuleView:
        """Forget a rule, with whatever it has not sent yet."""
        return await self._desk.delete(call.part("alert"))

    async def list_told(self, call: Call) -> ToldPage:
        """List what was sent and what was given up, with the reason, oldest first."""
        asked = call.asked(ToldQuery)
        return ToldPage(tuple(await self._desk.told(after=asked.after, since=asked.since, limit=asked.limit)))
