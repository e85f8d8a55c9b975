"""Addresses as a browser would follow them from the page.

A `<base href>` moves every relative link, addresses carry stray line breaks, and what looks like a link may be
script. Only http and https leave here, always absolute.
"""

import re
from typing import Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from scrapeyard.pages.parsing import Node, Parser
from scrapeyard.pages.wording import folded

_BREAKS: Final = re.compile(r"[\t\r\n]")
_EDGES: Final = "".join(map(chr, range(0x21)))
LONGEST: Final = 16_384


class Link(NamedTuple):
    """Where a link leads and what it says."""

    url: str
    text: str


def absolute(start: str, href: str) -> str | None:
    """The http(s) address that an href means on a page at `start`, or None."""
    cleaned = _BREAKS.sub("", href).strip(_EDGES)
    if len(cleaned) > LONGEST:
        return None
    try:
        joined = urljoin(start, cleaned)
        parts = urlsplit(joined)
    except ValueError:
        return None
    return joined if parts.scheme in ("http", "https") and parts.netloc else None


def start_of(parser: Parser, tree: Node, url: str) -> str:
    """The address that relative links start from."""
    declared = parser.first(tree, "base[href]")
    if declared is None:
        return url
    return absolute(url, parser.attr(declared, "href") or "") or url


def href_of(parser: Parser, node: Node) -> str | None:
    """The address written at an element, or at the first link inside or around it."""
    own = _written(parser, node)
    if own is not None:
        return own
    inner = parser.first(node, "a[href]")
    if inner is not None:
        return parser.attr(inner, "href")
    above = parser.parent(node)
    while above is not None:
        if parser.tag(above) == "a":
            return parser.attr(above, "href")
        above = parser.parent(above)
    return None


def saying(parser: Parser, root: Node, words: str) -> Node | None:
    """The link that reads so; where none does exactly, the first that contains the words."""
    wanted = folded(words)
    if not wanted:
        return None
    near: Node | None = None
    for node in parser.select(root, "a[href]"):
        text = folded(parser.text(node) or _picture(parser, node))
        if text == wanted:
            return node
        if near is None and wanted in text:
            near = node
    return near


def _picture(parser: Parser, link: Node) -> str:
    """A link without words says what its picture or its title says."""
    image = parser.first(link, "img[alt]")
    return (parser.attr(image, "alt") if image is not None else None) or parser.attr(link, "title") or ""


def _written(parser: Parser, node: Node) -> str | None:
    for name in ("href", "src", "data"):
        value = parser.attr(node, name)
        if value:
            return value
    return None
