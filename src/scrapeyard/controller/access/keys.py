"""Keys are made here, shown once, and known afterwards by their hash alone.

A key is long and random, so a fast hash is enough: there is nothing to guess it from. Its id stands in front of it and
finds the row, so that looking it up compares one hash, in constant time.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence

import msgspec

from scrapeyard.controller.audit.book import Deeds
from scrapeyard.model.access import ApiKey, Scope
from scrapeyard.model.errors import BadInput, Conflict, NotFound
from scrapeyard.model.memo import Memo
from scrapeyard.ports.clock import Clock
from scrapeyard.ports.memos import MemoBook

PREFIX = "sy"
_FORM = re.compile(rf"{PREFIX}_([0-9a-z]{{8}})_([0-9A-Za-z]{{43}})")
_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MOST = 1_000
_SEEN_EVERY = 60.0
"""A key's last use is written down at most so often."""

_decode = msgspec.json.Decoder(ApiKey).decode


class Keys:
    """The keys of one deployment, in its ledger."""

    def __init__(self, memos: MemoBook, clock: Clock) -> None:
        self._memos = memos
        self._clock = clock
        self._deeds = Deeds(memos, clock)

    async def create(
        self, name: str, scopes: Sequence[Scope], *, lasts: float | None = None, wish: str = ""
    ) -> tuple[ApiKey, str]:
        """A new key, and its text, which nobody can show again. The same `wish` makes one key, and only the first
        time is it told."""
        if not name.strip() or not name.isprintable() or len(name) > 100:
            raise BadInput("A key wants a name of 1 to 100 visible characters, so that you know later whose it is.")
        if not scopes:
            raise BadInput(f"A key wants at least one scope: {', '.join(Scope)}.")
        if lasts is not None and lasts <= 0:
            raise BadInput("A key that has expired already is of no use: give it a time above 0.")
        now = self._clock.now()
        identity = hashlib.sha256(wish.encode()).hexdigest()[:8] if wish else secrets.token_hex(4)
        secret = "".join(secrets.choice(_SIGNS) for _ in range(43))
        key = ApiKey(
            identity, name.strip(), _digest(secret), tuple(dict.fromkeys(scopes)), now,
            None if lasts is None else now + lasts,
        )  # fmt: skip
        if await self._memos.keep(_place(identity), msgspec.json.encode(key), seen=None) is None:
            raise Conflict(
                f"That key was made already, as {identity}, and its text was told then: revoke it if nobody has it."
            )
        await self._deeds.write("keys.create", identity, {"name": key.name, "scopes": list(key.scopes)})
        return key, f"{PREFIX}_{identity}_{secret}"

    async def check(self, text: str) -> ApiKey | None:
        """The key that this text is, if it is one and good for something."""
        form = _FORM.fullmatch(text)
        if form is None:
            return None
        memo = await self._memos.recall(_place(form[1]))
        # an unknown id costs the same hash and comparison as a known one
        key = _decode(memo.body) if memo is not None else None
        same = hmac.compare_digest(_digest(form[2]), key.digest if key is not None else _digest(""))
        now = self._clock.now()
        if memo is None or key is None or not same or key.dead(now):
            return None
        if key.used is None or now - key.used > _SEEN_EVERY:
            await self._memos.keep(memo.name, msgspec.json.encode(msgspec.structs.replace(key, used=now)), seen=memo)
        return key

    async def living(self, identity: str) -> ApiKey | None:
        """The key of this id, if it is good for something."""
        memo = await self._memos.recall(_place(identity)) if identity else None
        key = _decode(memo.body) if memo is not None else None
        return key if key is not None and not key.dead(self._clock.now()) else None

    async def all(self) -> list[ApiKey]:
        """Every key, the dead ones too, oldest first."""
        return sorted((_decode(memo.body) for memo in await self._all()), key=lambda key: key.created)

    async def any(self) -> bool:
        """Whether any key was ever made. Without one, only this machine is served."""
        return bool(await self._memos.under(_place(""), limit=1))

    async def revoke(self, identity: str) -> ApiKey:
        """Make a key good for nothing, at once."""
        while (memo := await self._memos.recall(_place(identity))) is not None:
            key = msgspec.structs.replace(_decode(memo.body), revoked=self._clock.now())
            if await self._memos.keep(memo.name, msgspec.json.encode(key), seen=memo):
                await self._deeds.write("keys.revoke", identity, {"name": key.name})
                return key
        raise NotFound(f"There is no key {identity[:40]!r}; `scrapeyard keys list` shows those that are.")

    async def _all(self) -> list[Memo]:
        return await self._memos.under(_place(""), limit=_MOST)


def _place(identity: str) -> str:
    return f"key/{identity}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
