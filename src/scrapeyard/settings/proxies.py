"""The ways to a site: sets of proxies, and the tiers that go through them. Secrets stand here by reference only."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from scrapeyard.model.place import place_of
from scrapeyard.scraping.secrets import is_reference
from scrapeyard.settings.section import Price, Section


def _reference(text: str) -> str:
    """Only a reference will do; what was written instead may be the secret itself, so it is not repeated."""
    if not is_reference(text):
        raise PydanticCustomError("secret", "write secret://NAME here, and the secret itself elsewhere")
    return text


def _address(text: str) -> str:
    """A proxy's address without credentials, or a reference."""
    if text.startswith("secret://"):
        return _reference(text)
    if "@" in text or text.count(":") > 2:
        raise PydanticCustomError("secret", "leave user and password out of an address, and name them apart")
    parts = urlsplit(text if "//" in text else f"http://{text}")
    if (
        parts.scheme not in {"http", "https", "socks5", "socks5h"}
        or not parts.hostname
        or not text.rpartition(":")[2].isdecimal()
    ):
        raise PydanticCustomError("address", "write an address such as http://10.0.0.1:8080 or socks5://10.0.0.1:1080")
    return text


def _place(text: str) -> str:
    """A place, or any."""
    return text if text == "*" else str(place_of(text))


def _url(text: str) -> str:
    """The address of an interface. Its key does not belong into it."""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.fragment or "@" in parts.netloc:
        raise PydanticCustomError("address", "write an address such as https://api.example.com/path, without a key")
    return text


def _lifetime(text: str) -> str:
    """At most a week."""
    if int(text[:-1]) * _SECONDS[text[-1]] > _WEEK:
        raise PydanticCustomError("lifetime", "an exit is kept for seven days at most")
    return text


_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_WEEK = 7 * 86_400

PlaceName = Annotated[str, AfterValidator(_place)]
Country = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,40}$")]
Reference = Annotated[str, AfterValidator(_reference)]
ProxyAddress = Annotated[str, AfterValidator(_address)]
Host = Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,253}$")]
Port = Annotated[int, Field(ge=1, le=65535)]
Url = Annotated[str, AfterValidator(_url)]
Scheme = Literal["http", "socks5"]


class ListedProxies(Section):
    """Proxies by their addresses: `http://`, `https://` or `socks5://` with host and port."""

    kind: Literal["list"]
    """`list`."""
    urls: tuple[ProxyAddress, ...] = ()
    """Addresses that may be anywhere; they serve no tier that demands a place. `secret://NAME` stands for all lines of
    that secret, each an address with its own credentials or `host:port:user:password`."""
    places: dict[PlaceName, tuple[ProxyAddress, ...]] = Field(default={})
    """Addresses by place (`us`, `us-ca`); those under `*` serve every place."""
    username: str = ""
    """User name for those that name none; may be a `secret://NAME`."""
    password: Reference | None = None
    """Password that goes with it, as `secret://NAME`."""


class BrightDataProxies(Section):
    """A zone of Bright Data. A zone has one kind of proxies, so each tier needs a section of its own."""

    kind: Literal["brightdata"]
    """`brightdata`."""
    customer: Annotated[str, Field(pattern=r"^(secret://)?[A-Za-z0-9_-]+$")]
    """The account's id, such as `hl_1a2b3c4d`; may be a `secret://NAME`."""
    zone: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
    """The zone's name."""
    password: Reference
    """The zone's password, as `secret://NAME`."""
    product: Literal["datacenter", "isp", "residential", "mobile"] = "residential"
    """What the zone is: exits of `datacenter` and `isp` are chosen by country only, the others also by state, city and
    post code."""
    scheme: Scheme = "http"
    """How to speak to it; `socks5` has a port of its own, 22228."""
    host: Host = "brd.superproxy.io"
    """The super proxy."""
    port: Port = 44445
    """Its port."""
    route_err: Literal["block", "pass_dyn"] = "block"
    """What happens when an exit fails: `block` fails, `pass_dyn` lets the provider fetch the page itself, from
    elsewhere. Not said to `datacenter` and `isp` zones."""
    dns: Literal["", "local", "remote"] = ""
    """Who looks up names: the provider or the exit; empty leaves it to the zone."""
    const: bool = False
    """Whether a session whose exit is gone fails rather than gets another."""
    trust: str = ""
    """A PEM file with the provider's authority, for zones that sign what they pass on; believed for this set only."""


class UnlockerProxies(Section):
    """A zone of Bright Data's Web Unlocker, asked over HTTP. Each request stands alone: no cookies, no sessions."""

    kind: Literal["brightdata_unlocker"]
    """`brightdata_unlocker`."""
    zone: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
    """The zone's name."""
    key: Reference
    """The interface's key, as `secret://NAME`."""
    endpoint: Url = "https://api.brightdata.com/request"
    """Where it is asked."""


class WebshareProxies(Section):
    """The proxies of a Webshare account, as its interface lists them."""

    kind: Literal["webshare"]
    """`webshare`."""
    key: Reference
    """The interface's key, as `secret://NAME`."""
    mode: Literal["direct", "backbone"] = "direct"
    """`direct` goes to each proxy's own address, `backbone` to all through p.webshare.io, as residential plans need."""
    plan: str = ""
    """The id of a plan, if the account has several."""
    countries: tuple[Country, ...] = ()
    """Only proxies in these countries; empty means all."""
    scheme: Scheme = "http"
    """How to speak to them."""
    endpoint: Url = "https://proxy.webshare.io/api/v2/proxy/list/"
    """Where the list is asked for."""


class IpRoyalProxies(Section):
    """Residential proxies of IPRoyal."""

    kind: Literal["iproyal"]
    """`iproyal`."""
    username: str
    """The user name; may be a `secret://NAME`."""
    password: Reference
    """The password without any options, as `secret://NAME`."""
    scheme: Scheme = "http"
    """How to speak to it; `socks5` has a port of its own, 32325."""
    host: Host = "geo.iproyal.com"
    """The gateway."""
    port: Port = 12321
    """Its port."""
    lifetime: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,5}[smhd]$"), AfterValidator(_lifetime)] = "30m"
    """How long an exit is kept: a number and one of `s`, `m`, `h`, `d`, up to seven days."""


class IpRoyalStaticProxies(Section):
    """Static proxies (ISP, datacenter) that were ordered at IPRoyal, as its interface lists them."""

    kind: Literal["iproyal_static"]
    """`iproyal_static`."""
    token: Reference
    """The access token, as `secret://NAME`."""
    product: Annotated[int, Field(ge=0)] = 0
    """Only orders of this product; 0 means all."""
    scheme: Scheme = "http"
    """How to speak to them."""
    endpoint: Url = "https://apid.iproyal.com/v1/reseller"
    """Where orders are asked for."""


class ProxyScrapeProxies(Section):
    """Free proxies of strangers, who can read and change what passes. Send nothing of value through them."""

    kind: Literal["proxyscrape"]
    """`proxyscrape`."""
    enabled: bool = False
    """They are used only if this is true."""
    countries: tuple[Country, ...] = ()
    """Only proxies in these countries; empty means all."""
    most: Annotated[int, Field(ge=1, le=2000)] = 200
    """How many of the list are tried."""
    check_url: Url = "http://example.com/"
    """A page that is the same for everybody; a proxy is used if it comes through it unchanged."""
    endpoint: Url = "https://api.proxyscrape.com/v4/free-proxy-list/get"
    """Where the list is asked for."""


ProxySettings = Annotated[
    ListedProxies
    | BrightDataProxies
    | UnlockerProxies
    | WebshareProxies
    | IpRoyalProxies
    | IpRoyalStaticProxies
    | ProxyScrapeProxies,
    Field(discriminator="kind"),
]


class TierSettings(Section):
    """One rung of the ladder: which proxies it goes through, and what that costs.

    A tier that is used with a place (`residential:us-ca`) needs no section of its own, unless its price differs.
    """

    proxies: str = ""
    """The name of a section `[proxies.NAME]`; only `direct` has none."""
    usd_per_gb: Price = 0.0
    """What a gigabyte costs, in dollars, counted both ways."""
    usd_per_request: Price = 0.0
    """What a request costs, in dollars."""
