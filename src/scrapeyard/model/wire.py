"""The values of this room as JSON that any language can read, and back again.

Inside, values are packed tightly, many of them as arrays without names. Outside, every field has its name. Rather than
writing each value down a second time for the outside, a twin with the same fields is made of it: the REST API answers
with twins, its schema is the twins' schema, and the client turns twins back into the values they came from.
"""

from collections.abc import Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NewType, TypeVar, Union, cast, get_args, get_origin

import msgspec

Value = TypeVar("Value")

_PLAIN = (NoneType, bool, int, float, str, Enum)


def written(value: object) -> bytes:
    """A value as JSON. Bytes inside are JSON already (an item's inputs, an event's evidence) and are put in as such."""
    return msgspec.json.encode(_open(value))


def read(body: bytes, kind: type[Value], *, strict: bool = False) -> Value:
    """The value in a JSON text; `msgspec.ValidationError` names the field that does not fit.

    `strict` refuses a field that nobody knows: in a wish it is a slip of the pen that would go unheard. In an answer
    it is news from a later version, which an older client passes over.
    """
    return close(msgspec.json.decode(body, type=twin(kind, strict=strict)), kind)


def schemas(kinds: Sequence[type], wishes: Sequence[type] = ()) -> dict[str, Any]:
    """The JSON schemas of these values and of all that they hold, by name; of `wishes` as they are read strictly."""
    found: dict[str, Any] = {}
    for some, strict in ((kinds, False), (wishes, True)):
        twins = [twin(kind, strict=strict) for kind in some]
        found |= msgspec.json.schema_components(twins, ref_template="#/components/schemas/{name}")[1]
    return found


@cache
def twin(kind: Any, *, strict: bool = False) -> Any:
    """The same type with its names on."""
    if isinstance(kind, NewType):
        return twin(kind.__supertype__, strict=strict)
    if kind is bytes:
        return msgspec.Raw
    if kind is object:
        return Any
    origin: Any = get_origin(kind)
    parts = get_args(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = [_field(field, strict) for field in msgspec.structs.fields(kind)]
        return msgspec.defstruct(
            kind.__name__,
            fields,
            frozen=True,
            kw_only=True,
            namespace={"__doc__": kind.__doc__},
            forbid_unknown_fields=strict,
        )
    if origin is None:
        return cast("Any", kind)
    whole: Any = Union if origin in (Union, UnionType) else origin
    return whole[tuple(part if part is Ellipsis else twin(part, strict=strict) for part in parts)]


def close(value: Any, kind: Any) -> Any:
    """From a twin back to the value."""
    if isinstance(kind, NewType):
        return close(value, kind.__supertype__)
    if isinstance(value, msgspec.Raw):
        return bytes(value)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind(
            **{field.name: close(getattr(value, field.name), field.type) for field in msgspec.structs.fields(kind)}
        )
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if value is None else close(value, next(part for part in parts if part is not NoneType))
    if origin is dict:
        return {key: close(each, parts[1]) for key, each in value.items()}
    if origin in (tuple, list, frozenset):
        if origin is tuple and Ellipsis not in parts:
            return tuple(close(each, part) for each, part in zip(value, parts, strict=True))
        made: Any = origin
        return made(close(each, parts[0]) for each in value)
    return value


def _open(value: object) -> Any:
    match value:
        case msgspec.Struct():
            return {name: _open(getattr(value, name)) for name in value.__struct_fields__}
        case bytes():
            return msgspec.Raw(value)
        case dict():
            return {key: _open(each) for key, each in cast("dict[object, object]", value).items()}
        case frozenset():
            return [_open(each) for each in sorted(cast("frozenset[str]", value))]
        case tuple() | list():
            return [_open(each) for each in cast("Sequence[object]", value)]
        case _:
            return value


def _field(field: msgspec.structs.FieldInfo, strict: bool) -> tuple[str, Any] | tuple[str, Any, Any]:
    """Name, type and, where it is simple, default: a field that a caller leaves out is as the value itself has it."""
    kind: Any = twin(field.type, strict=strict)
    default: Any = field.default
    if isinstance(default, _PLAIN):
        return field.name, kind, default
    if isinstance(default, msgspec.Struct):
        whole = written(default)
        return field.name, kind, msgspec.field(default_factory=lambda: msgspec.json.decode(whole, type=kind))
    empty = cast("Any", field.default_factory if default is msgspec.NODEFAULT else type(default))
    if empty in (tuple, frozenset, list, dict):
        return field.name, kind, cast("Any", msgspec.field(default_factory=empty))
    return field.name, kind
