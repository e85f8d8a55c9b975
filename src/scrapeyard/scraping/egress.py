"""Which addresses a scraper may reach at all.

A page, a redirect or an item's input can name any address, that of our own cloud's credential service included.
Every address therefore passes here before it is contacted, in one normal form that leaves no two readings: what
was judged is what is connected to. Names are judged as names here, and once more by what they resolve to, with the
connection pinned to that. Only where a proxy looks a name up, nobody here can know what it resolves to.
"""

import re
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from urllib.parse import quote, urlsplit

import msgspec

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.reach import Number, Reach, is_number, number_of, plain, reach_of, reach_of_name

LONGEST = 16_384
"""Characters of an address that is still sent."""

_LONGEST_HOST = 253
_PORTS = {"http": 80, "https": 443}
_USUAL = re.compile(r"(https?)://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?(/[!$-;=?-\[\]_a-z~]*)")
"""Addresses already in normal form: most of them, and the fast way through."""
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?")
_CREDENTIALS = re.compile(r"//[^/]*@")
_KEPT = "!$%&'()*+,-./:;=?@[]_~"


class Egress(msgspec.Struct, frozen=True):
    """What the settings allow: ports of public addresses, and openings to what is not public.

    An opening is an address or a network of this machine or of a private net, with or without a port:
    `127.0.0.1:8100`, `[::1]:8100`, `10.1.0.0/16`, `10.1.0.0/16:8080`.
    """

    ports: frozenset[int] = frozenset(_PORTS.values())
    allow: tuple[str, ...] = ()

    def admits(self, number: Number, port: int) -> bool:
        """Whether an address may be reached at this port: one in an address, or one that a name resolved to."""
        reach = reach_of(number)
        if reach is Reach.PUBLIC:
            return port in self.ports
        return reach is not Reach.NEVER and _opened(self.allow, plain(number), port)

    def knows_port(self, port: int) -> bool:
        """Whether anything at all may be reached at this port."""
        return port in self.ports or any(opening(text)[1] in (None, port) for text in self.allow)


class Address(msgspec.Struct, frozen=True, gc=False):
    """An http(s) address in normal form, taken apart. `port` is always there; `path` is without the query."""

    url: str
    scheme: str
    host: str
    port: int
    path: str

    def same_origin(self, other: "Address") -> bool:
        """Whether both are one place in the sense of browsers."""
        return self.host == other.host and self.port == other.port and self.scheme == other.scheme

    @property
    def origin(self) -> str:
        """Scheme, host and, if unusual, port."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{shown}" + ("" if _PORTS[self.scheme] == self.port else f":{self.port}")


PUBLIC_ONLY = Egress()


def permitted(url: str, egress: Egress = PUBLIC_ONLY) -> Address:
    """The address in normal form. `VisitError` of kind DENIED if it is not http(s), or not to be reached from here."""
    address = _taken_apart(url)
    refusal = _refusal(address.host, address.port, egress)
    if refusal is not None:
        raise _denied(url, refusal)
    return address


@lru_cache(maxsize=4096)
def _refusal(host: str, port: int, egress: Egress) -> str | None:
    """Why a host may not be reached at this port, as the end of a sentence. Names are judged as far as they tell."""
    number = number_of(host)
    reach = reach_of_name(host) if number is None else reach_of(number)
    if reach is Reach.NEVER:
        return "is reserved or a cloud's own service, which no scraper may reach"
    if number is not None and reach is not Reach.PUBLIC:
        return None if egress.admits(number, port) else how_to_open(reach, host, port)
    if reach is not Reach.PUBLIC and not egress.allow:
        return how_to_open(reach, host, port)
    if not (egress.knows_port(port) if number is None else port in egress.ports):
        return f"has a port that scrapers may not use: add {port} to `ports` under [http] in the settings"
    return None


def how_to_open(reach: Reach, host: str, port: int) -> str:
    """The end of a sentence that says how a place which is not public may be visited all the same."""
    what = "this machine" if reach is Reach.LOOPBACK else "a private network"
    if not is_number(host):
        host = "127.0.0.1" if reach is Reach.LOOPBACK else "ITS-ADDRESS"
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return (
        f"is {what}, which scrapers may visit only where the settings say so. If that is meant, write "
        f'allow = ["{place}"] under [http] in scrapeyard.toml, or set SCRAPEYARD_HTTP__ALLOW=\'["{place}"]\''
    )


@lru_cache(maxsize=1024)
def opening(text: str) -> tuple[IPv4Network | IPv6Network, int | None]:
    """An opening taken apart: its network, and its port unless it means all. ValueError says what is wrong with it."""
    bare, port = text.strip(), ""
    if bare.startswith("["):
        bare, _, port = bare[1:].partition("]") if "]" in bare else (bare, "", "")
        port = port.removeprefix(":")
    elif bare.count(":") == 1:
        bare, _, port = bare.partition(":")
    if bare == "localhost":
        bare = "127.0.0.1"
    try:
        network = ip_network(bare, strict=False)
        number = int(port) if port else None
    except ValueError as error:
        raise ValueError(f"{text!r} is no address or network such as 127.0.0.1:8100 or 10.1.0.0/16") from error
    if number is not None and not 0 < number < 65_536:
        raise ValueError(f"{text!r} has no such port")
    return network, number


def _opened(allow: tuple[str, ...], number: Number, port: int) -> bool:
    return any(number in network and at in (None, port) for network, at in map(opening, allow))


def _taken_apart(url: str) -> Address:
    usual = _USUAL.fullmatch(url)
    if usual is None or len(url) > LONGEST or len(usual[2]) > _LONGEST_HOST or not _is_normal(usual[2]):
        return _normal(url)
    scheme, host, port, rest = usual.groups()
    number = _PORTS[scheme] if port is None else int(port)
    if not 0 < number < 65_536:
        raise _denied(url, "has no such port")
    return Address(url, scheme, host, number, rest.partition("?")[0])


def _normal(url: str) -> Address:
    """The slow way: other spellings of the same address, or a refusal."""
    if len(url) > LONGEST:
        raise VisitError(f"An address of {len(url):,} characters is too long to be sent.", kind=Kind.TOO_LARGE)
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise _denied(url, "is not a web address") from error
    if parts.scheme not in _PORTS:
        raise _denied(url, "is not an http or https address")
    if "@" in parts.netloc or "\\" in parts.netloc:
        raise _denied(url, "has a user name in it; send credentials as a header instead")
    if port == 0:
        raise _denied(url, "has no such port")
    host = _normal_host(url, parts.hostname or "")
    path = quote(parts.path, safe=_KEPT.replace("?", "")) or "/"
    address = Address("", parts.scheme, host, port or _PORTS[parts.scheme], path)
    query = f"?{quote(parts.query, safe=_KEPT)}" if parts.query else ""
    return msgspec.structs.replace(address, url=address.origin + path + query)


@lru_cache(maxsize=4096)
def _is_normal(host: str) -> bool:
    """Whether a host is not an address in some notation that others may read differently."""
    try:
        number = number_of(host)
    except ValueError:
        return False
    return number is None or str(number) == host


def _normal_host(url: str, written: str) -> str:
    host = written.lower()
    try:
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
        number = number_of(host)
    except ValueError as error:
        raise _denied(url, "has no proper host name") from error
    if number is not None:
        return str(number)
    if len(host) > _LONGEST_HOST or _NAME.fullmatch(host) is None:
        raise _denied(url, "has no proper host name")
    return host


def _denied(url: str, reason: str) -> VisitError:
    shown = _CREDENTIALS.sub("//…@", url.partition("?")[0])
    return VisitError(f"{shown if len(shown) <= 160 else shown[:159] + '…'} {reason}.", kind=Kind.DENIED)
