"""Data that a page carries as JSON, in its body or in a script.

Many a site draws its page from an object that a script holds. Reading that object is steadier than reading the
drawing, but the text around it is JavaScript, so only the JSON value itself is cut out and parsed.
"""

import json
import re
from typing import Any, Final

import orjson

from scrapeyard.pages.errors import BadValue
from scrapeyard.pages.parsing import Node, Parser

_DEEP: Final = "JSON"
_DECODER: Final = json.JSONDecoder()


def json_of(text: str | bytes) -> Any:
    """The value of a JSON text."""
    try:
        return orjson.loads(text)
    except ValueError as error:
        shown = text if isinstance(text, str) else text[:200].decode("utf-8", "replace")
        raise BadValue(shown.strip(), _DEEP) from error


def json_in(parser: Parser, tree: Node, name: str) -> Any | None:
    """The JSON of the script that a selector picks, or of the variable that a script sets; None if neither is there."""
    for script in parser.select(tree, "script"):
        source = parser.raw_text(script)
        if name in source:
            value = _assigned(source, name)
            if value is not None:
                return value
    return None


def _assigned(source: str, name: str) -> Any | None:
    """What stands after `name =` or `"name":` in a script, if it begins as JSON does."""
    for place in re.finditer(rf"(?<![\w$.]){re.escape(name)}[\"']?\s{{0,50}}[=:](?!=)\s{{0,50}}(?=[\[{{\"])", source):
        try:
            return _DECODER.raw_decode(source, place.end())[0]
        except (ValueError, RecursionError) as error:
            raise BadValue(source[place.end() : place.end() + 200], f"the JSON value of {name}") from error
    return None
