"""The desk of alerts: rules are made, looked at and tried here; the clerk watches by them."""

import asyncio
import secrets
from collections.abc import Sequence

import msgspec

from scrapeyard.controller.service.notes import Notes
from scrapeyard.decisions.alerts import checked
from scrapeyard.model.alert import Alarm, Rule, RuleView, Tested, Told
from scrapeyard.model.errors import BadInput, NotFound, NotSent
from scrapeyard.model.event import event_id
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.notify import Channels, Notice

TOLD = "told/"
MOST_TOLD = 500
"""Messages that one question is answered with; `after` asks for the next."""


class NoChannels:
    """Fulfils `scrapeyard.ports.notify.Channels` where nobody can be told."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset()

    async def send(self, name: str, notice: Notice) -> None:
        """Nobody is there."""
        del notice
        raise NotSent(f"There is no channel {name!r} here.", final=True)

    async def close(self) -> None:
        """Nothing was opened."""


class LocalAlerts:
    """Fulfils `scrapeyard.ports.alerts.AlertDesk`."""

    def __init__(self, memos: MemoBook, channels: Channels, clock: Clock) -> None:
        self._memos = memos
        self._notes = rule_notes(memos)
        self._channels = channels
        self._clock = clock

    async def add(self, rule: Rule) -> RuleView:
        """A new rule."""
        checked(rule)
        for name in rule.to:
            self._known(name)
        now = self._clock.now()
        return await self._notes.make(rule.name, RuleView(rule, now, seen=event_id(now, 0.0)))

    async def find(self) -> list[RuleView]:
        """All of them."""
        return await self._notes.all()

    async def get(self, name: str) -> RuleView:
        """One of them."""
        return await self._notes.get(name)

    async def pause(self, name: str) -> RuleView:
        """Raise nothing, send nothing."""
        return await self._notes.change(name, lambda view: msgspec.structs.replace(view, paused=True))

    async def resume(self, name: str) -> RuleView:
        """Go on. What happened meanwhile is not told."""
        seen = event_id(self._clock.now(), 0.0)
        return await self._notes.change(
            name, lambda view: msgspec.structs.replace(view, paused=False, seen=seen) if view.paused else view
        )

    async def delete(self, name: str) -> RuleView:
        """Forget it."""
        return await self._notes.delete(name)

    async def test(self, name: str) -> list[Tested]:
        """Send a test."""
        if any(view.rule.name == name for view in await self._notes.all()):
            names: Sequence[str] = (await self._notes.get(name)).rule.to
        else:
            names = (self._known(name),)
        return list(await asyncio.gather(*(self._tested(one, name) for one in names)))

    async def told(self, *, after: str = "", since: float = 0.0, limit: int = 100) -> list[Told]:
        """What was sent and what was given up."""
        if limit < 1 or not after.isprintable() or not after.isascii() or len(after) > 100:
            raise BadInput("Ask for 1 message or more, after the `id` of the last one that you have seen.")
        start = after or event_id(max(0.0, since), 0.0)
        memos = await self._memos.under(TOLD, after=f"{TOLD}{start}", limit=min(limit, MOST_TOLD))
        return [msgspec.json.decode(memo.body, type=Told) for memo in memos]

    async def _tested(self, channel: str, rule: str) -> Tested:
        now = self._clock.now()
        words = f"This is a test of the channel {channel}; nothing has happened."
        notice = Notice(secrets.token_hex(12), rule, now, "Scrapeyard: a test", words, (Alarm("test", now, words),))
        try:
            await self._channels.send(channel, notice)
        except NotSent as trouble:
            return Tested(channel, str(trouble))
        return Tested(channel)

    def _known(self, name: str) -> str:
        if name not in self._channels.names:
            known = ", ".join(sorted(self._channels.names)) or "there is none yet"
            raise NotFound(f"There is no channel {name[:40]!r} ({known}): add [channels.{name[:40]}] to the settings.")
        return name


def rule_notes(memos: MemoBook) -> Notes[RuleView]:
    """Where rules are kept."""
    return Notes(memos, "alert", RuleView)
