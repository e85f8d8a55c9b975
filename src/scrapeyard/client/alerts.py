"""The desk of alerts, at a controller."""

from urllib.parse import quote

from scrapeyard.client.line import Line
from scrapeyard.model import wire
from scrapeyard.model.alert import Rule, RuleView, Tested, Told, ToldPage


class RestAlerts:
    """Fulfils `scrapeyard.ports.alerts.AlertDesk`."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def add(self, rule: Rule) -> RuleView:
        """A new rule."""
        return await self._line.post("/v1/alerts", RuleView, rule, once=True)

    async def find(self) -> list[RuleView]:
        """All of them."""
        return await self._line.get("/v1/alerts", list[RuleView])

    async def get(self, name: str) -> RuleView:
        """One of them."""
        return await self._line.get(_at(name), RuleView)

    async def pause(self, name: str) -> RuleView:
        """Raise nothing, send nothing."""
        return await self._line.post(f"{_at(name)}/pause", RuleView)

    async def resume(self, name: str) -> RuleView:
        """Go on."""
        return await self._line.post(f"{_at(name)}/resume", RuleView)

    async def delete(self, name: str) -> RuleView:
        """Forget it."""
        return wire.read(await self._line.ask("DELETE", _at(name)), RuleView)

    async def test(self, name: str) -> list[Tested]:
        """Send a test from there."""
        return await self._line.post(f"{_at(name)}/test", list[Tested])

    async def told(self, *, after: str = "", since: float = 0.0, limit: int = 100) -> list[Told]:
        """What was sent and what was given up."""
        found = await self._line.get("/v1/alert-log", ToldPage, after=after or None, since=since, limit=limit)
        return list(found.told)


def _at(name: str) -> str:
    return f"/v1/alerts/{quote(name, safe='')}"
