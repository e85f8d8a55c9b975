"""The duty of telling: messages that are due are sent, tried again when they are not taken, and written down.

Between a channel's taking a message and our writing that down a process may die, and nobody can know which of the two
came last. The message is then sent once more, a minute later, under the id that it had: twice is better than never.
"""

import msgspec
import structlog

from scrapeyard.controller.service.alerts import TOLD, rule_notes
from scrapeyard.decisions.alerts import gathered, put_off, sendable
from scrapeyard.model.alert import Message, RuleView, Told
from scrapeyard.model.errors import NotSent
from scrapeyard.model.event import event_id
from scrapeyard.model.figures import counted
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.notify import Channels, Notice

log = structlog.get_logger(__name__)

_MOST_SHOWN = 20


class Messages:
    """Fulfils `scrapeyard.controller.clerk.clerk.Duty`. `base` is where people find the dashboard."""

    def __init__(self, memos: MemoBook, channels: Channels, clock: Clock, *, base: str, every: float) -> None:
        self._memos = memos
        self._notes = rule_notes(memos)
        self._channels = channels
        self._clock = clock
        self._base = base.rstrip("/")
        self.every = every

    async def look(self) -> None:
        """Every rule that has something to tell."""
        for view in await self._notes.all():
            if view.paused:
                continue
            if view.pending:
                view = await self._notes.change(view.rule.name, self._gathered)  # noqa: PLW2901
            for message in view.messages:
                if sendable(message, self._clock.now()):
                    await self._deliver(message)

    def _gathered(self, view: RuleView) -> RuleView:
        return view if view.paused else gathered(view, self._clock.now())

    async def _deliver(self, seen: Message) -> None:
        """Send it, unless somebody else has begun to."""
        now, tries = self._clock.now(), seen.tries + 1
        begun = msgspec.structs.replace(seen, begun=now, tries=tries)
        mine = False

        def claim(view: RuleView) -> RuleView:
            nonlocal mine
            mine = seen in view.messages
            return _with(view, seen, begun)

        await self._notes.change(seen.rule, claim)
        if not mine:
            return
        try:
            await self._channels.send(begun.channel, notice_of(begun, self._base))
        except NotSent as error:
            later = put_off(begun, self._clock.now(), final=error.final)
            log.warning("an alert was not taken", rule=begun.rule, channel=begun.channel, error=str(error))
            if later is None:
                await self._write_down(begun, "failed", str(error))
        else:
            later = None
            await self._write_down(begun, "sent", "")
        await self._notes.change(begun.rule, lambda view: _with(view, begun, later))

    async def _write_down(self, message: Message, state: str, detail: str) -> None:
        at = self._clock.now()
        luck = int(message.id[:10], 16) / 16**10
        told = Told(
            event_id(message.alarms[0].at, luck), at, message.rule, message.channel, state, message.tries,
            _text(message, ""), detail, next((alarm.job for alarm in message.alarms if alarm.job), None),
        )  # fmt: skip
        await self._memos.keep(f"{TOLD}{told.id}", msgspec.json.encode(told), seen=None)


def notice_of(message: Message, base: str) -> Notice:
    """A message as a channel takes it."""
    alarms = message.alarms
    title = alarms[0].words if len(alarms) == 1 else f"{counted(len(alarms), 'alarm')} of {message.rule}"
    links = tuple(f"{base}/jobs/{alarm.job}" if base and alarm.job else "" for alarm in alarms)
    return Notice(
        message.id, message.rule, alarms[0].at, f"Scrapeyard: {title}"[:200], _text(message, base), alarms, links
    )


def _text(message: Message, base: str) -> str:
    lines: list[str] = []
    for alarm in message.alarms[:_MOST_SHOWN]:
        lines.append(alarm.words)
        if base and alarm.job:
            lines.append(f"{base}/jobs/{alarm.job}")
    if len(message.alarms) > _MOST_SHOWN:
        lines.append(f"… and {len(message.alarms) - _MOST_SHOWN} more.")
    return "\n".join(lines)


def _with(view: RuleView, seen: Message, then: Message | None) -> RuleView:
    """The rule with that message as it is then, if it still is as it was seen."""
    if seen not in view.messages:
        return view
    messages = [then if one == seen else one for one in view.messages]
    return msgspec.structs.replace(view, messages=tuple(one for one in messages if one is not None))
