"""How a scraping process reaches the shelf of sessions: it has no ledger, so it asks its parent, who has."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Final

from scrapeyard.model.session import Session
from scrapeyard.ports.sessions import Found, Shelf
from scrapeyard.worker.messages import Forget, Put, Refuse, Shelving, Take, Taken

_PATIENCE: Final = 5.0
"""Seconds after which a child that was not answered opens a session of its own."""


class AskingShelf:
    """Fills Shelf in a child."""

    def __init__(self, send: Callable[[Shelving], None]) -> None:
        self._send = send
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[Found]] = {}

    async def take(self, pool: str, *, together: bool) -> Found:
        """See Shelf."""
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        self._send(Take(number, pool, together))
        try:
            async with asyncio.timeout(_PATIENCE):
                return await answer
        except TimeoutError:
            return Found()
        finally:
            del self._asked[number]

    async def put(self, pool: str, session: Session, *, until: float, together: bool) -> None:
        """See Shelf."""
        self._send(Put(pool, session, until, together))

    async def forget(self, pool: str, session: str) -> None:
        """See Shelf."""
        self._send(Forget(pool, session))

    async def refuse(self, pool: str, until: float) -> None:
        """See Shelf."""
        self._send(Refuse(pool, until))

    def told(self, taken: Taken) -> None:
        """The parent's answer."""
        answer = self._asked.get(taken.number)
        if answer is not None and not answer.done():
            answer.set_result(taken.found)


async def shelved(shelf: Shelf, wish: Shelving) -> Taken | None:
    """Do what a child wishes; the answer, if it waits for one."""
    match wish:
        case Take(number, pool, together):
            return Taken(number, await shelf.take(pool, together=together))
        case Put(pool, session, until, together):
            await shelf.put(pool, session, until=until, together=together)
        case Forget(pool, session):
            await shelf.forget(pool, session)
        case Refuse(pool, until):
            await shelf.refuse(pool, until)
    return None
