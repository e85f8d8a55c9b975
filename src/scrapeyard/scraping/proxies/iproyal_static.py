"""IPRoyal's static proxies: those that were ordered, order by order, with the ports of each order."""

from collections import defaultdict
from typing import Annotated, Any, Final
from urllib.parse import urlencode

import msgspec

from scrapeyard.model.secret import Secret
from scrapeyard.scraping.proxies.address import Endpoint
from scrapeyard.scraping.proxies.asking import Asking, Opening
from scrapeyard.scraping.proxies.countries import country_of
from scrapeyard.scraping.proxies.options import IpRoyalStatic
from scrapeyard.scraping.proxies.provider import Roll
from scrapeyard.scraping.secrets import Secrets

PORTS: Final = {"http": 12323, "socks5": 12324}
"""Where an order does not say."""
_PAGE: Final = 100
_PAGES: Final = 200

_Port = Annotated[int, msgspec.Meta(gt=0, lt=65_536)]


class _Machine(msgspec.Struct):
    username: str
    password: str
    ip: str = ""
    address: str = ""


class _Bought(msgspec.Struct):
    proxies: list[_Machine] = []
    ports: dict[str, _Port] = {}


class _Order(msgspec.Struct):
    status: str = ""
    location: str | None = None
    proxy_data: _Bought | None = None


class IpRoyalOrders:
    """Fills Source."""

    def __init__(self, options: IpRoyalStatic, secrets: Secrets, opening: Opening) -> None:
        """`Refused` if the token is not known."""
        self._options = options
        self._secrets = secrets
        self._headers = {"x-access-token": secrets.word(options.token)}
        self._asking = Asking("IPRoyal", opening)

    async def roll(self) -> Roll:
        """See Source."""
        found: defaultdict[str, list[Endpoint]] = defaultdict(list)
        for number in range(1, _PAGES + 1):
            query = {"status": "confirmed", "page": str(number), "per_page": str(_PAGE)}
            if self._options.product:
                query["product_id"] = str(self._options.product)
            page = await self._asking.json(f"{self._options.endpoint}/orders?{urlencode(query)}", self._headers)
            for order in _orders(page):
                found[country_of(order.location or "")] += self._endpoints(order)
            if number >= _last(page):
                break
        return found

    async def close(self) -> None:
        """See Source."""
        await self._asking.close()

    def _endpoints(self, order: _Order) -> list[Endpoint]:
        scheme, bought = self._options.scheme, order.proxy_data
        if bought is None or order.status != "confirmed":
            return []
        port = next((port for name, port in bought.ports.items() if scheme in name.split("|")), PORTS[scheme])
        found: list[Endpoint] = []
        for one in bought.proxies:
            host = one.ip or one.address
            if host:
                self._secrets.learn(Secret(one.password))
                found.append(Endpoint(scheme, host, port, one.username, one.password))
        return found


def _orders(page: dict[str, Any]) -> list[_Order]:
    """Those that can be understood; one that cannot is left out and does not cost the others."""
    found: list[_Order] = []
    data = page.get("data")
    for one in data if isinstance(data, list) else ():  # pyright: ignore[reportUnknownVariableType] - a stranger's
        try:
            found.append(msgspec.convert(one, _Order))
        except msgspec.ValidationError:
            continue
    return found


def _last(page: dict[str, Any]) -> int:
    meta = page.get("meta")
    last = meta.get("last_page") if isinstance(meta, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - a stranger's
    return last if isinstance(last, int) else 1
