"""Webshare: a list of proxies in pages, each with its own name and password, and the country that it is in."""

import re
from collections import defaultdict
from typing import Annotated, Final
from unicodedata import normalize
from urllib.parse import urlencode

import msgspec

from scrapeyard.model.errors import BadInput
from scrapeyard.model.place import place_of
from scrapeyard.model.secret import Secret
from scrapeyard.scraping.proxies.address import Endpoint
from scrapeyard.scraping.proxies.asking import Asking, Opening
from scrapeyard.scraping.proxies.options import WebshareList
from scrapeyard.scraping.proxies.provider import UNPLACED, Roll
from scrapeyard.scraping.secrets import Secrets

DOOR: Final = "p.webshare.io"
"""Where proxies are reached that have no address of their own."""
_PORT: Final = 80
_PAGE: Final = 100
_PAGES: Final = 1_000
_NOT_IN_CITY = re.compile(r"[^a-z]+")

_Port = Annotated[int, msgspec.Meta(gt=0, lt=65_536)]


class _Ports(msgspec.Struct):
    """As the first edition of the interface told them."""

    http: _Port = 80
    socks5: _Port = 1080


class _Given(msgspec.Struct):
    username: str
    password: str
    proxy_address: str | None = None
    port: _Port | None = None
    ports: _Ports | None = None
    valid: bool = True
    country_code: str | None = None
    city_name: str | None = None


class Webshare:
    """Fills Source."""

    def __init__(self, options: WebshareList, secrets: Secrets, opening: Opening) -> None:
        """`Refused` if the key is not known."""
        self._options = options
        self._secrets = secrets
        self._headers = {"authorization": f"Token {secrets.word(options.key)}"}
        self._asking = Asking("Webshare", opening)

    async def roll(self) -> Roll:
        """See Source."""
        options = self._options
        query = {"mode": options.mode, "page": "1", "page_size": str(_PAGE)}
        if options.plan:
            query["plan_id"] = options.plan
        if options.countries:
            query["country_code__in"] = ",".join(country.upper() for country in options.countries)
        found: defaultdict[str, list[Endpoint]] = defaultdict(list)
        async for page in self._asking.pages(f"{options.endpoint}?{urlencode(query)}", self._headers, _PAGES):
            for given in _read(page):
                endpoint = self._endpoint(given)
                if endpoint is not None:
                    self._secrets.learn(Secret(endpoint.password))
                    found[_place(given)].append(endpoint)
        return found

    async def close(self) -> None:
        """See Source."""
        await self._asking.close()

    def _endpoint(self, given: _Given) -> Endpoint | None:
        if not given.valid:
            return None
        scheme = self._options.scheme
        if self._options.mode == "backbone" or not given.proxy_address:  # of residential plans there is none
            return Endpoint(scheme, DOOR, _PORT, given.username, given.password)
        ports = given.ports or _Ports()
        port = given.port or (ports.http if scheme == "http" else ports.socks5)
        return Endpoint(scheme, given.proxy_address, port, given.username, given.password)


def _read(page: dict[str, object]) -> list[_Given]:
    """Those that can be understood; one that cannot is left out and does not cost the others."""
    found: list[_Given] = []
    results = page.get("results")
    for one in results if isinstance(results, list) else ():  # pyright: ignore[reportUnknownVariableType] - a stranger's
        try:
            found.append(msgspec.convert(one, _Given))
        except msgspec.ValidationError:
            continue
    return found


def _place(given: _Given) -> str:
    country = (given.country_code or "").lower()
    plain = normalize("NFKD", given.city_name or "").encode("ascii", "ignore").decode().lower()
    city = _NOT_IN_CITY.sub("_", plain).strip("_")
    for where in (f"{country}-{city}", country):
        try:
            return str(place_of(where))
        except BadInput:
            continue
    return UNPLACED
