"""What the rest of the room asks of an HTML parser.

The fastest parser is a young one, so it must be possible to leave it. Nodes stay those of the library, opaque to
everyone else: wrapping each of a thousand cells would cost more than parsing the page.
"""

from typing import Any, Protocol

Node = Any
"""A node of the parser that made it. Hand it back to that parser only."""


class Parser(Protocol):
    """A parser without state of its own. Elements come in document order; errors are PageErrors."""

    @property
    def name(self) -> str:
        """The library's name, for messages."""
        ...

    def parse(self, body: bytes, charset: str) -> Node:
        """The document. Any bytes make a document."""
        ...

    def select(self, node: Node, selector: str) -> list[Node]:
        """The elements below the node that a CSS selector picks."""
        ...

    def first(self, node: Node, selector: str) -> Node | None:
        """The first of them."""
        ...

    def xpath(self, node: Node, expression: str) -> list[Node | str]:
        """What an XPath expression finds: elements, or texts for anything else."""
        ...

    def text(self, node: Node) -> str:
        """The visible text in one tidy line."""
        ...

    def raw_text(self, node: Node) -> str:
        """All text below the node, joined without a gap, scripts included. Fast."""
        ...

    def children(self, node: Node) -> list[Node | str]:
        """Child elements, and texts as `str`; comments left out."""
        ...

    def parent(self, node: Node) -> Node | None:
        """The element around this one."""
        ...

    def tag(self, node: Node) -> str:
        """The element's name in lower case."""
        ...

    def attr(self, node: Node, name: str) -> str | None:
        """An attribute; empty if it has no value, None if it is not there."""
        ...

    def attrs(self, node: Node) -> dict[str, str]:
        """All attributes."""
        ...

    def html(self, node: Node) -> str:
        """The element as HTML."""
        ...
