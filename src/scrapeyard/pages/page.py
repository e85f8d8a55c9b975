"""A kept page, asked what it says.

The same object serves a scraper in the middle of a visit and an extractor years later: bytes, the address they
came from, the headers that came with them, and nothing that could reach the network. It answers lazily.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from scrapeyard.pages.charsets import decoded
from scrapeyard.pages.element import REQUIRED, Parts
from scrapeyard.pages.embedded import json_in, json_of
from scrapeyard.pages.parsing import TURBO, Node, Parser
from scrapeyard.pages.source import Source
from scrapeyard.pages.wording import lines

T = TypeVar("T")
Headers = Mapping[str, str] | Iterable[tuple[str, str]]


class Page(Parts):
    """A page as it was served."""

    __slots__ = ("_headers", "body", "name", "status", "url")

    def __init__(
        self,
        body: bytes,
        url: str,
        status: int = 200,
        headers: Headers = (),
        *,
        name: str | None = None,
        parser: Parser = TURBO,
    ) -> None:
        self._headers = _pairs(headers)
        self.body = body
        self.url = url
        self.status = status
        self.name = name
        self._source = Source(body, url, self._header("content-type"), parser)

    @property
    def headers(self) -> dict[str, str]:
        """The headers by lower-case name; repeated ones joined by a comma."""
        found: dict[str, str] = {}
        for name, value in self._headers:
            lower = name.lower()
            found[lower] = f"{found[lower]}, {value}" if lower in found else value
        return found

    @property
    def content_type(self) -> str:
        """The type that the server named, without its parameters, in lower case."""
        return self._source.content_type.partition(";")[0].strip().lower()

    @property
    def encoding(self) -> str:
        """The character set: byte-order mark, header, `<meta>`, else a guess."""
        return self._source.charset

    @property
    def html(self) -> str:
        """The body as text, as it was written."""
        return decoded(self.body, self.encoding)

    @property
    def text_content(self) -> str:
        """The visible text, line by line."""
        return "\n".join(lines(self._source.visible()))

    @property
    def title(self) -> str:
        """The page's title; empty if it has none."""
        return self.text("title", default="")

    def says(self, words: str) -> bool:
        """Whether a person would see these words on the page, whatever their case and spacing."""
        return self._source.says(words)

    def json(self) -> Any:
        """The body of a JSON page."""
        return json_of(decoded(self.body, self.encoding) if self._is_marked_or_foreign() else self.body)

    def json_in_script(self, which: str, *, default: T = REQUIRED) -> Any | T:
        """The JSON in the script that a selector picks, or the one given to a variable of that name."""
        parser, tree = self._source.parser, self._source.tree
        node = self._named(which)
        if node is not None and parser.tag(node) == "script":
            return json_of(parser.raw_text(node))
        found = json_in(parser, tree, which)
        return self._absent(which, default) if found is None else found

    def _root(self) -> Node:
        source = self._source
        return source.tree if source.parsed is None else source.parsed

    def _header(self, wanted: str) -> str:
        for name, value in self._headers:
            if name.lower() == wanted:
                return value
        return ""

    def _is_marked_or_foreign(self) -> bool:
        """JSON is UTF-8 unless its server says otherwise; a guess from its bytes would only do harm."""
        declared = "charset" in self._source.content_type.lower()
        return self.body[:3] == b"\xef\xbb\xbf" or self.body[:2] in (b"\xff\xfe", b"\xfe\xff") or declared

    def __repr__(self) -> str:
        return f"Page({self.url!r}, {self.status}, {len(self.body):,} bytes)"


def _pairs(headers: Headers) -> tuple[tuple[str, str], ...]:
    if isinstance(headers, Mapping):
        return tuple(cast("Mapping[str, str]", headers).items())
    return headers if isinstance(headers, tuple) else tuple(headers)
