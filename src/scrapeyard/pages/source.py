"""A body that is parsed when something is asked of it, once, and not before.

Many a page is only kept: a bill's download page, a search page on the way. Parsing is the dearest thing that
happens to a page, so nothing here does it, nor decodes, until an answer depends on it.
"""

from typing import Final

from scrapeyard.pages.charsets import charset_of
from scrapeyard.pages.errors import TooBig
from scrapeyard.pages.labels import index_labels
from scrapeyard.pages.links import start_of
from scrapeyard.pages.parsing import Node, Parser
from scrapeyard.pages.parsing.visible import visible
from scrapeyard.pages.wording import INVISIBLE, folded

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a body that are parsed; a larger one may be kept, but not asked."""


class Source:
    """The bytes of a page and what was found out about them so far."""

    __slots__ = ("_charset", "_labels", "_raw", "_start", "_visible", "body", "content_type", "parsed", "parser", "url")

    def __init__(self, body: bytes, url: str, content_type: str, parser: Parser) -> None:
        self.body = body
        self.url = url
        self.content_type = content_type
        self.parser = parser
        self._charset: str | None = None
        self._labels: dict[str, list[Node]] | None = None
        self._raw: str | None = None
        self._start: str | None = None
        self.parsed: Node = None
        """The document once something was asked of it: a field is read in a few steps, and each of them counts."""
        self._visible: str | None = None

    @property
    def charset(self) -> str:
        """The WHATWG name of the character set."""
        if self._charset is None:
            self._charset = charset_of(self.body, self.content_type)
        return self._charset

    @property
    def tree(self) -> Node:
        """The parsed document."""
        tree = self.parsed
        if tree is None:
            if len(self.body) > LARGEST:
                raise TooBig(f"The body of {self.url or 'the page'}", f"{LARGEST >> 20} MiB")
            tree = self.parsed = self.parser.parse(self.body, self.charset)
        return tree

    @property
    def start(self) -> str:
        """The address that relative links start from."""
        if self._start is None:
            self._start = start_of(self.parser, self.tree, self.url)
        return self._start

    @property
    def labels(self) -> dict[str, list[Node]]:
        """The labels of the whole page."""
        if self._labels is None:
            self._labels = index_labels(self.parser, self.tree)
        return self._labels

    def visible(self) -> str:
        """The visible text, with its line breaks."""
        return visible(self.parser, self.tree)

    def says(self, words: str) -> bool:
        """Whether the visible text contains the words."""
        wanted = folded(words)
        if not wanted:
            raise ValueError("says() needs words to look for.")
        if max(wanted.split(), key=len) not in self._raw_text():
            return False
        if self._visible is None:
            self._visible = folded(self.visible())
        return wanted in self._visible

    def _raw_text(self) -> str:
        """All text with scripts and hidden parts, folded. Cheap to make, so most questions end here with a no."""
        if self._raw is None:
            raw = self.parser.raw_text(self.tree)
            self._raw = (raw if raw.isascii() else raw.translate(INVISIBLE)).casefold()
        return self._raw
