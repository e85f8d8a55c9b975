"""JSON: one object a line, or one array that is small enough to be held whole."""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, cast

import orjson

from scrapeyard.controller.intake.lines import Lines
from scrapeyard.controller.intake.options import IntakeLimits
from scrapeyard.controller.intake.tables import Row, Spoiled
from scrapeyard.model.errors import BadInput


class JsonLines:
    """See Table."""

    unit = "line"
    columns = None

    def __init__(self, stream: BinaryIO, limits: IntakeLimits) -> None:
        self._lines = Lines(stream, limits.line)

    @property
    def remarks(self) -> Sequence[str]:
        return self._lines.remarks

    def rows(self) -> Iterator[tuple[int, Row]]:
        for number, line in enumerate(self._lines, 1):
            if not line.isspace():
                yield number, _object(line)


class JsonArray:
    """See Table. Rows are counted from 1, since an array may be written in a single line."""

    unit = "row"
    columns = None
    remarks: Sequence[str] = ()

    def __init__(self, stream: BinaryIO, limits: IntakeLimits) -> None:
        body = stream.read(limits.whole + 1)
        if len(body) > limits.whole:
            raise BadInput(f"A JSON array of more than {limits.whole >> 20} MiB is not taken; write one object a line.")
        try:
            found: Any = orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            raise BadInput(f"The list is not well-formed JSON: {error}.") from error
        self._found = cast("list[object]", found)

    def rows(self) -> Iterator[tuple[int, Row]]:
        for number, value in enumerate(self._found, 1):
            yield number, _row(value, "")


def _object(line: str) -> Row:
    try:
        return _row(orjson.loads(line), line)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        return Spoiled(f"it is not well-formed JSON: {error}", line.strip())


def _row(value: object, line: str) -> Row:
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    return Spoiled("it is not a JSON object with the inputs by name", line.strip() or str(value))
