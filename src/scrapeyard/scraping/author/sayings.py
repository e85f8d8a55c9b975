"""How a site says that it has no such record, or that it has forgotten our session, declared once for all its pages.

An author who raises `Absent` and `SessionExpired` needs none of this. But most county sites answer every search for
what they do not have with one sentence on an ordinary page, and a scraper that goes on from there would fail for lack
of a link or a field: what is an answer would look like a redesign. And a site that has forgotten us may well say of
every parcel that it does not exist; so its forgetting is looked for first.
"""

from collections.abc import Callable, Sequence
from typing import Final

from scrapeyard.model.capture import Kept
from scrapeyard.model.errors import Disallowed, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.pages.page import Page

Sign = str | Callable[[Page], bool]
"""Words that a person would see, a selector after `css:`, or a question of the author's own."""
CSS: Final = "css:"
_MISSED: Final = frozenset({Kind.PARSE_EMPTY, Kind.HTTP_STATUS})
_ASTRAY: Final = _MISSED | {
    Kind.SCHEMA_INVALID, Kind.WRONG_ITEM, Kind.AUTH_REQUIRED, Kind.FORBIDDEN, Kind.INVALID_INPUT, Kind.AMBIGUOUS,
}  # fmt: skip
"""What an author may find wrong with a page that is only our session's end."""


def sign_on(page: Page, signs: Sequence[Sign]) -> str | None:
    """The first of these signs that the page shows."""
    return next((_shown(sign) for sign in signs if _holds(sign, page)), None)


def may_mean_absent(error: Exception | None, kept: Sequence[Kept], last: Page) -> bool:
    """Whether the last page decides what the visit came to.

    It does if something was missing on it, and if it is all that was kept. Where several pages were kept, one that
    says that it has nothing (no bills, no sales) says it of its own part only.
    """
    if error is not None:
        return isinstance(error, VisitError) and error.failure in _MISSED
    return len(kept) == 1 and kept[0].body is last.body


def may_mean_expired(error: Exception | None) -> bool:
    """Whether the last page may be the site's way to say that it does not know us any more: it may, unless the visit
    ended for a reason that has nothing to do with what the page says."""
    return not isinstance(error, VisitError | Disallowed) or (
        isinstance(error, VisitError) and error.failure in _ASTRAY
    )


def _holds(sign: Sign, page: Page) -> bool:
    if not isinstance(sign, str):
        return bool(sign(page))
    if sign.startswith(CSS):
        return bool(page.css(sign.removeprefix(CSS).strip()))
    return page.says(sign)


def _shown(sign: Sign) -> str:
    return repr(sign) if isinstance(sign, str) else getattr(sign, "__name__", "a question of its own")
