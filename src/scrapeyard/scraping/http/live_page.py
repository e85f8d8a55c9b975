"""A page from which a visit can go on: fill its form, follow its link, turn the page of its grid.

It is an ordinary `Page` with a way back to the visit it belongs to; kept, it becomes a plain one again. Whatever a
browser would send along by itself (hidden fields, the pressed button, where one comes from) is sent along here.
"""

from collections.abc import Mapping
from typing import Final, Protocol

from scrapeyard.pages.errors import Missing
from scrapeyard.pages.files import File
from scrapeyard.pages.forms import Encoded, Form, Value, postback_in
from scrapeyard.pages.page import Page

_STATE: Final = "__VIEWSTATE"
Lines = tuple[tuple[str, str], ...]


class Onward(Protocol):
    """The visit, as a page of it knows it."""

    async def go(self, request: Encoded, origin: Page) -> "LivePage":
        """Send a request that begins on the page `origin`."""
        ...

    async def fetch_file(self, url: str, expect: str, origin: Page) -> File:
        """Download what a link of the page `origin` leads to."""
        ...


class LivePage(Page):
    """A page in the middle of a visit. Forms and links are named by CSS selector, links also by their words."""

    __slots__ = ("_onward", "fetched", "lines_of_head", "method")

    def __init__(self, body: bytes, url: str, status: int, headers: Lines, *, onward: Onward) -> None:
        super().__init__(body, url, status, headers)
        self._onward = onward
        self.lines_of_head = headers
        self.method = "GET"
        self.fetched = 0.0

    async def submit(
        self,
        which: str | None = None,
        values: Mapping[str, Value] | None = None,
        /,
        *,
        button: str | None = None,
        **named: Value,
    ) -> "LivePage":
        """Fill a form (the first, or the one picked by selector) and send it; its hidden fields travel along.

        Fields whose names are no Python words go into a mapping: `submit("form", {"ctl00$txtPin": pin})`. `button`
        is a submit button by name, value or text; without it the first one is pressed, as the Enter key does.
        A field or button that the form does not have raises, with the names it does have.
        """
        form = self.form(which).fill(values, **named).press(button)
        return await self._onward.go(form.encode(), self)

    async def postback(
        self,
        target: str,
        argument: str = "",
        *,
        which: str | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> "LivePage":
        """Send a form as ASP.NET's `__doPostBack(target, argument)` does; a whole `javascript:` link will do, too."""
        form = (self._server_form() if which is None else self.form(which)).fill(values)
        return await self._onward.go(form.do_postback(target, argument).encode(), self)

    async def follow(self, which: str) -> "LivePage":
        """Go where a link leads. One that calls `__doPostBack` sends its form, as the pagers of grids do."""
        href = self._href(which)
        if href is None:
            raise Missing(which, self.url)
        if postback_in(href) is not None:
            return await self.postback(href)
        return await self._onward.go(Encoded("GET", self.link(which), "", b""), self)

    async def download(self, which: str, *, expect: str) -> File:
        """Fetch the file that a link leads to; `expect` is its type, such as `application/pdf`, and is checked."""
        return await self._onward.fetch_file(self.link(which), expect, self)

    def _server_form(self) -> Form:
        """The form that carries the page's state; a site's search box may stand before it."""
        return next((form for form in self.forms() if _STATE in form.names), None) or self.form()
