"""Small values that people make, change and delete: schedules, rules of alerts.

They lie among the memos of the ledger, each under its kind and name, so no backend needs a table for them. A change is
made to the value as it is at that moment, again and again until nobody has come in between.
"""

import re
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.ports.memos import MemoBook

Value = TypeVar("Value")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MOST = 1_000


class Notes(Generic[Value]):
    """The values of one kind; `called` is what people call one of them."""

    def __init__(self, memos: MemoBook, called: str, shape: type[Value]) -> None:
        self._memos = memos
        self._called = called
        self._decoder = msgspec.json.Decoder(shape)

    async def make(self, name: str, value: Value) -> Value:
        """A new one. `Conflict` if there is one of that name."""
        if not _NAME.fullmatch(name):
            raise BadInput(
                f"{name[:40]!r} cannot be the name of {self._an()}: take 1 to 64 letters, digits, dots, - and _."
            )
        if len(await self._memos.under(self._place(""), limit=_MOST)) >= _MOST:
            raise BadInput(f"There are {_MOST:,} of them already: delete one before you make another.")
        if await self._memos.keep(self._place(name), msgspec.json.encode(value), seen=None) is None:
            raise Conflict(f"There is {self._an()} {name!r} already: delete it first, or choose another name.")
        return value

    async def get(self, name: str) -> Value:
        """One of them."""
        memo = await self._memos.recall(self._place(name)) if _NAME.fullmatch(name) else None
        if memo is None:
            raise self._missing(name)
        return self._decoder.decode(memo.body)

    async def change(self, name: str, change: Callable[[Value], Value]) -> Value:
        """Change one as it is now; what `change` raises leaves it as it was."""
        while _NAME.fullmatch(name) and (memo := await self._memos.recall(self._place(name))) is not None:
            before = self._decoder.decode(memo.body)
            after = change(before)
            if after == before:
                return before
            if await self._memos.keep(memo.name, msgspec.json.encode(after), seen=memo) is not None:
                return after
        raise self._missing(name)

    async def delete(self, name: str) -> Value:
        """Forget one."""
        while _NAME.fullmatch(name) and (memo := await self._memos.recall(self._place(name))) is not None:
            if await self._memos.keep(memo.name, b"", seen=memo) is not None:
                return self._decoder.decode(memo.body)
        raise self._missing(name)

    async def all(self) -> list[Value]:
        """All of them, in order of their names."""
        return [self._decoder.decode(memo.body) for memo in await self._memos.under(self._place(""), limit=_MOST)]

    def _place(self, name: str) -> str:
        return f"{self._called}/{name}"

    def _an(self) -> str:
        return f"{'an' if self._called[0] in 'aeiou' else 'a'} {self._called}"

    def _missing(self, name: str) -> NotFound:
        return NotFound(f"There is no {self._called} {name[:64]!r}.")
