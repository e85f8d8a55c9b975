"""What can be asked of alerts: rules, what they have told, and whether it would arrive."""

from typing import Protocol

from scrapeyard.model.alert import Rule, RuleView, Tested, Told


class AlertDesk(Protocol):
    """Rules by their names. `NotFound` where there is none of a name."""

    async def add(self, rule: Rule) -> RuleView:
        """A new rule. `Conflict` if there is one of that name."""
        ...

    async def find(self) -> list[RuleView]:
        """All of them, by name."""
        ...

    async def get(self, name: str) -> RuleView:
        """One of them, with the alarms that stand."""
        ...

    async def pause(self, name: str) -> RuleView:
        """Raise nothing and send nothing until it is resumed."""
        ...

    async def resume(self, name: str) -> RuleView:
        """Go on."""
        ...

    async def delete(self, name: str) -> RuleView:
        """Forget it, with whatever it has not sent yet."""
        ...

    async def test(self, name: str) -> list[Tested]:
        """Send a test through each channel of a rule, or through the channel of that name; at once."""
        ...

    async def told(self, *, after: str = "", since: float = 0.0, limit: int = 100) -> list[Told]:
        """What was sent and what was given up, oldest first: after that id, or since then."""
        ...
