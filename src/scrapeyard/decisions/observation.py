"""What is known of how a visit ended, as plain data, so that a labelled example is a file and not a live site.

A body is a stranger's: only its start is looked at, and everything that is derived from it takes time in
proportion to its length, whatever it holds. Derived facts are made when a rule first asks for them, so that a
page which nobody doubts costs next to nothing.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from html import unescape
from typing import cast

import msgspec

from scrapeyard.model.errors import StorageError, VisitError
from scrapeyard.model.failures import Kind

HEAD = 64 * 1024
"""How much of a body the rules look at."""
SMALL = 32 * 1024
"""A notice or a wall is no longer than this, scripts and styles included."""
TAGS = 400
"""Nor does it have more tags than this."""
_CAUSES = 5
_TAG = re.compile(rb"<[^<>]*>")
_MUTE = (b"script", b"style", b"template", b"title")
_FIELD = re.compile(rb"<(?:input|textarea|select)\b[^<>]*>")
_NOT_TYPED = re.compile(rb"type\s*=\s*[\"']?(?:hidden|submit|button|image|reset|checkbox|radio)")


class Observation(msgspec.Struct, frozen=True, dict=True):
    """All that is known of how a visit ended. `errors` are class names, from the raised one to its causes.

    `declared` is the kind that the error itself carries. Header names are lower case. `proxied` says that a proxy
    stood between us and the site, so that its headers may be believed; `allowed`, that the scraper wants the page
    whatever its status.
    """

    errors: tuple[str, ...] = ()
    errnos: tuple[int, ...] = ()
    declared: Kind | None = None
    status: int | None = None
    headers: Mapping[str, str] = {}
    body: bytes = b""
    proxied: bool = False
    allowed: bool = False

    @property
    def failed(self) -> bool:
        """Whether anything was raised, or would have to be."""
        return bool(self.errors) or (not self.allowed and (self.status or 0) >= 400)

    @cached_property
    def small(self) -> bool:
        """Whether the page is short enough for a notice; of what was no use to its reader, any size will do.

        Counting tags is cheap, and spares the search for many signs in most pages that nobody complained of.
        """
        return self.failed or (len(self.body) <= SMALL and self.head.count(b"<") <= TAGS)

    @cached_property
    def head(self) -> bytes:
        """The start of the body in lower case; nothing of a file that is no text."""
        if self.body.startswith(b"%PDF-") or b"\0" in self.body[:1024]:
            return b""
        return self.body[:HEAD].lower()

    @cached_property
    def title(self) -> bytes:
        """The page's title."""
        return _plain(self._inside(b"title"))

    @cached_property
    def heading(self) -> bytes:
        """The page's first heading of the first or second rank, without tags."""
        return _plain(self._inside(b"h1") or self._inside(b"h2"))

    @cached_property
    def text(self) -> bytes:
        """What a person would see, in lower case: no title, script, style or tag."""
        return _plain(_spoken(self.head))

    @cached_property
    def fields(self) -> int:
        """How many fields there are to fill in that are not a captcha's, as a form that a person uses has some."""
        fields = _FIELD.findall(self.head)
        return sum(b"captcha" not in field and not _NOT_TYPED.search(field) for field in fields)

    @cached_property
    def labels(self) -> int:
        """How many values have a label, as those of a record have."""
        return self.head.count(b"<th>") + self.head.count(b"<th ") + self.head.count(b"<dt")

    def brief(self, most: int = 600) -> bool:
        """Whether the page says no more than a notice would."""
        return self.small and len(self.text) <= most

    def _inside(self, tag: bytes) -> bytes:
        start = self.head.find(b"<" + tag)
        opened = self.head.find(b">", start) + 1 if start >= 0 else 0
        closed = self.head.find(b"</" + tag, opened) if opened else -1
        return self.head[opened:closed].strip() if closed >= 0 else b""


def observe(
    error: BaseException | None,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    proxied: bool = False,
    allowed: bool = False,
) -> Observation:
    """The facts of one ending. `status`, `headers` and `body` are those of the last page, if there was one."""
    chain = _chain(error)
    return Observation(
        errors=tuple(kind.__name__ for link in chain for kind in type(link).__mro__[:-2]),
        errnos=tuple(link.errno for link in chain if isinstance(link, OSError) and link.errno is not None),
        declared=next((link.failure for link in chain if isinstance(link, VisitError)), None)
        or next((Kind.STORAGE_ERROR for link in chain if isinstance(link, StorageError)), None),
        status=next((link.status for link in chain if isinstance(link, VisitError) and link.status), status),
        headers={name.lower(): value for name, value in (headers or {}).items()},
        body=body[:HEAD],
        proxied=proxied,
        allowed=allowed,
    )


def _chain(error: BaseException | None) -> list[BaseException]:
    """The error and what caused it; a group is known by its first member."""
    chain: list[BaseException] = []
    while error is not None and len(chain) < _CAUSES:
        chain.append(error)
        if isinstance(error, BaseExceptionGroup):
            error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
        else:
            error = error.__cause__
    return chain


def _spoken(markup: bytes) -> bytes:
    """Markup without comments and without the elements that say nothing; what is left open lasts to the end."""
    for opened, closed in ((b"<!--", b"-->"), *((b"<" + tag, b"</" + tag) for tag in _MUTE)):
        if opened in markup:
            kept: list[bytes] = []
            at = 0
            while (start := markup.find(opened, at)) >= 0:
                kept.append(markup[at:start])
                end = markup.find(closed, start)
                at = end if end >= 0 else len(markup)
            markup = b" ".join((*kept, markup[at:]))
    return markup


def _plain(markup: bytes) -> bytes:
    """Markup without tags, its entities resolved, its quotes straight, its spaces single."""
    words = _TAG.sub(b" ", markup)
    if b"&" in words:
        words = unescape(words.decode("utf-8", "surrogateescape")).lower().encode("utf-8", "surrogateescape")
    return b" ".join(words.replace("\u2019".encode(), b"'").replace("\u00a0".encode(), b" ").split())
