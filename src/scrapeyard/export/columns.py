"""What a table's columns are called and what is in them, taken from a record model's JSON Schema.

A table format needs one type for a column before it sees the first row. A schema says more than a column can
(unions, nesting, models within models); whatever has no plain type of its own becomes JSON text, so nothing is lost.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import cast

import msgspec

_DIGITS = 38
_DEEPEST = 16

Schema = Mapping[str, object]


class Type(StrEnum):
    """The plain types that every table format can tell apart."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    DECIMAL = "decimal"
    JSON = "json"


class Column(msgspec.Struct, frozen=True):
    """One column. `digits` and `places` are of a decimal: all digits, and those behind the point."""

    name: str
    type: Type = Type.TEXT
    digits: int = 0
    places: int = 0


_STRINGS = {"date": Type.DATE, "date-time": Type.TIME}
_SIMPLE = {
    "string": Type.TEXT,
    "integer": Type.INTEGER,
    "number": Type.NUMBER,
    "boolean": Type.BOOLEAN,
    "array": Type.JSON,
    "object": Type.JSON,
}


def columns_of(schema: Schema) -> list[Column]:
    """The columns of a record model, in the order in which its author wrote the fields."""
    definitions = _mapping(schema.get("$defs"))
    return [_column(name, _mapping(field), definitions) for name, field in _mapping(schema.get("properties")).items()]


def _column(name: str, field: Schema, definitions: Schema) -> Column:
    field = _resolved(field, definitions)
    if field.get("format") == "decimal":
        return _decimal(name, field)
    return Column(name, _type(field, definitions))


def _decimal(name: str, field: Schema) -> Column:
    """Exact where the model says how many places there are; else the digits stay as text."""
    digits, places = field.get("max_digits", _DIGITS), field.get("decimal_places")
    if isinstance(digits, int) and isinstance(places, int) and 0 <= places <= digits <= _DIGITS and digits > 0:
        return Column(name, Type.DECIMAL, digits, places)
    return Column(name, Type.TEXT)


def _type(field: Schema, definitions: Schema) -> Type:
    options = [_resolved(one, definitions) for one in _options(field)]
    if len(options) > 1:
        types = {_type(one, definitions) for one in options}
        if types <= {Type.INTEGER, Type.NUMBER}:
            return Type.NUMBER if Type.NUMBER in types else Type.INTEGER
        return types.pop() if len(types) == 1 else Type.JSON
    values = field.get("enum", [field["const"]] if "const" in field else None)
    if isinstance(values, list):
        return _type_of_values(cast("list[object]", values))
    kind = field.get("type")
    if kind == "string":
        return _STRINGS.get(str(field.get("format")), Type.TEXT)
    return _SIMPLE.get(str(kind), Type.JSON)


def _type_of_values(values: list[object]) -> Type:
    kinds = {type(value) for value in values if value is not None}
    for kind, name in ((str, Type.TEXT), (bool, Type.BOOLEAN), (int, Type.INTEGER), (float, Type.NUMBER)):
        if kinds == {kind}:
            return name
    return Type.JSON


def _resolved(field: Schema, definitions: Schema) -> Schema:
    """Follow references, and leave out that a field may be missing."""
    for _ in range(_DEEPEST):
        reference = field.get("$ref")
        options = _options(field)
        if isinstance(reference, str):
            field = _mapping(definitions.get(reference.rpartition("/")[2]))
        elif len(options) == 1:
            field = options[0]
        else:
            break
    return field


def _options(field: Schema) -> list[Schema]:
    for word in ("anyOf", "oneOf", "allOf"):
        options = field.get(word)
        if isinstance(options, list):
            found = [_mapping(one) for one in cast("list[object]", options)]
            return [one for one in found if one.get("type") != "null"]
    kinds = field.get("type")
    if isinstance(kinds, list):
        return [{**field, "type": kind} for kind in cast("list[object]", kinds) if kind != "null"]
    return []


def _mapping(value: object) -> Schema:
    return cast("Schema", value) if isinstance(value, Mapping) else {}


def names_of(columns: Sequence[Column]) -> list[str]:
    """The header of a table."""
    return [column.name for column in columns]
