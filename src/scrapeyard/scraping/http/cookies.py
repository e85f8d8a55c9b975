"""The cookies of one visit, kept and sent as RFC 6265 says.

A jar belongs to one visit; what a session carries on to the next one is taken out of it as a value. A site decides
what is put in, so the number and size of cookies are bounded and the oldest goes first.
"""

import datetime
import re
from collections.abc import Iterable, Iterator
from email.utils import parsedate_to_datetime
from typing import Final

from scrapeyard.model.session import Cookie
from scrapeyard.scraping.egress import Address

MOST: Final = 300
MOST_PER_DOMAIN: Final = 50
LONGEST: Final = 4096
"""Bytes of a name and its value together."""
_LONGEST_LIFE: Final = 400 * 86_400
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")


class Jar:
    """What the sites of one visit have set."""

    def __init__(self, cookies: Iterable[Cookie] = ()) -> None:
        self._cookies = {(one.domain, one.path, one.name): one for one in cookies}

    def __len__(self) -> int:
        return len(self._cookies)

    def __iter__(self) -> Iterator[Cookie]:
        return iter(self._cookies.values())

    def get(self, name: str, default: str | None = None) -> str | None:
        """The value of a cookie by name, the latest one if several sites use it."""
        return next((one.value for one in reversed(self._cookies.values()) if one.name == name), default)

    def put(self, cookie: Cookie) -> None:
        """Keep a cookie; the one of the same name, domain and path gives way."""
        key = (cookie.domain, cookie.path, cookie.name)
        self._cookies.pop(key, None)
        self._cookies[key] = cookie
        mine = [other for other, one in self._cookies.items() if one.domain == cookie.domain]
        if len(mine) > MOST_PER_DOMAIN:
            del self._cookies[mine[0]]
        if len(self._cookies) > MOST:
            del self._cookies[next(iter(self._cookies))]

    def clear(self) -> None:
        """Forget everything, as if the visit began anew."""
        self._cookies.clear()

    def store(self, line: str, address: Address, now: float) -> None:
        """Keep what a Set-Cookie line from that address says. One that may not be set is left out in silence."""
        cookie = read(line, address, now)
        if cookie is None:
            return
        if cookie.expires is not None and cookie.expires <= now:
            self._cookies.pop((cookie.domain, cookie.path, cookie.name), None)
        else:
            self.put(cookie)

    def header(self, address: Address, now: float) -> str:
        """The Cookie header for a request there; empty if there is nothing to send. Longer paths come first."""
        if not self._cookies:
            return ""
        for key in [key for key, one in self._cookies.items() if one.expires is not None and one.expires <= now]:
            del self._cookies[key]
        sent = [one for one in self._cookies.values() if _goes_to(one, address)]
        sent.sort(key=lambda one: -len(one.path))
        return "; ".join([f"{one.name}={one.value}" if one.name else one.value for one in sent])


def read(line: str, address: Address, now: float) -> Cookie | None:
    """A Set-Cookie line as a cookie, or None if browsers would not take it."""
    pair, *attributes = line.split(";")
    name, found, value = pair.partition("=")
    if not found:
        name, value = "", name
    name, value = _as_sent(name), _as_sent(value)
    if not (name or value) or len(name) + len(value) > LONGEST or _CONTROLS.search(pair.strip()):
        return None
    given: dict[str, str] = {}
    for attribute in attributes[:30]:
        key, _, said = attribute.partition("=")
        given[key.strip().lower()] = said.strip()
    domain = given.get("domain", "").lower().removeprefix(".")
    secure = "secure" in given
    if (domain and not _may_set(address.host, domain)) or (secure and address.scheme != "https"):
        return None
    path = given.get("path", "")
    cookie = Cookie(
        name,
        value,
        domain or address.host,
        path if path.startswith("/") else _directory(address.path),
        secure,
        host_only=not domain or _is_number(domain),
        expires=_expiry(given, now),
    )
    return cookie if _keeps_prefix(cookie, given) else None


def _goes_to(cookie: Cookie, address: Address) -> bool:
    """Whether it is sent there, time aside."""
    if cookie.secure and address.scheme != "https":
        return False
    host = address.host
    if host != cookie.domain and (cookie.host_only or not _is_under(host, cookie.domain)):
        return False
    return _covers(cookie.path, address.path)


def _as_sent(text: str) -> str:
    """Header values come as latin-1 and go as UTF-8; this keeps a UTF-8 cookie the same bytes on its way back."""
    text = text.strip()
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _keeps_prefix(cookie: Cookie, given: dict[str, str]) -> bool:
    lower = cookie.name.lower()
    if lower.startswith("__host-"):
        return cookie.secure and "domain" not in given and cookie.path == "/"
    return cookie.secure or not lower.startswith("__secure-")


def _may_set(host: str, domain: str) -> bool:
    """A domain must be the host's own or above it, and no top-level domain on its own."""
    if host == domain:
        return True
    return _is_under(host, domain) and "." in domain and not _is_number(host)


def _is_under(host: str, domain: str) -> bool:
    return host.endswith(domain) and host[-len(domain) - 1 : -len(domain)] == "."


def _is_number(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdigit()


def _covers(path: str, requested: str) -> bool:
    return requested == path or (requested.startswith(path) and (path.endswith("/") or requested[len(path)] == "/"))


def _directory(path: str) -> str:
    return path[: path.rfind("/")] or "/"


def _expiry(given: dict[str, str], now: float) -> float | None:
    age = given.get("max-age", "")
    if age.removeprefix("-").isdecimal():
        return now + min(int(age[:12]), _LONGEST_LIFE) if not age.startswith("-") else now
    moment = moment_of(given.get("expires", ""))
    return None if moment is None else min(moment, now + _LONGEST_LIFE)


def moment_of(date: str) -> float | None:
    """An HTTP date, in seconds since the epoch; None if it is not one. Takes the dashes of old servers as well."""
    if not date:
        return None
    try:
        return parsedate_to_datetime(date[:64].replace("-", " ")).replace(tzinfo=datetime.UTC).timestamp()
    except (ValueError, OverflowError):
        return None
