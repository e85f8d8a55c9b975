"""The shelf of sessions in the ledger: one memo for each pool, changed only by whoever has seen it as it is.

A cookie is as good as a password. So what stands here has an end, is never shown, and is forgotten when it is over.
"""

import hashlib
import logging
from collections.abc import Callable
from typing import Final

import msgspec

from scrapeyard.model.errors import StorageError
from scrapeyard.model.session import Session
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook
from scrapeyard.ports.sessions import Found

log = logging.getLogger(__name__)

PREFIX: Final = "session/"
CLAIM: Final = 60.0
"""Seconds that others wait for the one that opens a session for all."""
MOST: Final = 50
"""Sessions of one pool that are kept for others."""
_LARGEST: Final = 150_000
_TRIES: Final = 20
_EVERY: Final = 600.0
"""Seconds after which what is over is looked for in all pools."""


class _Left(msgspec.Struct, frozen=True, array_like=True):
    session: Session
    until: float


class _Board(msgspec.Struct, frozen=True, array_like=True):
    """One pool. `opening` is until when others wait, `refused` until when nobody should try."""

    left: tuple[_Left, ...] = ()
    opening: float = 0.0
    refused: float = 0.0

    def over(self, now: float) -> bool:
        """Whether nothing in it counts any more."""
        return not self.left and self.opening <= now and self.refused <= now


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(_Board).decode
_Change = Callable[[_Board, float], tuple[_Board, Found]]


class MemoShelf:
    """Fills Shelf over a book of memos."""

    def __init__(self, memos: MemoBook, clock: Clock) -> None:
        self._memos = memos
        self._clock = clock
        self._swept = clock.monotonic()

    async def take(self, pool: str, *, together: bool) -> Found:
        """See Shelf."""

        def change(board: _Board, now: float) -> tuple[_Board, Found]:
            if board.refused > now:
                return board, Found(refused=board.refused)
            if board.left:
                rest = board.left if together else board.left[:-1]
                return msgspec.structs.replace(board, left=rest), Found(board.left[-1].session)
            if together and board.opening > now:
                return board, Found(wait=board.opening)
            return msgspec.structs.replace(board, opening=now + CLAIM) if together else board, Found()

        if self._clock.monotonic() - self._swept > _EVERY:
            self._swept = self._clock.monotonic()
            await self.sweep()
        return await self._changed(pool, change)

    async def put(self, pool: str, session: Session, *, until: float, together: bool) -> None:
        """See Shelf."""
        mine = _Left(session, until)

        def change(board: _Board, _: float) -> tuple[_Board, Found]:
            left = (mine,) if together else (*(one for one in board.left if one.session.id != session.id), mine)[-MOST:]
            while len(left) > 1 and len(_pack(left)) > _LARGEST:
                left = left[1:]
            return _Board(left), Found()

        if len(_pack(mine)) <= _LARGEST:
            await self._changed(pool, change)

    async def forget(self, pool: str, session: str) -> None:
        """See Shelf."""

        def change(board: _Board, _: float) -> tuple[_Board, Found]:
            left = tuple(one for one in board.left if one.session.id != session)
            return msgspec.structs.replace(board, left=left), Found()

        await self._changed(pool, change)

    async def refuse(self, pool: str, until: float) -> None:
        """See Shelf."""
        await self._changed(
            pool, lambda board, _: (msgspec.structs.replace(board, opening=0.0, refused=until), Found())
        )

    async def sweep(self) -> None:
        """Forget what is over, of all pools."""
        after = ""
        while page := await self._memos.under(PREFIX, after=after):
            for memo in page:
                if _current(memo.body, self._clock.now()).over(self._clock.now()):
                    await self._memos.keep(memo.name, b"", seen=memo)
            after = page[-1].name

    async def _changed(self, pool: str, change: _Change) -> Found:
        """Read, change, write; again if somebody else was quicker. A store that fails is no reason not to work."""
        name = PREFIX + hashlib.sha256(pool.encode()).hexdigest()[:40]
        try:
            for _ in range(_TRIES):
                seen, now = await self._memos.recall(name), self._clock.now()
                before = _current(seen.body if seen is not None else b"", now)
                board, found = change(before, now)
                body = b"" if board.over(now) else _pack(board)
                if body == (seen.body if seen is not None else b""):
                    return found
                if await self._memos.keep(name, body, seen=seen) is not None:
                    return found
        except StorageError as error:
            log.warning("sessions cannot be shared now: %s", error)
        return Found()


def _current(body: bytes, now: float) -> _Board:
    """What a memo says, without what is over. One that cannot be read, as after an upgrade, says nothing."""
    try:
        board = _unpack(body) if body else _Board()
    except msgspec.MsgspecError:
        board = _Board()
    return msgspec.structs.replace(board, left=tuple(one for one in board.left if one.until > now))
