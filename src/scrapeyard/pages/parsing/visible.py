"""The text of a part of a page that a person would see.

Joining all text nodes glues `12 MAIN ST<br>LEON` together, reads scripts aloud and finds "no records found" in a
message that the page keeps hidden for later. A walk, without recursion, because nesting is a stranger's to choose.
"""

import re
from typing import Final

from scrapeyard.pages.parsing.seam import Node, Parser

_UNSEEN: Final = frozenset({"script", "style", "template", "noscript", "head", "datalist", "iframe", "object", "title"})
_CELLS: Final = frozenset({"td", "th"})
_BLOCKS: Final = frozenset(
    """
    address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section select summary
    table tbody textarea tfoot thead tr ul
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_NOT_SHOWN: Final = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden", re.IGNORECASE)


def visible(parser: Parser, node: Node) -> str:
    """Text as laid out: a line break where a line breaks, a tab between cells. White space is as in the source."""
    if parser.tag(node) == "select":
        node = chosen(parser, node)
        if node is None:
            return ""
    said: list[str] = []
    unseen = {one for one in parser.select(node, "[hidden],[style]") if hidden(parser, one)}
    ahead: list[Node | str] = parser.children(node)[::-1]
    while ahead:
        child = ahead.pop()
        if isinstance(child, str):
            said.append(child)
            continue
        tag = parser.tag(child)
        if tag in _UNSEEN or (unseen and child in unseen):
            continue
        if tag == "select":
            child = chosen(parser, child)
            if child is None:
                continue
        gap = "\n" if tag in _BLOCKS else "\t" if tag in _CELLS else ""
        inner = parser.children(child)
        if gap:
            said.append(gap)
            if inner:
                ahead.append(gap)
        ahead.extend(inner[::-1])
    return "".join(said)


def hidden(parser: Parser, node: Node) -> bool:
    """Whether the element itself says that it is not shown. Style sheets are not consulted."""
    if parser.attr(node, "hidden") is not None:
        return True
    style = parser.attr(node, "style")
    return style is not None and _NOT_SHOWN.search(style) is not None


def chosen(parser: Parser, select: Node) -> Node | None:
    """The option that a select shows."""
    options = parser.select(select, "option")
    marked = [option for option in options if parser.attr(option, "selected") is not None]
    return marked[-1] if marked else options[0] if options else None
