"""Logins of people: a key given once in a form, and a cookie that stands for it afterwards.

The cookie holds a random word and nothing else. What it stands for lies in the ledger under the word's hash, so any
controller knows it, and whoever reads the ledger cannot log in with what they find. A key that is revoked ends its
logins at once, because it is looked at again at every page.
"""

import hashlib
import hmac
import secrets

import msgspec

from scrapeyard.controller.access.keys import Keys
from scrapeyard.model.access import ApiKey
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook

LASTS = 12 * 3600.0
"""Seconds after which the key is asked for again."""
_LONGEST = 200


class _Login(msgspec.Struct, frozen=True):
    """Whose login it is, and until when."""

    key: str
    until: float


class Logins:
    """The logins of one deployment."""

    def __init__(self, memos: MemoBook, keys: Keys, clock: Clock) -> None:
        self._memos = memos
        self._keys = keys
        self._clock = clock

    async def begin(self, key: ApiKey) -> str:
        """The word for the cookie."""
        word = secrets.token_urlsafe(32)
        login = _Login(key.id, self._clock.now() + LASTS)
        await self._memos.keep(_place(word), msgspec.json.encode(login), seen=None)
        return word

    async def who(self, word: str) -> ApiKey | None:
        """The key behind the cookie, if both are still good."""
        if not 0 < len(word) <= _LONGEST:
            return None
        memo = await self._memos.recall(_place(word))
        if memo is None:
            return None
        login = msgspec.json.decode(memo.body, type=_Login)
        return await self._keys.living(login.key) if self._clock.now() < login.until else None

    async def end(self, word: str) -> None:
        """The cookie is good for nothing from now on."""
        memo = await self._memos.recall(_place(word)) if 0 < len(word) <= _LONGEST else None
        if memo is not None:
            await self._memos.keep(memo.name, msgspec.json.encode(_Login("", 0.0)), seen=memo)


def token(word: str) -> str:
    """What a form must carry beside the cookie: only a page of ours can know it."""
    return hmac.new(word.encode(), b"form", hashlib.sha256).hexdigest()


def _place(word: str) -> str:
    return f"login/{hashlib.sha256(word.encode()).hexdigest()}"
