"""One provider's door with many exits behind it: each session gets an exit of its own, and a new one when that fails.

The exit follows from a word that we choose. It is made from the session's name alone, so that another process that
takes over a session comes out at the same place.
"""

import logging
from collections import OrderedDict
from hashlib import sha256
from typing import Final, TypeVar

import msgspec

from scrapeyard.decisions.ejection import NEW, Standing, judged
from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import VERDICTS, Fault, Kind
from scrapeyard.model.place import Place
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.proxies.provider import Gateway

log = logging.getLogger(__name__)

SESSIONS: Final = 10_000
"""Sessions whose changes of exit are remembered."""
Value = TypeVar("Value")

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_WORD = 8
_ANYWHERE = "any"
_SAMPLE = 3


class Exits:
    """One gateway at work."""

    def __init__(self, name: str, gateway: Gateway, clock: Clock, trust: str = "") -> None:
        self._name = name
        self._gateway = gateway
        self._clock = clock
        self._trust = trust
        self._changes: OrderedDict[str, int] = OrderedDict()
        self._sessions: OrderedDict[str, str] = OrderedDict()
        self._doors: dict[str, Standing] = {}

    async def lend(self, place: Place, session: str) -> Proxy:
        """The session's exit. While the provider refuses us, or has nobody in that place, it is left alone."""
        where, now = str(place) or _ANYWHERE, self._clock.monotonic()
        door = self._doors.get(where, NEW)
        if door.out and not door.due(now):
            raise self._closed(where, door, door.until - now)
        word = exit_word(session, self._changes.get(session, 0))
        proxy = f"{self._name}/{where}.{word}"
        _remember(self._sessions, proxy, session)
        return Proxy(proxy, self._gateway.exit(place, word), self._trust)

    def judged(self, proxy: str, kind: Kind | None) -> None:
        """After a failure that asks for another proxy, the session gets another exit."""
        self._judge_door(proxy.removeprefix(f"{self._name}/").partition(".")[0], kind)
        session = self._sessions.get(proxy)
        if session is None or kind is None or kind is Kind.PROXY_AUTH:
            return
        verdict = VERDICTS[kind]
        if verdict.rotate or verdict.fault is Fault.PROXY:
            _remember(self._changes, session, self._changes.get(session, 0) + 1)
            del self._sessions[proxy]  # several visits of one session that failed together change it once

    async def sample(self, place: Place, most: int) -> list[Proxy]:
        """A few exits, to be looked at; there is no end to them."""
        return [await self.lend(place, f"sample/{number}") for number in range(min(most, _SAMPLE))]

    async def close(self) -> None:
        """Nothing is held."""

    def _judge_door(self, where: str, kind: Kind | None) -> None:
        """An exit that is lost says nothing of the door; that we are refused, or that nobody is there, does."""
        if kind is Kind.PROXY_ERROR:
            return
        now, door = self._clock.monotonic(), self._doors.get(where, NEW)
        if kind is Kind.PROXY_AUTH or kind is Kind.PROXY_EXHAUSTED:
            door = judged(door, kind, now, spare=False)
            if door.out and now < door.until:
                seconds = round(door.until - now)
                log.warning(
                    "%s is left alone for %.0f s at %s: %s", self._name, seconds, where or "any place", kind.value
                )
        elif kind is None or VERDICTS[kind].fault is Fault.SITE:
            door = msgspec.structs.replace(NEW, heard=now)
        self._doors[where] = door

    def _closed(self, where: str, door: Standing, wait: float) -> VisitError:
        refused = door.cause is Kind.PROXY_AUTH
        why = "refused our credentials" if refused else f"has no proxy for us ({where})"
        return VisitError(
            f"The provider of {self._name!r} {why}; it will be asked again in {max(1.0, wait):.0f} s.",
            kind=Kind.PROXY_AUTH if refused else Kind.PROXY_EXHAUSTED,
            retry_after=max(1.0, wait),
        )


def exit_word(session: str, changes: int) -> str:
    """Eight letters and digits: all that every provider takes."""
    number = int.from_bytes(sha256(f"{session}/{changes}".encode()).digest()[:8])
    letters: list[str] = []
    for _ in range(_WORD):
        number, at = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[at])
    return "".join(letters)


def _remember(memory: OrderedDict[str, Value], key: str, value: Value) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > SESSIONS:
        memory.popitem(last=False)
