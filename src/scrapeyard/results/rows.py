"""One record as a line of JSON: {"_seq":7,"_key":"001-02","_model":"Bill", and the model's own fields}.

The three leading fields let a segment be understood by itself; a model's fields cannot begin with an underscore,
so they never collide. A line is spliced from the bytes that the model gave, not parsed and written again.
"""

import json
from collections.abc import Sequence

import msgspec
import orjson

from scrapeyard.model.errors import BadInput

ITEM_LIMIT = 64 << 20
"""Bytes of records that one item may have."""


class Row(msgspec.Struct, frozen=True):
    """One record, read back. `size` is the length of its line."""

    seq: int
    key: str
    model: str
    fields: dict[str, object]
    size: int = 0


def lines_of(seq: int, key: str, rows: Sequence[tuple[str, bytes]]) -> list[bytes]:
    """The lines of one item's records, given as (model, JSON object)."""
    head = b'{"_seq":%d,"_key":%b,"_model":' % (seq, _text(key))
    lines = [_line(head, model, row) for model, row in rows]
    if sum(map(len, lines)) > ITEM_LIMIT:
        raise BadInput(
            f"The records of item {seq} are more than {ITEM_LIMIT >> 20} MiB: keep large values as captures instead."
        )
    return lines


def _line(head: bytes, model: str, row: bytes) -> bytes:
    if row[:1] != b"{" or row[-1:] != b"}" or b"\n" in row:
        row = _normal(model, row)
    name = _text(model)
    return b"%b%b}" % (head, name) if row == b"{}" else b"%b%b,%b" % (head, name, row[1:])


def _text(text: str) -> bytes:
    try:
        return orjson.dumps(text)
    except TypeError:  # half a character, which no JSON can carry
        return orjson.dumps(text.encode("utf-8", "replace").decode())


def _normal(model: str, row: bytes) -> bytes:
    """The same object on one line."""
    try:
        value = orjson.loads(row)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"A record of {model} is not JSON ({error}): give records as JSON objects.") from error
    if not isinstance(value, dict):
        raise BadInput(f"A record of {model} is no JSON object: give records as JSON objects.")
    return orjson.dumps(value)


_FIELDS = msgspec.json.Decoder(dict[str, object])


def parse_row(line: bytes) -> Row:
    """One line, read back; whole numbers of any length stay exact."""
    try:
        fields = _FIELDS.decode(line)
    except msgspec.DecodeError:
        fields = _parse_odd(line)
    match fields.pop("_seq", None), fields.pop("_key", None), fields.pop("_model", None):
        case int() as seq, str() as key, str() as model:
            return Row(seq, key, model, fields, len(line))
        case _:
            raise ValueError("a line of records does not name its item and its model")


def _parse_odd(line: bytes) -> dict[str, object]:
    """What is JSON to some and not to others: numbers that are none, halves of characters."""
    text = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)
    # a half character cannot be stored anywhere; a number that is none is left to the standard library
    loaded: dict[str, object] = json.loads(text.encode("utf-8", "replace"))
    return loaded
