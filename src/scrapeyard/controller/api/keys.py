"""Operations on keys. A key's text is in the answer to its making, and nowhere else ever after."""

import msgspec

from scrapeyard.controller.api.door import Call, Door
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.once import wish_of
from scrapeyard.controller.api.operation import Operation
from scrapeyard.model.access import ApiKey, Scope
from scrapeyard.model.errors import Conflict


class KeyRequest(msgspec.Struct, frozen=True):
    """A key as somebody wants it. `lasts` is in seconds; without it the key does not expire."""

    name: str
    scopes: tuple[Scope, ...]
    lasts: float | None = None


class KeyShown(msgspec.Struct, frozen=True):
    """A key without its hash."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    created: float
    expires: float | None
    revoked: float | None
    used: float | None


class NewKey(msgspec.Struct, frozen=True):
    """A new key with its text. Keep the text; it cannot be shown again."""

    key: KeyShown
    text: str


class KeyRoutes:
    """The operations, over one office."""

    def __init__(self, office: Office) -> None:
        self._keys = office.keys

    def add_to(self, door: Door) -> None:
        """Add them all."""
        create = Operation(
            "POST /v1/keys",
            Scope.ADMIN,
            takes=KeyRequest,
            gives=NewKey,
            status=201,
            makes={"key": "/key/id"},
            once=True,
        )
        door.add(create, self.create_key)
        door.add(Operation("GET /v1/keys", Scope.ADMIN, gives=list[KeyShown]), self.list_keys)
        door.add(Operation("DELETE /v1/keys/{key}", Scope.ADMIN, gives=KeyShown), self.revoke_key)

    async def create_key(self, call: Call) -> NewKey:
        """Make a key.

        Its text is kept nowhere, so an `Idempotency-Key` cannot bring it back: the second request is refused with the
        id of the key that the first one made."""
        asked = await call.body(KeyRequest)
        key, text = await self._keys.create(asked.name, asked.scopes, lasts=asked.lasts, wish=wish_of(call))
        return NewKey(_shown(key), text)

    async def list_keys(self, call: Call) -> list[KeyShown]:  # noqa: ARG002 - every handler takes its call
        """List all keys, the dead ones too."""
        return [_shown(key) for key in await self._keys.all()]

    async def revoke_key(self, call: Call) -> KeyShown:
        """Make a key good for nothing, at once. A key cannot revoke itself."""
        if call.part("key") == call.key.id:
            raise Conflict("That is the key that you are calling with: revoke it with another one.")
        return _shown(await self._keys.revoke(call.part("key")))


def _shown(key: ApiKey) -> KeyShown:
    return KeyShown(key.id, key.name, key.scopes, key.created, key.expires, key.revoked, key.used)
