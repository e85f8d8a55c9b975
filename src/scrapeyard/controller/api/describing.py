"""The description of the API, from which clients in other languages are made and by which it is tested.

It is made of the same values that operations take and give, so it cannot say anything else than what happens. What an
operation may answer is said in full: an answer that stands nowhere in the description is a fault.
"""

from collections.abc import Sequence
from typing import Any, get_args

import msgspec

from scrapeyard.controller.api.bounds import bounded
from scrapeyard.controller.api.examples import BODIES, PARTS
from scrapeyard.controller.api.operation import Operation
from scrapeyard.controller.api.problems import CODES, TYPE, Problem
from scrapeyard.model import wire

_REF = "#/components/schemas/{name}"
_ONCE = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same wish under the same key is done once; its answer is given again for a day.",
    "schema": {"type": "string", "maxLength": 200},
}


class Description:
    """What is known of all operations."""

    def __init__(self) -> None:
        self._gives: list[type] = [Problem]
        self._takes: list[type] = []
        self._asks: list[type] = []
        self._parts: dict[str, list[str]] = {}
        self._makers: list[tuple[str, dict[str, str]]] = []

    def of(self, operation: Operation, name: str, words: Sequence[str]) -> dict[str, Any]:
        """One operation, in OpenAPI's words."""
        parts = operation.parts
        for part in parts:
            self._parts.setdefault(part, []).append(name)
        if operation.makes:
            self._makers.append((name, operation.makes))
        told: dict[str, Any] = {"parameters": [*map(_in_path, parts), *self._in_query(operation.asks)]}
        told["parameters"] += [*operation.headers, *([_ONCE] if operation.once else [])]
        if operation.scope is not None:
            told["security"] = [{"key": []}]
            words = [*words, f"Scope: `{operation.scope}`."]
        told["description"] = "\n\n".join(words)
        body = self._body(operation)
        if body is not None:
            told["requestBody"] = body
        told["responses"] = {str(operation.status): self._answer(operation), **_problems(operation)}
        return told

    def finished(self, found: dict[str, Any]) -> dict[str, Any]:
        """The whole: with the schemas of everything, and with what leads from one operation to the next."""
        components = found.setdefault("components", {})
        known = wire.schemas(list(dict.fromkeys(self._gives)), list(dict.fromkeys(self._takes)))
        for asks in self._asks:
            known |= {name: one for name, one in _components(asks).items() if name != asks.__name__}
        components["schemas"] = bounded(known)
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        by_name = {each["operationId"]: each for verbs in found["paths"].values() for each in verbs.values()}
        for maker, makes in self._makers:
            answer = next(each for status, each in by_name[maker]["responses"].items() if status.startswith("2"))
            answer["links"] = {
                name: {"operationId": name, "parameters": {part: f"$response.body#{pointer}"}}
                for part, pointer in makes.items()
                for name in self._parts.get(part, ())
                if self._reaches(by_name[name], part)
            }
        return found

    def _reaches(self, operation: dict[str, Any], part: str) -> bool:
        """Whether that one part is all that the operation's path needs."""
        return [one["name"] for one in operation["parameters"] if one["in"] == "path"] == [part]

    def _body(self, operation: Operation) -> dict[str, Any] | None:
        if operation.media:
            content = {media: {"schema": {"type": "string", "format": "binary"}} for media in operation.media}
            return {"required": True, "content": content}
        if operation.takes is None:
            return None
        if operation.takes not in self._takes:
            self._takes.append(operation.takes)
        body: dict[str, Any] = {"schema": {"$ref": _REF.format(name=operation.takes.__name__)}}
        if operation.verb in BODIES:
            body["examples"] = {"usual": {"value": BODIES[operation.verb]}}
        return {"required": True, "content": {"application/json": body}}

    def _answer(self, operation: Operation) -> dict[str, Any]:
        answer: dict[str, Any] = {"description": "As asked."}
        if operation.gives is not None:
            answer["content"] = {"application/json": {"schema": self._schema(operation.gives)}}
        elif operation.sends:
            answer["content"] = {operation.sends: {"schema": {"type": "string", "format": "binary"}}}
        return answer

    def _schema(self, kind: Any) -> dict[str, Any]:
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            self._gives.append(kind)
            return {"$ref": _REF.format(name=kind.__name__)}
        if kind is object:
            return {}
        return {"type": "array", "items": self._schema(get_args(kind)[0])}

    def _in_query(self, asks: Any) -> list[dict[str, Any]]:
        if asks is None:
            return []
        self._asks.append(asks)
        schema: dict[str, Any] = bounded(_components(asks))[asks.__name__]
        required: Sequence[str] = schema.get("required", ())
        return [
            {
                "name": name,
                "in": "query",
                "required": name in required,
                "schema": each,
                **({"example": PARTS[name]} if name in PARTS else {}),
            }
            for name, each in schema["properties"].items()
        ]


def _components(kind: Any) -> dict[str, Any]:
    return msgspec.json.schema_components([kind], ref_template=_REF)[1]


def _in_path(name: str) -> dict[str, Any]:
    shown = {"example": PARTS[name]} if name in PARTS else {}
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}, **shown}


def _problems(operation: Operation) -> dict[str, Any]:
    """What may go wrong, by status."""
    statuses = {503}
    if operation.scope is not None:
        statuses |= {401, 403, 429}
    if operation.parts:
        statuses |= {404, 422}
    if operation.asks is not None:
        statuses.add(422)
    if operation.takes is not None or operation.media:
        statuses |= {400, 404, 409, 413, 422}
    if not operation.verb.startswith("GET"):
        statuses |= {409, 422}
    statuses |= set(operation.also)
    content = {TYPE: {"schema": {"$ref": _REF.format(name="Problem")}}}
    titles: dict[int, list[str]] = {}
    for status, title in CODES.values():
        titles.setdefault(status, []).append(title)
    return {
        str(status): {"description": " Or: ".join(titles[status]), "content": content} for status in sorted(statuses)
    }
