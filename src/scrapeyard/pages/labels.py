"""The value beside a label: `Owner:` in one cell, the owner in the next.

Ids and classes of such pages change with every release of the county's software, the words on them do not. A label
may stand in a cell, a `<dt>`, a `<label>` or in plain bold text, and the value in the next cell, the `<dd>`, the
next element, or the bare text that follows.
"""

from typing import Final

from scrapeyard.pages.parsing import Node, Parser
from scrapeyard.pages.said import brief, said
from scrapeyard.pages.wording import as_label, tidy

LABELS: Final = "th,td,dt,label,b,strong,span,em,i,font,div,p,legend,h1,h2,h3,h4,h5,h6"
LONGEST_LABEL: Final = 120

_CELLS: Final = frozenset({"td", "th"})
_CLIMB: Final = 4
"""How many wrappers around a label's words are looked through."""
_TRIED: Final = 20
"""How many places with the same words are tried for a value."""


def index_labels(parser: Parser, root: Node) -> dict[str, list[Node]]:
    """Every element that could be a label, by its folded words; outer elements come before inner ones."""
    found: dict[str, list[Node]] = {}
    first, raw_text = parser.first, parser.raw_text
    for node in parser.select(root, LABELS):
        # nearly all are leaves, and this runs for each of a thousand cells
        raw = raw_text(node) if first(node, "*") is None else brief(parser, node, LONGEST_LABEL)
        if raw and len(raw) <= LONGEST_LABEL and (words := as_label(raw)):
            found.setdefault(words, []).append(node)
    return found


def beside(parser: Parser, labels: dict[str, list[Node]], label: str) -> str | None:
    """The text beside the first such label that has one; None without such a label, empty with nothing beside it."""
    nodes = labels.get(as_label(label))
    if nodes is None:
        return None
    for node in nodes[:_TRIED]:
        value = _beside_node(parser, node)
        if value:
            return value
    return ""


def _beside_node(parser: Parser, node: Node) -> str:
    words = _words(parser, node)
    for _ in range(_CLIMB):
        tag = parser.tag(node)
        if tag == "label":
            value = _of_control(parser, node)
            if value:
                return value
        value = _following(parser, node, tag)
        if value or tag in _CELLS or tag == "dt":
            return value
        above = parser.parent(node)
        if above is None or _words(parser, above) != words:
            return ""
        node = above
    return ""


def _words(parser: Parser, node: Node) -> str:
    return as_label(brief(parser, node, LONGEST_LABEL) or "")


def _of_control(parser: Parser, label: Node) -> str:
    """The value of the field that a `<label for=…>` names."""
    wanted = parser.attr(label, "for")
    if not wanted:
        return ""
    top = label
    while (above := parser.parent(top)) is not None:
        top = above
    for field in parser.select(top, "[id]"):
        if parser.attr(field, "id") == wanted:
            return said(parser, field)
    return ""


def _following(parser: Parser, node: Node, tag: str) -> str:
    """What comes right after a node among its siblings: text first if there is any, else the next element."""
    above = parser.parent(node)
    if above is None:
        return ""
    siblings = parser.children(above)
    place = next(
        (at for at, child in enumerate(siblings) if not isinstance(child, str) and child == node), len(siblings)
    )
    loose: list[str] = []
    for child in siblings[place + 1 :]:
        if isinstance(child, str):
            loose.append(child)
            continue
        bare = tidy("".join(loose)).lstrip(": ")
        if bare:
            return bare
        if parser.tag(child) == "br":
            continue
        return _value_in(parser, child, tag)
    return tidy("".join(loose)).lstrip(": ")


def _value_in(parser: Parser, node: Node, label_tag: str) -> str:
    """A neighbour's text, unless it is a label too: a heading cell beside another, a `<dt>` after a `<dt>`."""
    tag = parser.tag(node)
    if (label_tag == "th" and tag == "th") or tag == "dt" or (label_tag == "label" and tag == "label"):
        return ""
    return said(parser, node)
