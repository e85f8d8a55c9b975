"""What a page can fail to say, told to a scraper author in one sentence.

Each error carries the kind that the rest of the system acts on, so a redesign, another item's page and a value
of the wrong type are told apart where they are noticed. Page text inside a message is cut: it is a stranger's.
"""

from collections.abc import Iterable

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind

SHOWN = 80
"""How many characters of a stranger's text an error message shows."""


def cut(text: str) -> str:
    """Shorten a stranger's text for a message."""
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


class PageError(VisitError):
    """Something about a page is not as the scraper expects."""

    kind = Kind.PARSE_EMPTY


class Missing(PageError):
    """A required part of a page is not there, or is there and empty."""

    def __init__(self, what: str, url: str, remark: str = "is not on") -> None:
        super().__init__(
            f"{cut(what)!r} {remark} {url or 'the page'}; give a default if it may be, else look at the kept page."
        )
        self.selector = what
        self.url = url


class UnknownField(Missing):
    """A form has no field, choice or button of that name; the message lists those it has."""

    def __init__(self, what: str, url: str, known: Iterable[str]) -> None:
        names = tuple(known)
        listed = ", ".join(cut(name) for name in names[:40]) or "none"
        PageError.__init__(self, f"{cut(what)!r} is not in the form at {url}; it has: {listed}.")
        self.selector = what
        self.url = url
        self.known = names


class WrongItem(PageError):
    """The page is about another item than the one asked for."""

    kind = Kind.WRONG_ITEM

    def __init__(self, selector: str, url: str, expected: str, found: str) -> None:
        super().__init__(
            f"{url or 'The page'} says {cut(found)!r} at {cut(selector)!r} where {cut(expected)!r} was asked for."
        )
        self.selector = selector
        self.url = url
        self.expected = expected
        self.found = found


class BadValue(PageError):
    """A text is there, but it is not a value of the type asked for."""

    kind = Kind.SCHEMA_INVALID

    def __init__(self, text: str, wanted: str, where: str = "") -> None:
        super().__init__(f"{cut(text)!r}{f' at {cut(where)!r}' if where else ''} is not {wanted}.")
        self.text = cut(text)
        self.wanted = wanted


class BadSelector(PageError):
    """The scraper's selector or expression is not well formed, or the parser does not know it."""

    kind = Kind.SCRAPER_BUG

    def __init__(self, selector: str, reason: str) -> None:
        super().__init__(f"{cut(selector)!r} is not a selector that can be used: {cut(reason)}.")
        self.selector = selector


class TooBig(PageError):
    """A page or a part of it passes a limit, so it is not read at all."""

    kind = Kind.TOO_LARGE

    def __init__(self, what: str, limit: str) -> None:
        super().__init__(f"{what} is larger than {limit}; it is not read.")
