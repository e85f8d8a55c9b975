"""How an operation of the API is declared, admitted and described: once, in one place.

A handler gets a `Call` and gives a value of the model, or a response of its own. What goes in and out are twins of the
model's values (`scrapeyard.model.wire`); the description that other languages generate their clients from is made of
the same twins, so it cannot say anything else than what happens.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, cast, get_args

import msgspec
from fastapi import FastAPI, Request, Response

from scrapeyard.controller.access.keys import Keys
from scrapeyard.controller.access.tries import Tries
from scrapeyard.controller.api.problems import CODES, TYPE, Answered, Problem, problem
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
            return wire.read(await self.bytes(LARGEST_BODY), kind)
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


class Operation(msgspec.Struct, frozen=True):
    """One operation: `GET /v1/jobs/{job}`, the scope that it wants, and what goes in and out.

    `takes` is the body, `asks` the query, `gives` the answer; None for an answer that is no JSON of ours.
    """

    verb: str
    scope: Scope | None
    gives: Any = None
    takes: Any = None
    asks: Any = None
    status: int = 200


class Door:
    """All operations, and who is let in to them."""

    def __init__(self, app: FastAPI, keys: Keys, clock: Clock) -> None:
        self._app = app
        self._keys = keys
        self._clock = clock
        self._tries = Tries()
        self._kinds: list[type] = [Problem]
        self._open = True

    def add(self, operation: Operation, handler: Handler) -> None:
        """Add an operation. Its name and description are those of the handler."""
        method, path = operation.verb.split(" ")

        async def endpoint(request: Request) -> Response:
            key = _OPEN if operation.scope is None else await self._admitted(request, operation.scope)
            answer = await handler(Call(request, key))
            if isinstance(answer, Response):
                return answer
            return Response(wire.written(answer), operation.status, media_type="application/json")

        words = (handler.__doc__ or "").strip().split("\n\n")
        self._app.add_api_route(
            path,
            endpoint,
            methods=[method],
            status_code=operation.status,
            summary=" ".join(words[0].split()),
            operation_id=getattr(handler, "__name__", ""),
            response_class=Response,
            openapi_extra=self._described(operation, path, [" ".join(word.split()) for word in words[1:]]),
        )

    def _described(self, operation: Operation, path: str, words: list[str]) -> dict[str, Any]:
        told: dict[str, Any] = {"parameters": [*_in_path(path), *_in_query(operation.asks)]}
        if operation.scope is not None:
            told["security"] = [{"key": []}]
            words = [*words, f"Scope: `{operation.scope}`."]
        told["description"] = "\n\n".join(words)
        if operation.takes is not None:
            body = {"schema": self._schema(operation.takes)}
            told["requestBody"] = {"required": True, "content": {"application/json": body}}
        answer: dict[str, Any] = {"description": "As asked."}
        if operation.gives is not None:
            answer["content"] = {"application/json": {"schema": self._schema(operation.gives)}}
        trouble = {"description": "A problem.", "content": {TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
        told["responses"] = {str(operation.status): answer, "default": trouble}
        return told

    def _schema(self, kind: Any) -> dict[str, Any]:
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            self._kinds.append(kind)
            return {"$ref": f"#/components/schemas/{kind.__name__}"}
        return {"type": "array", "items": self._schema(get_args(kind)[0])}

    def schemas(self) -> dict[str, Any]:
        """The schemas of everything that goes in and out."""
        return wire.schemas(list(dict.fromkeys(self._kinds)))

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


def _in_path(path: str) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _in_query(asks: Any) -> list[dict[str, Any]]:
    if asks is None:
        return []
    schema: dict[str, Any] = msgspec.json.schema_components([asks])[1][asks.__name__]
    required: Sequence[str] = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": each}
        for name, each in schema["properties"].items()
    ]


def statuses() -> list[tuple[str, int, str]]:
    """Every code of a problem with its status and meaning, for the documentation."""
    return [(code, *rest) for code, rest in sorted(CODES.items())]
