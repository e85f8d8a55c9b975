"""What a scraping process is told of proxies. Secrets are references here; each process looks them up by itself."""

from pathlib import Path

import msgspec


class Listed(msgspec.Struct, frozen=True, tag_field="kind", tag="list"):
    """Proxies by address; `places` are those that are known to be somewhere, `*` for those that serve any place."""

    urls: tuple[str, ...] = ()
    places: dict[str, tuple[str, ...]] = {}
    username: str = ""
    password: str | None = None


class BrightDataZone(msgspec.Struct, frozen=True, tag_field="kind", tag="brightdata"):
    """A zone of Bright Data, by its super proxy."""

    customer: str
    zone: str
    password: str
    product: str = "residential"
    scheme: str = "http"
    host: str = "brd.superproxy.io"
    port: int = 44445
    route_err: str = "block"
    dns: str = ""
    const: bool = False
    trust: str = ""


class BrightDataUnlocker(msgspec.Struct, frozen=True, tag_field="kind", tag="brightdata_unlocker"):
    """A zone of Bright Data's Web Unlocker, by its HTTP interface."""

    zone: str
    key: str
    endpoint: str = "https://api.brightdata.com/request"


class WebshareList(msgspec.Struct, frozen=True, tag_field="kind", tag="webshare"):
    """The proxies of a Webshare account."""

    key: str
    mode: str = "direct"
    plan: str = ""
    countries: tuple[str, ...] = ()
    scheme: str = "http"
    endpoint: str = "https://proxy.webshare.io/api/v2/proxy/list/"


class IpRoyalGateway(msgspec.Struct, frozen=True, tag_field="kind", tag="iproyal"):
    """Residential proxies of IPRoyal."""

    username: str
    password: str
    scheme: str = "http"
    host: str = "geo.iproyal.com"
    port: int = 12321
    lifetime: str = "30m"


class IpRoyalStatic(msgspec.Struct, frozen=True, tag_field="kind", tag="iproyal_static"):
    """Proxies of one's own that were ordered at IPRoyal."""

    token: str
    product: int = 0
    scheme: str = "http"
    endpoint: str = "https://apid.iproyal.com/v1/reseller"


class ProxyScrapeList(msgspec.Struct, frozen=True, tag_field="kind", tag="proxyscrape"):
    """Free proxies of strangers."""

    enabled: bool = False
    countries: tuple[str, ...] = ()
    most: int = 200
    check_url: str = "http://example.com/"
    endpoint: str = "https://api.proxyscrape.com/v4/free-proxy-list/get"


Provided = (
    Listed | BrightDataZone | BrightDataUnlocker | WebshareList | IpRoyalGateway | IpRoyalStatic | ProxyScrapeList
)


class ProxyOptions(msgspec.Struct, frozen=True):
    """Sets of proxies by name, and which tier goes through which set."""

    sets: dict[str, Provided] = {}
    tiers: dict[str, str] = {}
    secrets: Path | None = None
