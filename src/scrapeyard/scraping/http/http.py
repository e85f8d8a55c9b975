"""What a scraper author is given to visit a site with.

One `Http` is one visit: its cookies, its counts, its proxy. It looks like a small browser: pages come back live, so
that forms are submitted and links followed from them.
"""

from typing import Any, Final, Unpack
from urllib.parse import urlencode

import orjson

from scrapeyard.pages.files import File
from scrapeyard.pages.forms import Form
from scrapeyard.scraping.http.answers import as_sent
from scrapeyard.scraping.http.asking import Asking, Fields, pairs
from scrapeyard.scraping.http.cookies import Jar
from scrapeyard.scraping.http.live_page import LivePage
from scrapeyard.scraping.http.sender import Sender

_FORM: Final = "application/x-www-form-urlencoded"
_JSON: Final = "application/json"


class Http:
    """Requests of one visit. Every address, redirects included, passes the egress guard and waits for its permit.

    A status of 400 or more raises `VisitError` of the kind it stands for: 404 and 410 too, for a wrong address in a
    scraper must not look like 400,000 records that do not exist. Where a site answers 404 for a record that it does
    not have, say so: `await http.get(url, absent_on=(404,))` raises `Absent` then.
    """

    __slots__ = ("_sender",)

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def cookies(self) -> Jar:
        """This visit's cookies. `http.cookies.clear()` begins a fresh session."""
        return self._sender.jar

    async def get(self, url: str, **asking: Unpack[Asking]) -> LivePage:
        """Fetch a page. For everything that can be said with a request see `Asking`."""
        return await self._sender.page("GET", url, None, asking)

    async def post(self, url: str, data: Fields | bytes = b"", **asking: Unpack[Asking]) -> LivePage:
        """Send fields as a form does, or bytes as they are (name their `content-type` in the headers)."""
        if isinstance(data, bytes):
            return await self._sender.page("POST", url, data, asking)
        body = urlencode(pairs(data)).encode("ascii")
        return await self._sender.page("POST", url, body, _typed(asking, _FORM))

    async def submit(self, form: Form, **asking: Unpack[Asking]) -> LivePage:
        """Send a form that was read from a page and filled as data: `page.form().fill(pin=pin).press("Search")`."""
        return await self._sender.send_encoded(form.encode(), form.url, asking)

    async def json(self, url: str, send: object = None, **asking: Unpack[Asking]) -> Any:
        """Fetch a JSON answer and give its value; with `send`, by a POST of that as JSON.

        To keep the answer, take the page by `get` or `post` and keep that; its `json()` gives the same value.
        """
        asking["headers"] = {"accept": _JSON, **as_sent(asking.get("headers", {}))}
        if send is None:
            page = await self._sender.page("GET", url, None, asking)
        else:
            page = await self._sender.page("POST", url, orjson.dumps(send), _typed(asking, _JSON))
        return page.json()

    async def download(self, url: str, *, expect: str, **asking: Unpack[Asking]) -> File:
        """Fetch a file, streamed; `expect` is its type, such as `application/pdf` or `image/*`.

        The file must begin as that type does; a server's word counts only for types without a known beginning. What
        comes in its place is the visit's last page, and `Missing` is raised.
        """
        return await self._sender.file(url, expect, asking)


def _typed(asking: Asking, content_type: str) -> Asking:
    asking["headers"] = {"content-type": content_type, **as_sent(asking.get("headers", {}))}
    return asking
