"""Bright Data: one door for each zone, and everything that is wanted of an exit stands in the user name.

A zone has one kind of proxies, so a tier of each kind needs a zone of its own. Where the exit is in a demanded place,
`route_err-block` keeps the provider from fetching the page itself when that exit fails, which would be from elsewhere.
"""

import re
from typing import Final

from scrapeyard.model.place import ANYWHERE, Place
from scrapeyard.model.secret import Secret
from scrapeyard.scraping.proxies.address import Endpoint
from scrapeyard.scraping.proxies.options import BrightDataZone
from scrapeyard.scraping.proxies.provider import NoProxy
from scrapeyard.scraping.secrets import Secrets

BY_COUNTRY: Final = frozenset({"datacenter", "isp"})
"""Products whose exits are chosen by country only; the others can be chosen by state, city and post code."""
_NOT_IN_CITY = re.compile(r"[^a-z0-9]")


class BrightData:
    """Fills Gateway."""

    def __init__(self, options: BrightDataZone, secrets: Secrets) -> None:
        """`Refused` if a secret is not known."""
        self._options = options
        self._customer = f"brd-customer-{secrets.word(options.customer)}"
        self._password = secrets.word(options.password)
        secrets.learn(Secret(self._customer))  # the account's number is nobody's business either

    def exit(self, place: Place, word: str) -> str:
        """See Gateway."""
        options = self._options
        user = [self._customer, "zone", options.zone, *self._where(place)]
        if options.dns:
            user += ["dns", options.dns]
        user += ["session", word]
        if options.product not in BY_COUNTRY:
            user += ["route_err", options.route_err]
        if options.const:
            user.append("const")
        return Endpoint(options.scheme, options.host, options.port, "-".join(user), self._password).url

    def _where(self, place: Place) -> list[str]:
        if place == ANYWHERE:
            return []
        if self._options.product in BY_COUNTRY and place != Place(place.country):
            raise NoProxy(f"A {self._options.product} zone of Bright Data is chosen by country only, not by {place}.")
        words = ["country", place.country]
        if place.state and not place.zip:  # a post code lies in one state, and the provider takes only one of them
            words += ["state", place.state]
        if place.city:
            words += ["city", _NOT_IN_CITY.sub("", place.city)]
        if place.zip:
            words += ["zip", place.zip]
        return words
