"""From what an author asks to a page or a file: headers on the way out, the status judged on the way in.

A status of 400 or more is an error unless the author says otherwise, because a scraper that takes an error page for
a record does more harm than one that stops. The page is read all the same: it is the evidence.
"""

from collections.abc import Mapping
from typing import Final

from scrapeyard.model.errors import Absent, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.pages.files import File
from scrapeyard.pages.forms import Encoded
from scrapeyard.pages.page import Page
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.egress import permitted
from scrapeyard.scraping.http.answers import as_sent, referer, status_error
from scrapeyard.scraping.http.asking import Asking, with_params
from scrapeyard.scraping.http.client import Request
from scrapeyard.scraping.http.cookies import Jar
from scrapeyard.scraping.http.downloads import Downloads, Foreign
from scrapeyard.scraping.http.exchange import Arrival, Exchange
from scrapeyard.scraping.http.live_page import LivePage

_NOTHING: Final[Mapping[str, str]] = {}
_NONE: Final[tuple[int, ...]] = ()


class Sender:
    """One visit's pages. `last` is the page that came last, good or bad."""

    __slots__ = ("_downloads", "_exchange", "last")

    def __init__(self, exchange: Exchange, downloads: Downloads) -> None:
        self._exchange = exchange
        self._downloads = downloads
        self.last: LivePage | None = None

    @property
    def jar(self) -> Jar:
        """The visit's cookies."""
        return self._exchange.jar

    async def page(self, method: str, url: str, body: bytes | None, asking: Asking) -> LivePage:
        """Send, read the whole answer and judge its status."""
        arrival = await self._exchange.send(await self._request(method, url, body, asking))
        page = self._live(arrival, await arrival.whole())
        if page.status >= 400:
            self._judge(page, arrival, asking)
        return page

    async def file(self, url: str, expect: str, asking: Asking) -> File:
        """Send, and stream the answer into a file of the expected type."""
        arrival = await self._exchange.send(await self._request("GET", url, None, asking))
        if arrival.status >= 400:
            self._judge(self._live(arrival, await arrival.whole()), arrival, asking)
        try:
            return await self._downloads.take(arrival, expect, self._exchange.common)
        except Foreign as foreign:
            self._live(arrival, foreign.body)
            raise

    async def send_encoded(self, form: Encoded, origin: str, asking: Asking) -> LivePage:
        """Send what a form or a link asks for, as from the page at `origin`."""
        asking = {"referer": origin, **asking}
        if form.method == "GET":
            return await self.page("GET", form.url, None, asking)
        asking["headers"] = {"content-type": form.content_type, **as_sent(asking.get("headers", _NOTHING))}
        return await self.page(form.method, form.url, form.body, asking)

    async def go(self, request: Encoded, origin: Page) -> LivePage:
        """See Onward."""
        return await self.send_encoded(request, origin.url, {})

    async def fetch_file(self, url: str, expect: str, origin: Page) -> File:
        """See Onward."""
        return await self.file(url, expect, {"referer": origin.url})

    async def _request(self, method: str, url: str, body: bytes | None, asking: Asking) -> Request:
        common = self._exchange.common
        if "params" in asking:
            url = with_params(url, asking["params"])
        profile = self._exchange.profile
        headers = {} if profile else common.headers  # a browser's own headers come with its profile
        if "headers" in asking or "referer" in asking:
            headers = {**headers, **self._referer(url, asking), **as_sent(asking.get("headers", _NOTHING))}
        times = common.timeouts
        proxy = self._exchange.proxy
        if "proxy" in asking:
            proxy = await self._own_proxy(asking["proxy"])
        return Request(method, url, headers, body, proxy, asking.get("timeout", times.total), times.idle, profile)

    async def _own_proxy(self, address: str | None) -> Proxy | None:
        if address is None:
            return None
        own = self._exchange.common.own_proxies
        if own is None:
            raise VisitError("A request cannot name its own proxy here.", kind=Kind.NO_PROXY)
        return await own.taken(address)

    def _referer(self, url: str, asking: Asking) -> dict[str, str]:
        origin = asking.get("referer", "")
        if not origin:
            return {}
        egress = self._exchange.common.egress
        said = referer(origin, permitted(origin, egress), permitted(url, egress))
        return {"referer": said} if said else {}

    def _live(self, arrival: Arrival, body: bytes) -> LivePage:
        page = LivePage(body, arrival.url, arrival.status, arrival.headers, onward=self)
        page.method = arrival.method
        page.fetched = self._exchange.common.now()
        self.last = page
        return page

    def _judge(self, page: LivePage, arrival: Arrival, asking: Asking) -> None:
        if page.status in asking.get("absent_on", _NONE):
            raise Absent(f"The site answered {page.status}.")
        if page.status not in asking.get("allow", _NONE):
            raise status_error(page.status, page.url, arrival.head.retry_after, self._exchange.common.now())
