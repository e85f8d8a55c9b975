"""What an author's commands are told: which scraper, and the inputs of one item as `field=value`."""

import json
from typing import Annotated, Any, cast

from typer import Argument, Option

from scrapeyard.cli.failing import Misused
from scrapeyard.model.scraper import ScraperCard

PANEL = "Write scrapers"

ScraperArgument = Annotated[
    str, Argument(metavar="SCRAPER", help="A scraper's name, or the path of its file.", show_default=False)
]
InputsArgument = Annotated[
    list[str] | None,
    Argument(metavar="FIELD=VALUE", help="The inputs of one item; without any, a sentinel.", show_default=False),
]
OfflineOption = Annotated[bool, Option("--offline", help="Use the pages of the last try; visit nothing.")]


def inputs_of(card: ScraperCard, words: list[str] | None) -> dict[str, Any]:
    """One item's inputs: the given ones, or those of the scraper's first sentinel."""
    if not words:
        return _sentinel(card)
    row: dict[str, Any] = {}
    known = _fields(card)
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            if len(words) == len(known) == 1:
                return {known[0]: word}  # the only input needs no name
            raise Misused(f"{word[:80]!r} is no input; write it as {known[0] if known else 'field'}=value.")
        if name not in known:
            raise Misused(f"{card.ref.name} has no input {name[:80]!r}; its inputs are {', '.join(known)}.")
        row[name] = value
    return row


def _sentinel(card: ScraperCard) -> dict[str, Any]:
    known = _fields(card)
    if not card.sentinels:
        raise Misused(f"Give the inputs of one item, such as {known[0] if known else 'field'}=value.")
    first = card.sentinels[0]
    if first.startswith("{"):
        return json.loads(first)
    if len(known) != 1:
        raise Misused(f"Give the inputs of one item: {', '.join(f'{name}=…' for name in known)}.")
    return {known[0]: first}


def _fields(card: ScraperCard) -> list[str]:
    properties = card.input_schema.get("properties", {})
    return list(cast("dict[str, object]", properties)) if isinstance(properties, dict) else []
