"""What an answer's status asks for: to go elsewhere, to be read, or to be raised as the error it is."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urljoin

from scrapeyard.model.errors import RateLimited, VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.egress import Address
from scrapeyard.scraping.http.client import Request
from scrapeyard.scraping.http.cookies import moment_of
from scrapeyard.scraping.http.troubles import shown

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_TRAVELS: Final = frozenset({"accept", "accept-encoding", "accept-language", "content-type", "user-agent"})
"""Headers that go along to another origin. Everything else may be a credential by some name."""
_LONGEST_WAIT: Final = 7 * 86_400


def status_error(status: int, url: str, retry_after: str, now: float) -> VisitError:
    """The error that a status of 400 or more stands for."""
    wait = asked_wait(retry_after, now)
    told = f"{shown(url)} answered {status}"
    if status == 429 or (status == 503 and wait is not None):
        return RateLimited(f"{told}: the site asks us to slow down.", status=status, retry_after=wait)
    if status in (401, 403):
        return VisitError(f"{told}: access is refused.", kind=Kind.FORBIDDEN, status=status)
    if status >= 500:
        return VisitError(f"{told}: a server error.", kind=Kind.SITE_5XX, status=status, retry_after=wait)
    if status in (404, 410):
        hint = f"if that means that there is no such record, ask with absent_on=({status},)"
        return VisitError(f"{told}; {hint}.", kind=Kind.HTTP_STATUS, status=status)
    return VisitError(f"{told}.", kind=Kind.HTTP_STATUS, status=status, retry_after=wait)


def next_url(location: str, base: str) -> str:
    """Where a Location header leads. Bytes beyond ASCII are escaped one by one, as browsers do."""
    if not location.isascii():
        location = quote(location.encode("latin-1"), safe="!#$%&'()*+,-./:;=?@[]_~")
    try:
        return urljoin(base, location.strip())
    except ValueError as error:
        raise VisitError(f"{shown(base)} redirects to what is no address.", kind=Kind.HTTP_STATUS) from error


def redirected(request: Request, status: int, here: Address, there: Address) -> Request:
    """The request that follows a redirect: its method, its body, and what it may carry to where it goes."""
    headers, method, body = request.headers, request.method, request.body
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        method, body = "GET", None
        headers = {name: value for name, value in headers.items() if name.lower() != "content-type"}
    if not here.same_origin(there):
        headers = {name: value for name, value in headers.items() if name.lower() in _TRAVELS}
    return Request(method, there.url, headers, body, request.proxy, request.total, request.idle, request.profile)


def referer(page: str, page_address: Address, there: Address) -> str:
    """What a browser says of where it comes from: its page to its own site, its site to others, nothing to http."""
    if page_address.same_origin(there):
        return page.partition("#")[0]
    return "" if page_address.scheme == "https" and there.scheme == "http" else page_address.origin + "/"


def as_sent(headers: Mapping[str, str]) -> dict[str, str]:
    """An author's headers by lower-case name."""
    return {name.lower(): value for name, value in headers.items()}


def asked_wait(retry_after: str, now: float) -> float | None:
    """Retry-After as seconds from now, whether given in seconds or as a date; None if it says neither."""
    text = retry_after.strip()
    if text.isdecimal():
        return float(min(int(text[:9]), _LONGEST_WAIT))
    moment = moment_of(text)
    return None if moment is None else float(min(max(moment - now, 0.0), _LONGEST_WAIT))
