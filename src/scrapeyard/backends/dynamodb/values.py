"""Values as DynamoDB wants them written: `{"S": "text"}`, `{"N": "1"}`, `{"B": "base64"}`, and back."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, cast

_SQUEEZE = 350
"""Bytes from which packing tighter is worth it: a write is paid by the kilobyte."""

Row = dict[str, Any]
Wire = dict[str, Any]


def to_wire(value: object) -> Wire:
    """One value."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": repr(value)}
        case bytes():
            return {"B": b64encode(value).decode()}
        case list():
            return {"L": [to_wire(one) for one in cast("list[object]", value)]}
        case frozenset():
            return {"SS": sorted(cast("frozenset[str]", value))}
        case _:
            raise TypeError(f"no value for DynamoDB: {value!r}")


def to_wires(row: Mapping[str, object]) -> Wire:
    """All values of a row."""
    return {name: to_wire(value) for name, value in row.items()}


def of_wire(value: Wire) -> Any:
    """One value."""
    ((kind, said),) = value.items()
    match kind:
        case "S" | "BOOL":
            return said
        case "N":
            return int(said) if said.lstrip("-").isdigit() else float(said)
        case "B":
            return b64decode(said)
        case "L":
            return [of_wire(one) for one in said]
        case "SS":
            return frozenset(said)
        case _:
            raise TypeError(f"no value of ours: {kind}")


def of_wires(row: Wire) -> Row:
    """All values of a row."""
    return {name: of_wire(value) for name, value in row.items()}


def squeezed(plain: bytes) -> bytes:
    """MessagePack of an array in fewer bytes, where that helps."""
    tight = b"z" + zlib.compress(plain, 6) if len(plain) > _SQUEEZE else plain
    return tight if len(tight) < len(plain) else plain


def unfolded(said: bytes) -> bytes:
    """The same MessagePack again; no array begins like what was squeezed."""
    return zlib.decompress(said[1:]) if said[:1] == b"z" else said
