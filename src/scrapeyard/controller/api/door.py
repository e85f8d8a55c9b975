"""How an operation of the API is added and admitted: once, in one place.

A handler gets a `Call` and gives a value of the model, or a response of its own. What goes in and out are twins of the
model's values (`scrapeyard.model.wire`).
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.routing import Match, Route

from scrapeyard.controller.access.keys import Keys
from scrapeyard.controller.access.tries import Tries
from scrapeyard.controller.api.describing import Description
from scrapeyard.controller.api.operation import Operation
from scrapeyard.controller.api.problems import CODES, Answered, problem
from scrapeyard.controller.audit.acting import acting, called
from scrapeyard.model import wire
from scrapeyard.model.access import ApiKey, Scope
from scrapeyard.ports.clock import Clock

Value = TypeVar("Value")

LARGEST_BODY = 1 << 20
"""Bytes of a JSON body. Lists of items come through uploads, which are streams."""

_OPEN = ApiKey("loopback", "this machine", "", (Scope.ADMIN,), 0.0)
"""Who calls when no key was ever made: then only this machine is served."""


class Call:
    """One request, admitted."""

    def __init__(self, request: Request, key: ApiKey) -> None:
        self.request = request
        self.key = key

    def part(self, name: str) -> str:
        """A part of the path."""
        return cast("str", self.request.path_params[name])

    async def body(self, kind: type[Value]) -> Value:
        """The JSON body as a value."""
        try:
            return wire.read(await self.bytes(LARGEST_BODY), kind, strict=True)
        except msgspec.ValidationError as error:
            said, _, where = str(error).partition(" - at `$")
            raise Answered(problem("bad_json", said, where.rstrip("`").lstrip("."))) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Answered(problem("bad_json", f"It is not well-formed JSON: {error}.")) from error

    def asked(self, kind: type[Value]) -> Value:
        """The query as a value."""
        query = self.request.query_params
        known = {field.name: field for field in msgspec.structs.fields(cast("Any", kind))}
        given: dict[str, object] = {}
        for name in query:
            if name not in known:
                raise Answered(problem("bad_input", f"There is no parameter {name[:60]!r} here.", name[:60]))
            several = _is_many(known[name].type)
            given[name] = query.getlist(name) if several else query[name]
        try:
            return msgspec.convert(given, kind, strict=False)
        except msgspec.ValidationError as error:
            said, _, where = str(error).partition(" - at `$")
            raise Answered(problem("bad_input", said, where.rstrip("`").lstrip("."))) from error

    async def bytes(self, most: int) -> bytes:
        """The whole body, which must be no longer than `most`."""
        pieces: list[bytes] = []
        size = 0
        async for piece in self.request.stream():
            size += len(piece)
            if size > most:
                raise Answered(problem("too_large", f"At most {most >> 10:,} KiB are taken here."))
            pieces.append(piece)
        return b"".join(pieces)


Handler = Callable[[Call], Awaitable[object]]


class Door:
    """All operations, and who is let in to them."""

    def __init__(self, app: FastAPI, keys: Keys, tries: Tries, clock: Clock) -> None:
        self._app = app
        self._keys = keys
        self._clock = clock
        self._tries = tries
        self._description = Description()
        self._methods: dict[str, set[str]] = {}
        self._open = True

    def add(self, operation: Operation, handler: Handler) -> None:
        """Add an operation. Its name and description are those of the handler."""
        method, path = operation.verb.split(" ")

        async def endpoint(request: Request) -> Response:
            key = _OPEN if operation.scope is None else await self._admitted(request, operation.scope)
            with acting(called(key)):
                answer = await handler(Call(request, key))
            if isinstance(answer, Response):
                return answer
            return Response(wire.written(answer), operation.status, media_type="application/json")

        words = (handler.__doc__ or "").strip().split("\n\n")
        name: str = getattr(handler, "__name__", "")
        self._methods.setdefault(path, set()).add(method)
        self._app.add_api_route(
            path,
            endpoint,
            methods=[method],
            status_code=operation.status,
            summary=" ".join(words[0].split()),
            operation_id=name,
            response_class=Response,
            openapi_extra=self._description.of(operation, name, [" ".join(word.split()) for word in words[1:]]),
        )

    def described(self, found: dict[str, Any]) -> dict[str, Any]:
        """The description of everything, from what the framework makes of it."""
        return self._description.finished(found)

    def methods(self, request: Request) -> list[str]:
        """The methods that the address of this request knows."""
        path: str = getattr(request.scope.get("route"), "path", "")
        matching = (
            route.path
            for route in self._app.routes
            if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE
        )
        return sorted({method for each in (path, *matching) for method in self._methods.get(each, ())})

    async def _admitted(self, request: Request, scope: Scope) -> ApiKey:
        if self._open and not await self._keys.any():
            return _OPEN
        self._open = False  # from the first key on there is no way back
        address = request.client.host if request.client else ""
        now = self._clock.monotonic()
        wait = self._tries.wait(address, now)
        if wait > 0:
            raise Answered(problem("too_many", f"Wait {wait:.0f} s."), {"Retry-After": str(int(wait) + 1)})
        said = request.headers.get("authorization", "")
        given = said[7:] if said[:7].lower() == "bearer " else request.headers.get("x-api-key", "")
        key = await self._keys.check(given) if given else None
        if key is None:
            if given:
                self._tries.wrong(address, now)
            told = (
                "The key is unknown, was revoked or has expired."
                if given
                else "Send it as `Authorization: Bearer KEY`."
            )
            raise Answered(problem("no_key", told), {"WWW-Authenticate": "Bearer"})
        if not key.allows(scope):
            has = ", ".join(key.scopes)
            raise Answered(problem("not_allowed", f"The key {key.name!r} has the scopes {has}; {scope} is wanted."))
        return key


def _is_many(kind: Any) -> bool:
    return getattr(kind, "__origin__", None) in (tuple, list, frozenset)


def statuses() -> list[tuple[str, int, str]]:
    """Every code of a problem with its status and meaning, for the documentation."""
    return [(code, *rest) for code, rest in sorted(CODES.items())]
