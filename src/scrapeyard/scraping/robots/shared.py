"""A robots.txt is fetched once for the whole deployment: who has it leaves it on the shelf, with its age.

A fleet of fifty processes that each ask for it has made fifty requests before the first item. The shelf of sessions
does what is needed here: one asks, the others wait a moment for what it brings, and what lies there has an end. It is a
convenience; where it fails, everybody asks for himself, as politely as before.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from scrapeyard.model.session import Session
from scrapeyard.ports.sessions import Shelf

PATIENCE: Final = 10.0
"""Seconds that others wait for the one that asks."""
LARGEST: Final = 60_000
"""Bytes of a text that is shared; a larger one is fetched by every process."""
_WORD, _NOTE = "robots", "text"
_LOOK: Final = 0.2
Place = tuple[str, str, int]


class SharedTexts:
    """The texts of all hosts, as this process and others have them."""

    def __init__(self, shelf: Shelf, now: Callable[[], float], lasts: float) -> None:
        self._shelf = shelf
        self._now = now
        self._lasts = lasts

    async def heard(self, place: Place) -> tuple[bytes, float] | None:
        """What others have fetched, and how many seconds ago; None if it is for this process to ask."""
        began = self._now()
        while True:
            found = await self._shelf.take(_pool(place), together=True)
            if found.session is not None:
                text = found.session.notes.get(_NOTE, "")
                return text.encode("latin-1"), max(0.0, self._now() - found.session.opened)
            if found.wait <= self._now() or self._now() - began >= PATIENCE:
                return None
            await asyncio.sleep(_LOOK)

    async def tell(self, place: Place, text: bytes | None) -> None:
        """What came of asking; None if it could not be read, so that somebody else may try."""
        if text is None or len(text) > LARGEST:
            await self._shelf.refuse(_pool(place), 0.0)
            return
        now = self._now()
        kept = Session(_WORD, notes={_NOTE: text.decode("latin-1")}, opened=now)
        await self._shelf.put(_pool(place), kept, until=now + self._lasts, together=True)


def _pool(place: Place) -> str:
    scheme, host, port = place
    return f"{_WORD}\n{scheme}://{host}:{port}"
