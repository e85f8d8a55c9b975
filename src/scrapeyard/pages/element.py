"""Reading fields out of a page or a part of one.

An extractor names where a value stands and what type it is; everything else (white space, currency signs, what to
do when it is not there) is the same for every field of every scraper, so it is done here. A required field that is
missing is an error that names it: a None that slips into a record is found weeks later.
"""

import datetime
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final, Never, TypeVar, cast

from scrapeyard.pages.dates import as_date
from scrapeyard.pages.errors import BadSelector, BadValue, Missing, TooBig, WrongItem
from scrapeyard.pages.forms import Form, Place, find_forms, read_form
from scrapeyard.pages.labels import beside, index_labels
from scrapeyard.pages.links import Link, absolute, href_of, saying
from scrapeyard.pages.parsing import Node
from scrapeyard.pages.parsing.visible import visible
from scrapeyard.pages.said import typed_in
from scrapeyard.pages.source import Source
from scrapeyard.pages.tables import MOST_TABLES, Row, is_called, rows_of
from scrapeyard.pages.values import Style, as_integer, as_money, as_number, says_nothing
from scrapeyard.pages.wording import lines, tidy

T = TypeVar("T")
V = TypeVar("V")

REQUIRED: Final[Never] = cast("Never", object())
"""The default of a field that has none. Typed so that a type checker sees `str` then, and `str | None` for None."""


class Fields(ABC):
    """Single values by selector. Without a selector, the element itself is meant."""

    __slots__ = ("_source",)
    _source: Source

    @abstractmethod
    def _root(self) -> Node: ...

    def css(self, selector: str) -> list["Element"]:
        """All elements that a CSS selector picks, in the order of the page."""
        source = self._source
        return [Element(source, node) for node in source.parser.select(self._root(), selector)]

    def one(self, selector: str) -> "Element":
        """The first element that a CSS selector picks."""
        node = self._source.parser.first(self._root(), selector)
        if node is None:
            raise Missing(selector, self._source.url)
        return Element(self._source, node)

    def xpath(self, expression: str) -> list["Element | str"]:
        """What an XPath expression finds: elements, or texts for attributes, text nodes, numbers and truths."""
        source = self._source
        found = source.parser.xpath(self._root(), expression)
        return [item if isinstance(item, str) else Element(source, item) for item in found]

    def text(self, selector: str | None = None, *, default: T = REQUIRED, must_equal: str | None = None) -> str | T:
        """The text in one tidy line. `must_equal` guards against the page of another item."""
        found = self._said(selector)
        if not found:
            return self._absent(selector, default)
        if must_equal is not None and found != must_equal and found != tidy(must_equal):
            raise WrongItem(selector or "the element", self._source.url, must_equal, found)
        return found

    def texts(self, selector: str) -> list[str]:
        """The text of every element that the selector picks; empty ones stay, so that columns keep in step."""
        parser = self._source.parser
        text = parser.text
        return [text(node) or typed_in(parser, node) for node in parser.select(self._root(), selector)]

    def number(self, selector: str | None = None, *, default: T = REQUIRED, style: Style = "1,234.50") -> Decimal | T:
        """A number, exact. The default also stands for dashes and `N/A`; other words are an error."""
        return self._value(selector, default, lambda text: as_number(text, style=style))

    def integer(self, selector: str | None = None, *, default: T = REQUIRED, style: Style = "1,234.50") -> int | T:
        """A whole number."""
        return self._value(selector, default, lambda text: as_integer(text, style=style))

    def money(self, selector: str | None = None, *, default: T = REQUIRED, style: Style = "1,234.50") -> Decimal | T:
        """An amount of money, exact; parentheses, a trailing minus and CR are negative."""
        return self._value(selector, default, lambda text: as_money(text, style=style))

    def date(self, selector: str | None = None, *formats: str, default: T = REQUIRED) -> datetime.date | T:
        """A day: month/day/year, ISO, or with the month's name; with formats of `strptime`, only these."""
        return self._value(selector, default, lambda text: as_date(text, *formats))

    def attr(self, selector: str | None, name: str, *, default: T = REQUIRED) -> str | T:
        """An attribute of the first element that the selector picks; it may be empty."""
        node = self._find(selector)
        value = None if node is None else self._source.parser.attr(node, name)
        return self._absent(f"{selector or 'the element'} @{name}", default) if value is None else value

    def value_beside(self, label: str, *, default: T = REQUIRED) -> str | T:
        """The text beside a label: in the next cell, the `<dd>`, the labelled field, or right after the words."""
        source, root = self._source, self._root()
        labels = source.labels if root is source.tree else index_labels(source.parser, root)
        return beside(source.parser, labels, label) or self._absent(label, default)

    def _find(self, selector: str | None) -> Node | None:
        root = self._root()
        return root if selector is None else self._source.parser.first(root, selector)

    def _said(self, selector: str | None) -> str:
        parser, node = self._source.parser, self._root()
        if selector is not None:
            node = parser.first(node, selector)
        return "" if node is None else parser.text(node) or typed_in(parser, node)

    def _absent(self, what: str | None, default: T) -> T:
        if default is REQUIRED:
            raise Missing(what or "the element", self._source.url, "is missing or empty on")
        return default

    def _value(self, selector: str | None, default: T, read: Callable[[str], V]) -> V | T:
        found = self._said(selector)
        if not found or (default is not REQUIRED and says_nothing(found)):
            return self._absent(selector, default)
        try:
            return read(found)
        except BadValue as error:
            raise BadValue(found, error.wanted, selector or "the element") from None


class Parts(Fields):
    """Larger parts, named by a selector or by the words that a person sees there."""

    __slots__ = ()

    def table(self, which: str | None = None, *, headers: Sequence[str] | None = None) -> list[Row]:
        """A table's rows by heading, the table named by selector, caption or one of its headings."""
        parser = self._source.parser
        node = self._named(which or "table")
        if node is not None and parser.tag(node) != "table":
            inner = parser.first(node, "table")
            node = self._around(node, "table") if inner is None else inner
        if node is None and which is not None:
            tables = parser.select(self._root(), "table")[:MOST_TABLES]
            node = next((table for table in tables if is_called(parser, table, which)), None)
        if node is None:
            raise Missing(which or "table", self._source.url)
        return rows_of(parser, node, headers)

    def tables(self, selector: str = "table") -> list[list[Row]]:
        """Every table that the selector picks."""
        found = self._source.parser.select(self._root(), selector)
        if len(found) > MOST_TABLES:
            raise TooBig("The number of tables on the page", f"{MOST_TABLES:,}")
        return [rows_of(self._source.parser, table) for table in found]

    def link(self, which: str | None = None, *, default: T = REQUIRED) -> str | T:
        """Where a link leads, the link named by selector or by its words; always absolute."""
        href = self._href(which)
        if href is None:
            return self._absent(which or "a link", default)
        url = absolute(self._source.start, href)
        if url is None:
            raise BadValue(
                href, "a web address (a __doPostBack link is sent by form().do_postback)", which or "the element"
            )
        return url

    def links(self, selector: str = "a[href]") -> list[Link]:
        """Every http and https link that the selector picks, with its words."""
        source = self._source
        parser = source.parser
        found = (
            (absolute(source.start, href_of(parser, node) or ""), node)
            for node in parser.select(self._root(), selector)
        )
        return [Link(url, parser.text(node)) for url, node in found if url is not None]

    def form(self, which: str | None = None) -> Form:
        """A form as data: the first, or the one that the selector picks or picks something in."""
        parser = self._source.parser
        node = parser.first(self._root(), which or "form")
        if node is not None and parser.tag(node) != "form":
            around = self._around(node, "form")
            node = parser.first(node, "form") if around is None else around
        elif node is None and which is None:
            node = self._around(self._root(), "form")
        found = next((form for form in find_forms(parser, self._source.tree) if form.node == node), None)
        if node is None or found is None:
            raise Missing(which or "form", self._source.url)
        return read_form(parser, found, self._place())

    def forms(self) -> list[Form]:
        """Every form."""
        parser = self._source.parser
        mine = set(parser.select(self._root(), "form"))
        return [
            read_form(parser, form, self._place())
            for form in find_forms(parser, self._source.tree)
            if form.node in mine
        ]

    def _href(self, which: str | None) -> str | None:
        """What is written at a link, the link named by selector or by its words."""
        parser = self._source.parser
        node = self._named(which) if which is not None else self._root()
        href = None if node is None else href_of(parser, node)
        if href is None and which is not None:
            node = saying(parser, self._root(), which)
            href = None if node is None else href_of(parser, node)
        return href

    def _named(self, selector: str) -> Node | None:
        try:
            return self._source.parser.first(self._root(), selector)
        except BadSelector:
            return None  # then these are words, as `Bill #` is

    def _around(self, node: Node, tag: str) -> Node | None:
        parser = self._source.parser
        above: Node | None = node
        while above is not None and parser.tag(above) != tag:
            above = parser.parent(above)
        return above

    def _place(self) -> Place:
        source = self._source
        return Place(source.url, source.start, source.charset)


class Element(Parts):
    """One element of a page."""

    __slots__ = ("_node",)

    def __init__(self, source: Source, node: Node) -> None:
        self._source = source
        self._node = node

    def _root(self) -> Node:
        return self._node

    @property
    def tag(self) -> str:
        """Its name in lower case."""
        return self._source.parser.tag(self._node)

    @property
    def attrs(self) -> dict[str, str]:
        """All its attributes."""
        return self._source.parser.attrs(self._node)

    @property
    def lines(self) -> list[str]:
        """Its text line by line, as an address is laid out."""
        return lines(visible(self._source.parser, self._node))

    @property
    def html(self) -> str:
        """The element as HTML."""
        return self._source.parser.html(self._node)

    @property
    def parent(self) -> "Element | None":
        """The element around it."""
        above = self._source.parser.parent(self._node)
        return None if above is None else Element(self._source, above)

    def __repr__(self) -> str:
        return f"<{self.tag} on {self._source.url or 'a page'}>"
