"""selectolax (Lexbor) fills the seam: the older parser, kept so that leaving the young one is a choice of one word.

It has no XPath, and its time grows with the square of the nesting, so pages nested beyond reason are refused.
"""

import re
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, SelectolaxError

from scrapeyard.pages.charsets import decoded
from scrapeyard.pages.errors import BadSelector, TooBig
from scrapeyard.pages.parsing.seam import Node
from scrapeyard.pages.parsing.visible import visible
from scrapeyard.pages.wording import tidy

DEEPEST: Final = 10_000

_TAG: Final = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]{0,15})")
_NOT_NESTING: Final = frozenset(
    b"area base br col embed hr img input link meta source track wbr p li dt dd td th tr thead tbody tfoot option "
    b"optgroup colgroup".split(),
)


class Lexbor:
    """See Parser."""

    __slots__ = ()
    name = "selectolax"

    def parse(self, body: bytes, charset: str) -> Node:
        if body.count(b"<") > DEEPEST:
            _refuse_deep(body)
        # without this option a <select> with many options takes quadratic time
        tree = LexborHTMLParser(decoded(body, charset), options=LexborDocumentOptions.WO_EVENTS)
        return tree.root.parent if tree.root is not None else tree

    def select(self, node: Node, selector: str) -> list[Node]:
        try:
            found = node.css(selector)
        except SelectolaxError as error:
            raise BadSelector(selector, "the parser cannot read it") from error
        return found[1:] if found and found[0] == node else found

    def first(self, node: Node, selector: str) -> Node | None:
        try:
            found = node.css_first(selector)
        except SelectolaxError as error:
            raise BadSelector(selector, "the parser cannot read it") from error
        if found is not None and found == node:  # the element itself is not below itself
            return next(iter(self.select(node, selector)), None)
        return found

    def xpath(self, node: Node, expression: str) -> list[Node | str]:
        raise BadSelector(expression, f"{self.name} has no XPath for <{node.tag}>; use css(), or turbohtml")

    def text(self, node: Node) -> str:
        if any(not child.is_text_node for child in node.iter(include_text=True)):
            return tidy(visible(self, node))
        return tidy(node.text())

    def raw_text(self, node: Node) -> str:
        return node.text()

    def children(self, node: Node) -> list[Node | str]:
        found: list[Node | str] = []
        for child in node.iter(include_text=True):
            if child.is_text_node:
                found.append(child.text_content or "")
            elif child.is_element_node:
                found.append(child)
        return found

    def parent(self, node: Node) -> Node | None:
        above = node.parent
        return above if above is not None and above.is_element_node else None

    def tag(self, node: Node) -> str:
        return node.tag if node.is_element_node else ""

    def attr(self, node: Node, name: str) -> str | None:
        known = node.attributes
        return (known[name] or "") if name in known else None

    def attrs(self, node: Node) -> dict[str, str]:
        return {name: value or "" for name, value in node.attributes.items()}

    def html(self, node: Node) -> str:
        return node.html or ""


def _refuse_deep(body: bytes) -> None:
    depth = 0
    for tag in _TAG.finditer(body):
        if tag[2].lower() in _NOT_NESTING:
            continue
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            raise TooBig("The nesting of the page", f"{DEEPEST:,} elements")


LEXBOR: Final = Lexbor()
