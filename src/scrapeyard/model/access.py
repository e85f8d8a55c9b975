"""Who may do what: keys of people and programs, and the scopes that a key carries."""

from enum import StrEnum

import msgspec


class Scope(StrEnum):
    """What a key allows. Everything includes `read`, and `admin` includes everything."""

    READ = "read"
    SUBMIT = "submit"
    OPERATE = "operate"
    ADMIN = "admin"


SCOPE_MEANING: dict[Scope, str] = {
    Scope.READ: "Look at jobs, items, pages, records, sites, workers and events.",
    Scope.SUBMIT: "Begin jobs, load their lists, and read.",
    Scope.OPERATE: "Pause, resume, cancel, retry, change policies and sites, and read.",
    Scope.ADMIN: "Everything, keys included.",
}

_INCLUDED: dict[Scope, frozenset[Scope]] = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.SUBMIT: frozenset({Scope.READ, Scope.SUBMIT}),
    Scope.OPERATE: frozenset({Scope.READ, Scope.OPERATE}),
    Scope.ADMIN: frozenset(Scope),
}


class ApiKey(msgspec.Struct, frozen=True):
    """One key as it is kept: its hash, never the key. `used` is when it was last seen, to about a minute."""

    id: str
    name: str
    digest: str
    scopes: tuple[Scope, ...]
    created: float
    expires: float | None = None
    revoked: float | None = None
    used: float | None = None

    def allows(self, scope: Scope) -> bool:
        """Whether the key carries this scope, itself or within another."""
        return any(scope in _INCLUDED[own] for own in self.scopes)

    def dead(self, now: float) -> str | None:
        """Why the key is good for nothing any more, if it is."""
        if self.revoked is not None:
            return "was revoked"
        if self.expires is not None and now >= self.expires:
            return "has expired"
        return None
