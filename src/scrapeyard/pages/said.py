"""What one element says to a person: its text, or else the value in its only field.

Old county sites print an owner's name into a read-only input. The author asks for the text there and means that.
"""

from typing import Final

from scrapeyard.pages.parsing import Node, Parser
from scrapeyard.pages.wording import tidy

_TYPED: Final = frozenset({"", "text", "search", "tel", "number", "email", "url", "date", "submit", "button"})
_FEW: Final = 16
"""Nodes that a simply built element has at most."""


def said(parser: Parser, node: Node) -> str:
    """The element's text in one line; for an element without text, the value of the one field that it shows."""
    return parser.text(node) or typed_in(parser, node)


def typed_in(parser: Parser, node: Node) -> str:
    """What is typed into an element without text."""
    if parser.tag(node) == "input":
        return _typed(parser, node)
    shown = [value for value in (_typed(parser, field) for field in parser.select(node, "input")) if value]
    return shown[0] if len(shown) == 1 else ""


def brief(parser: Parser, node: Node, longest: int) -> str | None:
    """The element's text if it is short and simply built, else None: asking every wrapper stays cheap that way."""
    if parser.first(node, "*") is None:
        raw = parser.raw_text(node)
        return raw if len(raw) <= longest else None
    parts: list[str] = []
    ahead: list[Node | str] = [node]
    for _ in range(_FEW):
        if not ahead:
            return "".join(parts)
        child = ahead.pop()
        if isinstance(child, str):
            parts.append(child)
            longest -= len(child)
        elif parser.tag(child) == "br":
            parts.append(" ")
        else:
            inner = parser.children(child)
            if len(inner) > _FEW:
                return None
            ahead.extend(inner[::-1])
        if longest < 0:
            return None
    return None


def _typed(parser: Parser, field: Node) -> str:
    kind = (parser.attr(field, "type") or "").strip().lower()
    return tidy(parser.attr(field, "value") or "") if kind in _TYPED else ""
