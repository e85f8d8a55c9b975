"""Telling people outside: a channel takes a text, or says why it did not."""

from typing import Protocol

import msgspec

from scrapeyard.model.alert import Alarm


class Notice(msgspec.Struct, frozen=True):
    """A message as a channel takes it. `links` belong to its alarms, in their order; some may be empty."""

    id: str
    rule: str
    at: float
    title: str
    text: str
    alarms: tuple[Alarm, ...] = ()
    links: tuple[str, ...] = ()


class Channel(Protocol):
    """One way to reach people."""

    async def send(self, notice: Notice) -> None:
        """Hand it over. `NotSent` says why it was not taken, and whether trying again may help."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Channels(Protocol):
    """All channels of the settings, by their names."""

    @property
    def names(self) -> frozenset[str]: ...

    async def send(self, name: str, notice: Notice) -> None:
        """Through one of them. `NotSent` also where it cannot be opened; nothing secret is in its words."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
